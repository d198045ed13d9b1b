/** Keys and PM2: none is in anything that PM2 holds, shows or saves, and none is lost by that. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KEY_VARIABLES, keyVariableOf, PROVIDER_IDS } from "@mimikit/runtime/config/providers";
import { expect, onTestFinished, test } from "vitest";
import { ModelServer } from "../support/model-server.ts";
import { COMES_BACK, instance, MIMIKIT, PM2, ROOT, run } from "./pm2-instance.ts";

const TEST_MS_MAX = 180_000;

/** A key for each variable that can hold one. */
const CANARIES = Object.fromEntries(KEY_VARIABLES.map((name, i) => [name, `sk-canary-of-pm2-${i}`]));
const IN_ANY = /sk-canary-of-pm2-\d/;

/** Every regular file below a folder, as bytes. */
function bytesBelow(dir: string): string {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1")).join("\n");
}

/** PM2's words about its own state. */
async function toldByPm2(env: NodeJS.ProcessEnv): Promise<string> {
  const said: string[] = [];
  for (const words of [["save"], ["jlist"], ["prettylist"], ["env", "0"], ["env", "1"], ["env", "2"]]) {
    const { code, stdout, stderr } = await run(PM2, words, env);
    expect([words, code]).toEqual([words, 0]);
    said.push(stdout, stderr);
  }
  return said.join("\n");
}

test("what the variables of a shell hold is kept for this user alone, and neither PM2 nor any process has it", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { home, env, processes } = await instance();
  const started = await run(MIMIKIT, ["up"], { ...env, ...CANARIES });
  expect([started.code, started.stdout]).toEqual([0, expect.stringContaining("model     offline")]);
  for (const name of new Set(PROVIDER_IDS.flatMap((id) => keyVariableOf(id, CANARIES) ?? [])))
    expect(started.stderr).toContain(
      `saved the key of ${name} in secrets.json, for this user alone: a restart from another shell answers the same\n`,
    );
  const kept = JSON.parse(readFileSync(join(home, "secrets.json"), "utf8")).keys;
  expect(kept).toMatchObject({ openai: CANARIES.OPENAI_API_KEY, claude: CANARIES.ANTHROPIC_API_KEY });

  const ofPm2 = { ...env, PM2_HOME: join(home, "pm2") };
  const told = await toldByPm2(ofPm2);
  expect(told).toContain("mimikit-gateway");
  expect(told).not.toMatch(IN_ANY);
  expect(existsSync(join(home, "pm2/dump.pm2"))).toBe(true);
  expect(bytesBelow(join(home, "pm2"))).not.toMatch(IN_ANY);
  expect((await run(PM2, ["report"], ofPm2)).stdout).not.toMatch(IN_ANY);
  const running = await processes();
  expect(running.length).toBeGreaterThanOrEqual(4);
  for (const { args, environment } of running)
    expect([...args, ...environment.values()].join("\n")).not.toMatch(IN_ANY);
});

test("a PM2 of one's own has no key either, saves none, and starts with those that were kept", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { workDir, home, env, isReady, processes } = await instance();
  const ofPm2: NodeJS.ProcessEnv = { ...env, PM2_HOME: join(workDir, "own-pm2") };
  await run(PM2, ["ping"], ofPm2);
  const started = await run(PM2, ["start", join(ROOT, "ecosystem.config.cjs")], { ...ofPm2, ...CANARIES });
  expect([started.code, started.stderr]).toEqual([0, expect.stringContaining("saved the key of OPENAI_API_KEY")]);
  await expect.poll(isReady, COMES_BACK).toBe(true);
  expect(await toldByPm2(ofPm2)).not.toMatch(IN_ANY);
  expect(bytesBelow(join(workDir, "own-pm2"))).not.toMatch(IN_ANY);
  for (const { environment } of await processes()) expect([...environment.values()].join("\n")).not.toMatch(IN_ANY);
  expect(readFileSync(join(home, "secrets.json"), "utf8")).toMatch(IN_ANY);

  // Ending it keeps nothing.
  const other = { ...ofPm2, OPENAI_API_KEY: "sk-of-the-shell-that-ends-it" };
  expect((await run(PM2, ["delete", join(ROOT, "ecosystem.config.cjs")], other)).code).toBe(0);
  expect(readFileSync(join(home, "secrets.json"), "utf8")).not.toContain("sk-of-the-shell-that-ends-it");
  expect((await run(PM2, ["kill"], ofPm2)).code).toBe(0);
  await expect.poll(async () => (await processes()).length, COMES_BACK).toBe(0);
});

