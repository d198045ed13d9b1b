import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Config, loadConfig } from "@mimikit/runtime/config/config";
import { problemOfConfig } from "@mimikit/runtime/config/config-file";
import { CONFIG_FIELDS, setsAnything } from "@mimikit/runtime/config/fields";
import { whyNoStart } from "@mimikit/runtime/config/find-mistakes";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../temporary-home.ts";

const defaults = Config.parse({});

function homeWith(yaml: string): string {
  const home = temporaryDirectory();
  writeFileSync(join(home, "config.yaml"), yaml);
  return home;
}

test("without a file and variables the defaults are used, and nothing is written", () => {
  const home = temporaryDirectory();
  expect(loadConfig(home, {})).toEqual({ config: defaults, keys: {}, problems: [] });
  expect(existsSync(join(home, "config.last-good.json"))).toBe(false);
});

test("the defaults are those of the specification", () => {
  expect(defaults).toMatchObject({
    host: "127.0.0.1",
    port: 8787,
    provider: "auto",
    maxConcurrency: 3,
    timeoutSec: { teller: 180, planner: 600, worker: 600, evaluation: 120, reviewer: 300 },
    retryDelaySec: 60,
    tickMs: 1000,
    rereadSec: 30,
  });
});

test("the environment wins over the file, the file over the defaults", () => {
  const home = homeWith("port: 9001\nmaxConcurrency: 5\ntimeoutSec:\n  worker: 30\n");
  const { config, problems } = loadConfig(home, { MIMIKIT_PORT: "9002", MIMIKIT_TIMEOUT_SEC_TELLER: "7" });
  expect(problems).toEqual([]);
  expect(config).toEqual({
    ...defaults,
    port: 9002,
    maxConcurrency: 5,
    timeoutSec: { ...defaults.timeoutSec, teller: 7, worker: 30 },
  });
});

test("lists, names and the provider of a role can be set by variables", () => {
  const { config, problems } = loadConfig(temporaryDirectory(), {
    MIMIKIT_ALLOWED_HOSTS: "box.local, 10.0.0.2 ,",
    MIMIKIT_HOST: "127.0.0.2",
    MIMIKIT_PROVIDER: "codex",
    MIMIKIT_PROVIDER_TELLER: "openai",
    MIMIKIT_LOG_LEVEL: "debug",
  });
  expect(problems).toEqual([]);
  expect(config).toMatchObject({
    allowedHosts: ["box.local", "10.0.0.2"],
    host: "127.0.0.2",
    provider: "codex",
    providers: { teller: "openai" },
    logLevel: "debug",
  });
});

test("stand-ins are a list, prices a table: in the file as YAML, in a variable separated by commas and as JSON", () => {
  const prices = { m: { input: 1, cached: 0.1, output: 4.5 } };
  const written = homeWith("fallback: [codex, offline]\nprices:\n  m: {input: 1, cached: 0.1, output: 4.5}\n");
  expect(loadConfig(written, {})).toMatchObject({ config: { fallback: ["codex", "offline"], prices }, problems: [] });
  const env = {
    MIMIKIT_FALLBACK: "codex, offline",
    MIMIKIT_FALLBACK_WORKER: "offline",
    MIMIKIT_PRICES: JSON.stringify(prices),
  };
  const { config, problems } = loadConfig(temporaryDirectory(), env);
  expect(problems).toEqual([]);
  expect(config).toMatchObject({ fallback: ["codex", "offline"], fallbacks: { worker: ["offline"] }, prices });
});

test("every field says what it is for and has a variable of its own", () => {
  for (const { path, schema } of CONFIG_FIELDS)
    expect([path, schema.description]).toEqual([path, expect.stringMatching(/\.$/)]);
  const variables = CONFIG_FIELDS.flatMap((field) => field.variables);
  expect(new Set(variables).size).toBe(variables.length);
  expect(variables).toContain("MIMIKIT_ARCHIVE_FOLD_DAYS");
});

test("a process that is to have no settings of its caller's gets neither settings nor keys, and all else", () => {
  const names = ["MIMIKIT_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "PATH", "HTTPS_PROXY"];
  expect(names.filter((name) => !setsAnything(name))).toEqual(["PATH", "HTTPS_PROXY"]);
});

test.each([
  ["MIMIKIT_PORT", "http"],
  ["MIMIKIT_PORT", "0"],
  ["MIMIKIT_PORT", "70000"],
  ["MIMIKIT_PORT", "80.5"],
  ["MIMIKIT_PROVIDER", "gpt"],
  ["MIMIKIT_TIMEOUT_SEC_WORKER", "-1"],
  ["MIMIKIT_TICK_MS", "1e99"],
  ["MIMIKIT_FALLBACK", "offline, auto"],
  ["MIMIKIT_PRICES", "cheap"],
  ["MIMIKIT_PRICES", '{"m": {"input": -1, "cached": 0, "output": 0}}'],
])("the bad variable %s=%s is ignored and reported by name", (name, value) => {
  const { config, problems } = loadConfig(temporaryDirectory(), { [name]: value });
  expect(config).toEqual(defaults);
  expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name}: .+; it is ignored$`))]);
});

test.each([
  ["a wrong type", "port: many", /port/],
  ["a value out of bounds", "maxConcurrency: 0", /maxConcurrency/],
  ["a name that is no field", "maxConcurency: 2", /maxConcurency/],
  ["a wrong place inside a group", "timeoutSec:\n  worker: soon", /timeoutSec\.worker/],
  ["no YAML at all", "port: [", /config\.yaml/],
  ["a list that does not end before the next key", "port: [1,\n  foo", /line 2/],
  ["a list where a mapping belongs", "- port", /config\.yaml: must be a table of names and values, not a list/],
  ["a bomb of aliases", `a: &a [1,1,1,1,1,1,1,1,1]\n${"b".repeat(1)}: [${"*a,".repeat(30)}]`, /alias/i],
  ["brackets without end", "[".repeat(30_000), /config\.yaml/],
  ["more than 64 KB", `# ${"x".repeat(70_000)}`, /65536 bytes/],
  ["a prototype", "__proto__: {port: 1}", /__proto__/],
])("a file with %s is reported, and the defaults are used", (_what, yaml, reason) => {
  const { config, problems } = loadConfig(homeWith(yaml), {});
  expect(config).toEqual(defaults);
  expect(problems).toEqual([expect.stringMatching(/^config\.yaml: .+[^:]; the defaults are used$/)]);
  expect(problems[0]).toMatch(reason);
});

