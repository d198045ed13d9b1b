import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openHome } from "@mimikit/runtime/home/adoption";
import { HomeError, prepareHome } from "@mimikit/runtime/home/home";
import { latestOf, MIGRATIONS, migrationsAfter, readStateVersion } from "@mimikit/runtime/home/state-version";
import { VERSION } from "@mimikit/runtime/home/version";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../temporary-home.ts";

const KNOWN = latestOf(MIGRATIONS);

test("the migrations lead from version 0 to the newest, one step after the other", () => {
  expect(MIGRATIONS.map(({ to }) => to)).toEqual(Array.from({ length: KNOWN }, (_, i) => i + 1));
  expect(migrationsAfter(0)).toEqual(MIGRATIONS);
  expect(migrationsAfter(KNOWN)).toEqual([]);
});

test("a new state directory says its version, and so does one of before after its next start", () => {
  const fresh = join(temporaryDirectory(), "home");
  openHome(fresh, { MIMIKIT_HOME: fresh });
  expect(readStateVersion(fresh)).toEqual({ state: KNOWN, program: VERSION });
  const old = join(temporaryDirectory(), "home");
  prepareHome(old);
  expect(readStateVersion(old)).toEqual({ state: 0, program: "" });
  openHome(old, { MIMIKIT_HOME: old });
  expect(readStateVersion(old)).toEqual({ state: KNOWN, program: VERSION });
});

test("a state directory that is not adopted is not stamped", () => {
  const workDir = temporaryDirectory();
  const home = join(workDir, ".mimikit");
  prepareHome(home);
  expect(openHome(home, { MIMIKIT_WORK_DIR: workDir, XDG_STATE_HOME: temporaryDirectory() })).toBe(false);
  expect(readStateVersion(home).state).toBe(0);
});

test.each([
  [
    "of a newer version",
    '{"state":7,"program":"9.9.9"}\n',
    /is of version 7, written by Mimikit 9\.9\.9, and Mimikit \S+ knows up to \d+: /,
  ],
  ["that says no version", "{}\n", /version\.json says no version: /],
])("a state %s is refused in words, and nothing in it is touched", (_, text, words) => {
  const home = join(temporaryDirectory(), "home");
  mkdirSync(home);
  writeFileSync(join(home, "version.json"), text);
  expect(() => openHome(home, { MIMIKIT_HOME: home })).toThrow(HomeError);
  expect(() => openHome(home, { MIMIKIT_HOME: home })).toThrow(words);
  expect(readFileSync(join(home, "version.json"), "utf8")).toBe(text);
  expect(() => readFileSync(join(home, "token"))).toThrow(/ENOENT/);
});
