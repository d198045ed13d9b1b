/** A home of each release, as it is when it is killed, goes on with this version: test/homes has them, one file a release. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TriggerSummary } from "@mimikit/protocol/wire/api";
import { latestOf, MIGRATIONS, readStateVersion } from "@mimikit/runtime/home/state-version";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { runCli } from "../cli/run-cli.ts";
import { Instance, ROLE_NAMES } from "../support/instance.ts";

const HOMES = join(import.meta.dirname, "../homes");
const MINUTE_MS = 60_000;
const Restored = z.object({ manifest: z.object({ createdAt: z.string() }) });

test.each(readdirSync(HOMES).filter((name) => name.endsWith(".tar.gz")))(
  "%s is read, answers what waited and what is new, and its trigger fires",
  async (name) => {
    let madeMs = 0;
    const mimikit = await Instance.start({
      hasClock: true,
      roles: [],
      env: { TZ: "UTC" },
      prepare: async (home) => {
        const place = { home, workDir: join(home, "../work") };
        const restored = await runCli(place, ["restore", "--json", join(HOMES, name)]);
        expect(restored).toMatchObject({ code: 0, error: "" });
        madeMs = Date.parse(Restored.parse(JSON.parse(restored.out)).manifest.createdAt);
      },
    });
    onTestFinished(() => mimikit.dispose());
    mimikit.setClock(madeMs + MINUTE_MS - Date.now());
    for (const role of ROLE_NAMES) mimikit.startRole(role);
    await mimikit.ready();
    expect(readStateVersion(mimikit.home).state).toBe(latestOf(MIGRATIONS));

    const before = await mimikit.messages();
    expect(before.map(({ text }) => text)).toEqual(expect.arrayContaining(["hello", "remember that I like pnpm"]));
    const waiting = before.find(({ text }) => text === "help")?.id ?? "";
    await mimikit.replyTo(waiting);
    expect((await mimikit.replyTo(await mimikit.send("search pnpm"))).text).toContain("I like pnpm");
    expect(readFileSync(join(mimikit.home, "memory.md"), "utf8")).toContain("I like pnpm");

    const { triggers } = await mimikit.api<{ triggers: TriggerSummary[] }>("/api/triggers");
    const next = triggers.find(({ title }) => title.includes("fired"))?.next ?? "";
    const reports = async () => (await mimikit.replies()).filter(({ text }) => text.includes("\nfired\n")).length;
    expect(await reports()).toBe(0);
    mimikit.setClock(Date.parse(next) + MINUTE_MS - Date.now());
    await mimikit.until("the report of the trigger", async () => ((await reports()) === 1 ? true : undefined));
  },
);
