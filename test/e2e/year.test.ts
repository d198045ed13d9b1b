/**
 * A home of 0.2.0 with a year of state goes on with this version: every message is there, what waited is done once, and what is
 * checked is whole. The records are those of test/homes/0.2.0.tar.gz, under later ids and times.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { findViolations } from "../../apps/cli/src/checks/find-violations.ts";
import { withState } from "../../apps/cli/src/instance/state.ts";
import { runCli } from "../cli/run-cli.ts";
import { Instance, ROLE_NAMES } from "../support/instance.ts";
import { liveForAYear, YEAR_DAYS, type Year } from "../support/year-after.ts";

const HOME = join(import.meta.dirname, "../homes/0.2.0.tar.gz");
const DAY_MS = 86_400_000;
/** hello, an order, and its report. */
const TURNS = 3;
const Restored = z.object({ manifest: z.object({ createdAt: z.string() }) });
const Exported = z.object({ messages: z.array(z.object({ id: z.string(), text: z.string() })) });

test("a home of 0.2.0 with a year of state loses no message, does once what waited, and is whole", async () => {
  let madeMs = 0;
  let year: Year = { turns: 0, records: 0, messages: [] };
  const mimikit = await Instance.start({
    hasClock: true,
    roles: [],
    env: { TZ: "UTC" },
    prepare: async (home) => {
      const restored = await runCli({ home, workDir: join(home, "../work") }, ["restore", "--json", HOME]);
      expect(restored).toMatchObject({ code: 0, error: "" });
      madeMs = Date.parse(Restored.parse(JSON.parse(restored.out)).manifest.createdAt);
      year = liveForAYear(home, madeMs, TURNS, "first");
    },
  });
  onTestFinished(() => mimikit.dispose());
  expect(year).toMatchObject({ turns: 8_765, records: 23_360 });
  mimikit.setClock(madeMs + (YEAR_DAYS + 1) * DAY_MS - Date.now());
  for (const role of ROLE_NAMES) mimikit.startRole(role);
  await mimikit.ready();
  // Killed while it settles in, once each.
  for (const role of ROLE_NAMES) await mimikit.kill(role);
  await mimikit.ready();
  const cli = async (...words: string[]) => {
    const { code, out, error } = await runCli(mimikit, words);
    expect([words, code, error]).toEqual([words, 0, ""]);
    return out;
  };

  const exported = async () => Exported.parse(JSON.parse(await cli("history", "export", "--format", "json"))).messages;
  const help = await mimikit.until("the reply to what waited", async () =>
    (await mimikit.messages()).find(({ text }) => text === "help"),
  );
  await mimikit.replyTo(help.id);
  await mimikit.until("the report of the trigger", async () =>
    (await mimikit.replies()).some(({ text }) => text.includes("\nfired\n")) ? true : undefined,
  );
  await mimikit.drained();
  const now = await exported();
  const texts = new Map(now.map(({ id, text }) => [id, text]));
  expect(year.messages.filter(([id, text]) => texts.get(id) !== text)).toEqual([]);
  expect(texts.size).toBe(now.length);
  expect(now.filter(({ text }) => text.includes("\nfired\n"))).toHaveLength(1);
  expect(now.filter(({ text }) => text === "help")).toHaveLength(1);

  expect(await cli("history", "search", "first0x2")).toContain("first0x2");
  expect(await cli("memory", "search", "pnpm")).toContain("I like pnpm");
  expect(await cli("audit", "verify")).toMatch(/^✓ archive: /m);
  await mimikit.stop();
  expect((await findViolations((work) => withState(work, mimikit))).violations).toEqual([]);

  const backup = join(mimikit.workDir, "year.tar.gz");
  await cli("backup", backup);
  const other = { home: join(mimikit.workDir, "other"), workDir: mimikit.workDir };
  expect(await runCli(other, ["restore", "--json", backup])).toMatchObject({ code: 0, error: "" });
  const history = (home: string) => readFileSync(join(home, "history/2027-01.jsonl"), "utf8");
  expect(history(other.home)).toBe(history(mimikit.home));
});