test("a directory or a pipe in the place of the file is reported without waiting for it", () => {
  const home = temporaryDirectory();
  mkdirSync(join(home, "config.yaml"));
  expect(loadConfig(home, {}).problems[0]).toMatch(/not a regular file/);
  rmSync(join(home, "config.yaml"), { recursive: true });
  execFileSync("mkfifo", [join(home, "config.yaml")]);
  expect(loadConfig(home, {}).problems[0]).toMatch(/not a regular file/);
});

test("after a good file a bad one changes nothing, until it is good again or gone", () => {
  const home = homeWith("port: 9001");
  const file = join(home, "config.yaml");
  expect(loadConfig(home, {}).config.port).toBe(9001);

  writeFileSync(file, "port: never");
  const bad = loadConfig(home, { MIMIKIT_MAX_CONCURRENCY: "2" });
  expect(bad.config).toMatchObject({ port: 9001, maxConcurrency: 2 });
  expect(bad.problems[0]).toMatch(/the last valid version is used$/);

  writeFileSync(file, "port: 9002");
  expect(loadConfig(home, {})).toMatchObject({ config: { port: 9002 }, problems: [] });

  rmSync(file);
  expect(loadConfig(home, {})).toMatchObject({ config: { port: 8787 }, problems: [] });
  writeFileSync(file, "port: never");
  expect(loadConfig(home, {}).config.port).toBe(8787);
});

test("a damaged last good file is reported too, and the defaults take over", () => {
  const home = homeWith("port: never");
  writeFileSync(join(home, "config.last-good.json"), "{");
  const { config, problems } = loadConfig(home, {});
  expect(config).toEqual(defaults);
  expect(problems).toHaveLength(2);
});

test("the variables of the environment are not kept as a part of the last good file", () => {
  const home = homeWith("maxConcurrency: 2");
  loadConfig(home, { MIMIKIT_PORT: "9002" });
  expect(JSON.parse(readFileSync(join(home, "config.last-good.json"), "utf8"))).toEqual({ maxConcurrency: 2 });
});

test("budgets are not set by default; each of them is a field and a variable, and what is no amount is refused", () => {
  expect(defaults.budget).toMatchObject({ day: {}, month: {}, task: {} });
  const home = homeWith("budget:\n  day: { tokens: 1000, costUsd: 0.5 }\n");
  const env = { MIMIKIT_BUDGET_DAY_COST_USD: "2.5", MIMIKIT_BUDGET_TASK_TOKENS: "-1" };
  const { config, problems } = loadConfig(home, env);
  expect(config.budget).toMatchObject({ day: { tokens: 1000, costUsd: 2.5 }, task: {} });
  expect(problems).toEqual([expect.stringMatching(/^MIMIKIT_BUDGET_TASK_TOKENS: .*ignored$/)]);
});

test("a name that is no setting is told as such where the file is read", () => {
  expect(problemOfConfig("prot: 1\nbudget:\n  dya: {}\n")).toBe(
    "budget.dya: there is no setting of this name; prot: there is no setting of this name",
  );
});

test("settings that cannot be read and may forbid something are named, so that nothing starts with them", () => {
  expect(loadConfig(homeWith("autonomy: aks"), {}).unread).toEqual(["config.yaml"]);
  expect(whyNoStart(homeWith("port: 80\nautonomy: aks"), {})).toEqual([
    expect.stringMatching(/config\.yaml, line 2: autonomy: .+ask/),
  ]);
  const lax = [
    "MIMIKIT_AUTONOMY",
    "MIMIKIT_SANDBOX",
    "MIMIKIT_WEB_FETCH",
    "MIMIKIT_BUDGET_DAY_COST_USD",
    "MIMIKIT_PAUSED_WORKER",
  ];
  for (const name of lax) {
    expect(loadConfig(temporaryDirectory(), { [name]: "5$" }).unread).toEqual([name]);
    expect(whyNoStart(temporaryDirectory(), { [name]: "5$" })).toEqual([
      expect.stringMatching(new RegExp(`^${name}: `)),
    ]);
  }
  expect(loadConfig(temporaryDirectory(), { MIMIKIT_PORT: "5$" })).not.toHaveProperty("unread");
  const pipe = temporaryDirectory();
  execFileSync("mkfifo", [join(pipe, "config.yaml")]);
  expect(whyNoStart(pipe, {})).toEqual([expect.stringContaining("not a regular file")]);
});