test("a restart from a shell without variables says who answers no more and why; once set for good, the same model answers", {
  timeout: TEST_MS_MAX,
}, async () => {
  const model = await ModelServer.start({ teller: () => ({ say: "The model speaks." }) });
  onTestFinished(() => model.close());
  const { home, env: withProvider, ask, mimikit } = await instance();
  const { MIMIKIT_PROVIDER: _, ...env } = withProvider;
  const key = "sk-canary-of-pm2-0";
  const other = { ...env, OPENAI_API_KEY: key, OPENAI_BASE_URL: model.baseUrl, MIMIKIT_MODEL: "scripted" };
  const first = await run(MIMIKIT, ["up", "--json"], other);
  expect(JSON.parse(first.stdout)).toMatchObject({ kept: ["OPENAI_API_KEY"], changed: null });
  expect(await ask("hello")).toEqual(["The model speaks."]);

  const poor = await run(MIMIKIT, ["restart", "--json"], { ...env, MIMIKIT_PROVIDER: "offline" });
  expect(JSON.parse(poor.stdout)).toMatchObject({
    kept: [],
    changed: {
      roles: expect.arrayContaining([
        {
          role: "teller",
          before: { provider: "openai", model: "scripted" },
          now: { provider: "offline", model: null },
        },
      ]),
      unset: ["MIMIKIT_MODEL", "OPENAI_BASE_URL"],
      set: ["MIMIKIT_PROVIDER"],
    },
  });
  expect(poor.stderr).toBe(
    `! The model that answers has changed:
!   all: openai scripted → offline
! because this shell does not set what was set before: MIMIKIT_MODEL, OPENAI_BASE_URL
! and sets MIMIKIT_PROVIDER
  → for every shell:  mimikit config set model …
  → for every shell:  mimikit config set openai.baseUrl …
`,
  );

  expect(await ask("help")).toHaveLength(1);
  const back = await run(MIMIKIT, ["restart"], other);
  expect(back.stderr).toContain("!   all: offline → openai scripted\n");
  // It is about what comes; who answered before is in the status.
  expect(back.stdout).toMatch(/\n {2}model {5}openai scripted\n/);
  expect((await run(MIMIKIT, ["status"], env)).stdout).toContain("teller: openai scripted (last: offline)");
  writeFileSync(join(home, "config.yaml"), `model: scripted\nopenai:\n  baseUrl: ${model.baseUrl}\n`);
  const lasting = await run(MIMIKIT, ["restart"], env);
  expect([lasting.code, lasting.stderr]).toEqual([0, ""]);
  model.requests.length = 0;
  expect(await run(MIMIKIT, ["ask", "--json", "and now?"], env)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("The model speaks."),
  });
  expect(model.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`]);

  // With nothing running, what was noted last is compared.
  expect((await mimikit("down")).code).toBe(0);
  const cold = await run(MIMIKIT, ["up"], { ...env, MIMIKIT_MODEL: "another" });
  expect(cold.stderr).toContain("!   all: openai scripted → openai another\n! because it sets MIMIKIT_MODEL\n");
});

test("a key that cannot be kept stops a start with the reason, before anything that runs is ended", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { home, env, up, pid } = await instance();
  await up();
  const before = pid("gateway");
  writeFileSync(join(home, "secrets.json"), "{}", { mode: 0o644 });
  const refused = await run(MIMIKIT, ["restart"], { ...env, OPENAI_API_KEY: "sk-canary-of-pm2-0" });
  expect(refused).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/can be read by others.*chmod 600/),
  });
  expect(pid("gateway")).toBe(before);
});
