/** How the command line is called where a hint is printed. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { commandName } from "@mimikit/runtime/home/command-name";
import { ROOT } from "@mimikit/runtime/home/programs";
import { expect, onTestFinished, test } from "vitest";

function folder(...names: string[]): string {
  const dir = mkdtempSync(join(tmpdir(), "mimikit-name-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, ...names), { recursive: true });
  return join(dir, ...names);
}

/** The shell's name for it is the program that runs. */
const asPath = (path: string) => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path}'`);
const OWN_PATH = asPath(join(ROOT, "mimikit"));

test("where the shell finds this one by its name, the name is the command", () => {
  const dir = folder();
  symlinkSync(join(ROOT, "mimikit"), join(dir, "mimikit"));
  expect(commandName({ PATH: ["/nowhere", dir].join(delimiter) })).toBe("mimikit");
});

test("where it finds none, or another, the path is", () => {
  const dir = folder();
  expect(commandName({ PATH: dir })).toBe(OWN_PATH);
  expect(commandName({})).toBe(OWN_PATH);
  writeFileSync(join(dir, "mimikit"), "of somebody else");
  expect(commandName({ PATH: dir })).toBe(OWN_PATH);
});

test("what only npm's own PATH has is not what the shell finds", () => {
  const dir = folder("node_modules", ".bin");
  symlinkSync(join(ROOT, "apps/cli/bin/mimikit.mjs"), join(dir, "mimikit"));
  expect(commandName({ PATH: dir })).toBe(OWN_PATH);
});
