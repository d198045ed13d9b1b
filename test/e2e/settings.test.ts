/** Settings that are saved for their owner count at once, lose nothing of the file, and are undone, through the real processes. */
import { mkdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChangeView, SettingsAnswer, Status } from "@mimikit/protocol/wire/api";
import { afterEach, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { Instance } from "../support/instance.ts";

const opened: Instance[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

const COMMENTED = `# ours, since spring
maxConcurrency:   2     # the machine is small

# how long
timeoutSec:
    planner: 300 # enough
`;

async function startedWith(yaml: string) {
  const mimikit = await Instance.start({
    prepare: async (home) => {
      mkdirSync(home);
      writeFileSync(join(home, "config.yaml"), yaml);
    },
  });
  opened.push(mimikit);
  return {
    mimikit,
    text: () => readFileSync(join(mimikit.home, "config.yaml"), "utf8"),
    set: (changes: { name: string; value: unknown }[]) =>
      mimikit.api<SettingsAnswer>("/api/settings", { method: "PATCH", body: { changes } }),
  };
}

test("a setting counts for the next run without a restart, its file keeps its comments, and undo brings the text back", async () => {
  const { mimikit, text, set } = await startedWith(COMMENTED);
  // The text of before is noticed, so that it can come back.
  const noticed = join(mimikit.home, "config.noticed.yaml");
  await mimikit.until("the settings, noticed", () => readFileSync(noticed, "utf8") === COMMENTED || undefined);
  await set([
    { name: "timeoutSec.worker", value: 1 },
    { name: "retryDelaySec", value: 0 },
    { name: "budget.day.tokens", value: 5_000_000 },
  ]);
  expect(text()).toBe(`${COMMENTED}    worker: 1\nretryDelaySec: 0\nbudget:\n  day:\n    tokens: 5000000\n`);
  const limited = await mimikit.until("the limit, in force", async () => {
    const { usage } = await mimikit.api<Status>("/api/status");
    return usage.budget.day ?? undefined;
  });
  expect(limited).toMatchObject({ limit: { tokens: 5_000_000 } });
  await mimikit.send("run `sleep 100`");
  const ended = await mimikit.until("the end of the run", async () =>
    (await mimikit.tasks()).find(({ state }) => state === "failed"),
  );
  expect(ended.error).toContain("time limit");

  const { changes } = await mimikit.until("the change, recorded", async () => {
    const answer = await mimikit.api<{ changes: ChangeView[] }>("/api/changes");
    return answer.changes.some(({ what }) => what === "config") ? answer : undefined;
  });
  const [change] = changes.filter(({ what }) => what === "config");
  expect(change).toMatchObject({ by: "user", title: "budget, retryDelaySec, timeoutSec", state: "open" });
  await mimikit.api("/api/undo", { method: "POST", body: { id: change?.id } });
  await mimikit.until("the text of before", () => text() === COMMENTED || undefined);
  await mimikit.until("no limit", async () => {
    const { usage } = await mimikit.api<Status>("/api/status");
    return usage.budget.day === null || undefined;
  });
});

test("the page and the command line save at the same time, and nothing of either is lost", async () => {
  const { mimikit, text, set } = await startedWith(COMMENTED);
  const roles = ["teller", "planner", "worker", "reviewer"];
  const said = await Promise.all([
    ...roles.map(async (role, at) => {
      await set([{ name: `budget.reserve.${role}`, value: 1_000 + at }]);
    }),
    ...["retryDelaySec", "runsKeepDays", "rereadSec"].map(async (name) =>
      expect(await runCli(mimikit, ["config", "set", name, "11"])).toMatchObject({ code: 0, error: "" }),
    ),
    runCli(mimikit, ["config", "set", "provider", "codex"]),
  ]);
  // The processes were started with MIMIKIT_PROVIDER, which the shell of the command does not have.
  expect(said.at(-1)).toMatchObject({ code: 1, error: expect.stringContaining("MIMIKIT_PROVIDER, which wins") });
  const { settings } = await mimikit.api<SettingsAnswer>("/api/settings");
  const saved = settings.filter(({ source }) => source === "file").map(({ name, value }) => [name, value]);
  expect(Object.fromEntries(saved)).toEqual({
    maxConcurrency: 2,
    "timeoutSec.planner": 300,
    "budget.reserve.teller": 1_000,
    "budget.reserve.planner": 1_001,
    "budget.reserve.worker": 1_002,
    "budget.reserve.reviewer": 1_003,
    retryDelaySec: 11,
    runsKeepDays: 11,
    rereadSec: 11,
  });
  expect(text().startsWith(COMMENTED)).toBe(true);
  const restart = await runCli(mimikit, ["config", "set", "tickMs", "900"]);
  expect(restart).toMatchObject({ code: 0, out: expect.stringMatching(/it takes effect after {2}\S*mimikit restart/) });
});

test("a gateway that is killed while it saves leaves the old text or the new one, and the next one saves", async () => {
  const { mimikit, text, set } = await startedWith(COMMENTED);
  const withDelay = (sec: number) => `${COMMENTED}retryDelaySec: ${sec}\n`;
  for (const steps of [1, 2, 3, 5]) {
    const before = text();
    // Killed after that many things have happened in the state directory since the save began.
    const killed = new Promise<void>((resolve, reject) => {
      let seen = 0;
      const watcher = watch(mimikit.home, { recursive: true }, () => {
        if (++seen !== steps) return;
        watcher.close();
        mimikit.kill("gateway").then(resolve, reject);
      });
    });
    const asked = set([{ name: "retryDelaySec", value: steps }]).catch((error: unknown) => error);
    await Promise.all([killed, asked]);
    const after = text();
    expect([before, withDelay(steps)]).toContain(after);
    await mimikit.ready();
    await set([{ name: "retryDelaySec", value: steps }]);
    expect(text()).toBe(withDelay(steps));
  }
});
