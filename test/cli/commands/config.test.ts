/** `mimikit config` as people run it, and the mistakes that it finds. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadSettings } from "@mimikit/runtime/config/config";
import { findMistakes } from "@mimikit/runtime/config/find-mistakes";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../run-cli.ts";

function homeWith(yaml: string): string {
  const home = mkdtempSync(join(tmpdir(), "mimikit-config-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  writeFileSync(join(home, "config.yaml"), yaml);
  return home;
}

const mistakesIn = (yaml: string) => findMistakes(join(homeWith(yaml), "config.yaml"));

test("each mistake has its line, its setting and what to do", () => {
  expect(
    mistakesIn("# ours\nport: 99999\nmaxConcurency: 4\ntimeoutSec:\n  worker: soon\n  wroker: 3\nzzzzzz: 1\n"),
  ).toEqual([
    expect.objectContaining({ line: 2, column: 7, path: "port", next: expect.stringContaining("the default is 8787") }),
    expect.objectContaining({ line: 3, column: 1, path: "maxConcurency", next: "did you mean maxConcurrency?" }),
    expect.objectContaining({ line: 5, column: 11, path: "timeoutSec.worker" }),
    expect.objectContaining({ line: 6, column: 3, path: "timeoutSec.wroker", next: "did you mean timeoutSec.worker?" }),
    expect.objectContaining({ line: 7, path: "zzzzzz", next: expect.stringContaining("remove it") }),
  ]);
});

test("what is no YAML is told by its line, and what is no list of settings at all too", () => {
  expect(mistakesIn("port: 1\nhost: [a\n")).toEqual([expect.objectContaining({ line: 3, path: "" })]);
  expect(mistakesIn("just words")).toEqual([expect.objectContaining({ line: 1 })]);
  expect(
    mistakesIn(`a: &a [1]\n${Array.from({ length: 50 }, (_, n) => `b${n}: [*a, *a, *a]`).join("\n")}`),
  ).not.toEqual([]);
  expect(mistakesIn("x".repeat(70_000))).toEqual([
    expect.objectContaining({ message: expect.stringContaining("longer") }),
  ]);
});

test("a file in which all is well has no mistake, and one that is not there is none", () => {
  expect(mistakesIn("")).toEqual([]);
  expect(mistakesIn("port: 8790\ntimeoutSec:\n  worker: 1800\n")).toEqual([]);
  expect(findMistakes("/there/is/none.yaml")).toBeNull();
});

test("a setting comes from the default, the file or a variable, and a variable that is wrong sets nothing", () => {
  const settings = loadSettings(homeWith("port: 9001\nmaxConcurrency: 5\n"), {
    MIMIKIT_PORT: "9002",
    MIMIKIT_MAX_CONCURRENCY: "many",
  });
  const of = (name: string) => settings.find(({ field }) => field.path.join(".") === name);
  expect(of("port")).toMatchObject({ value: 9002, source: "environment", variable: "MIMIKIT_PORT" });
  expect(of("maxConcurrency")).toMatchObject({ value: 5, source: "file" });
  expect(of("tickMs")).toMatchObject({ value: 1_000, source: "default" });
});

test("the settings are shown with everything down, and no password with them", async () => {
  const home = homeWith("openai:\n  baseUrl: https://me:secret-word@models.example/v1\n");
  const place = { home, workDir: home };
  const table = await runCli(place, ["config", "show"]);
  expect(table).toMatchObject({ code: 0, error: "" });
  expect(table.out).toMatch(/openai\.baseUrl +https:\/\/\*{8}@models\.example\/v1 +file/);
  expect(table.out).not.toContain("secret-word");
  const { code, out, error } = await runCli(place, ["config", "validate", "--json"]);
  expect({ code, error, document: JSON.parse(out) }).toMatchObject({ code: 0, error: "", document: { ok: true } });
});

test("a setting is set and unset with everything down: old and new are said, and comments stay", async () => {
  const home = homeWith("# mine\nport: 9001 # as ever\n");
  const place = { home, workDir: home };
  const text = () => readFileSync(join(home, "config.yaml"), "utf8");
  const set = await runCli(place, ["config", "set", "budget.day.costUsd", "2.5"]);
  expect(set).toMatchObject({ code: 0, error: "" });
  expect(set.out).toMatch(/^budget\.day\.costUsd: – \(default\) → 2\.5 \(file\)\nit takes effect when Mimikit runs\n/);
  expect(set.out).toContain("mimikit undo");
  expect(text()).toBe("# mine\nport: 9001 # as ever\nbudget:\n  day:\n    costUsd: 2.5\n");

  const list = await runCli(place, ["config", "set", "selfImprove.checks", "npm test, npm run lint", "--json"]);
  expect(JSON.parse(list.out)).toEqual({
    name: "selfImprove.checks",
    before: { value: null, source: "default" },
    after: { value: ["npm test", "npm run lint"], source: "file" },
    needsRestart: false,
  });
  const table = await runCli(place, ["config", "set", "prices", '{"m": {"input": 1, "cached": 0, "output": 2}}']);
  expect(table).toMatchObject({ code: 0 });
  for (const name of ["budget.day.costUsd", "selfImprove.checks", "prices"])
    expect(await runCli(place, ["config", "unset", name])).toMatchObject({ code: 0 });
  expect(text()).toBe("# mine\nport: 9001 # as ever\n");
});

test("what cannot be set is refused: 2 for what was typed, 1 for what is in the way", async () => {
  const home = homeWith("port: 9001\n");
  const place = { home, workDir: home };
  const refused = async (...words: string[]) => {
    const { code, out, error } = await runCli(place, ["config", ...words]);
    expect(out).toBe("");
    return { code, error };
  };
  expect(await refused("set", "maxConcurency", "4")).toEqual({
    code: 2,
    error: "mimikit: there is no setting maxConcurency: did you mean maxConcurrency?\n",
  });
  expect(await refused("set", "budget.day.costUsd", "abc")).toEqual({
    code: 2,
    error: "mimikit: budget.day.costUsd: must be a number, not text\n",
  });
  expect(await refused("set", "port", "-1")).toEqual({
    code: 2,
    error: "mimikit: port: must be at least 1\n",
  });
  expect(await refused("set", "port")).toMatchObject({ code: 2, error: expect.stringContaining("<name> <value>") });
  expect(await refused("show", "port", "1")).toMatchObject({ code: 2 });
  writeFileSync(join(home, "config.yaml"), "port: 9001\nhost: [\n");
  const broken = await refused("set", "port", "9002");
  expect(broken).toMatchObject({ code: 1, error: expect.stringMatching(/line \d of config\.yaml/) });
  expect(readFileSync(join(home, "config.yaml"), "utf8")).toBe("port: 9001\nhost: [\n");
});
