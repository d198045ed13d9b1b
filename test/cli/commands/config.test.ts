/** `mimikit config` as people run it, and the mistakes that it finds. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
