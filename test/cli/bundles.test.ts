/** The real scripts/launch.cjs and scripts/bootstrap.mjs in a small clone, with a builder that bundles one source in a moment. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const SCRIPTS = join(import.meta.dirname, "../../scripts");
const SOURCE = "apps/cli/src/main.ts";

const BUILDER = `
  import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
  import { join } from "node:path";
  import launch from "./launch.cjs";
  const [, , output] = process.argv;
  appendFileSync(join(launch.ROOT, "journal"), "built\\n");
  const source = readFileSync(join(launch.ROOT, "${SOURCE}"), "utf8");
  if (source === "broken") throw new Error("it cannot be parsed");
  mkdirSync(output);
  writeFileSync(join(output, "cli.js"), "import './cli-part-" + source + "1234.js'");
  writeFileSync(join(output, "cli-part-" + source + "1234.js"), source);
  writeFileSync(join(output, ".stamp.json"), JSON.stringify(launch.stampOf(["${SOURCE}"])));
`;

function clone() {
  const root = mkdtempSync(join(tmpdir(), "mimikit-bundles-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const write = (path: string, text: string) => writeFileSync(join(root, path), text);
  for (const dir of ["scripts", "apps/cli/src", "node_modules"]) mkdirSync(join(root, dir), { recursive: true });
  for (const script of ["bootstrap.mjs", "launch.cjs"]) cpSync(join(SCRIPTS, script), join(root, "scripts", script));
  write("scripts/build.mjs", BUILDER);
  write("package-lock.json", "{}");
  write("journal", "");
  write(SOURCE, "one");
  return {
    root,
    write,
    /** Does the first step of `npm start`, the command line and PM2's file before they run anything. */
    makeFresh(): boolean {
      const look = `console.log(require(${JSON.stringify(join(root, "scripts/launch.cjs"))}).makeFresh())`;
      return (
        execFileSync(process.execPath, ["-e", look], { stdio: ["ignore", "pipe", "ignore"] }).toString() === "true\n"
      );
    },
    builds: () => readFileSync(join(root, "journal"), "utf8").split("\n").length - 1,
    programs: () =>
      readdirSync(join(root, "dist"))
        .filter((name) => name.endsWith(".js"))
        .sort(),
    stamp: () => readFileSync(join(root, "dist/.stamp.json"), "utf8"),
  };
}

test("bundles are built where there are none, and not again while their sources stay", () => {
  const { makeFresh, builds, programs } = clone();
  expect([makeFresh(), builds(), programs()]).toEqual([true, 1, ["cli-part-one1234.js", "cli.js"]]);
  expect([makeFresh(), builds()]).toEqual([true, 1]);
});

test("a bundle whose source has changed is built first, also where length and day are as they were", () => {
  const { root, write, makeFresh, builds, programs } = clone();
  makeFresh();
  write(SOURCE, "two");
  utimesSync(join(root, SOURCE), 1, 1);
  expect([makeFresh(), builds()]).toEqual([true, 2]);
  expect(readFileSync(join(root, "dist/cli.js"), "utf8")).toContain("part-two");
  // Running processes of the old bundles may still load a part of them; older ones are gone.
  expect(programs()).toEqual(["cli-part-one1234.js", "cli-part-two1234.js", "cli.js"]);
  write(SOURCE, "six");
  utimesSync(join(root, SOURCE), 2, 2);
  expect([makeFresh(), programs()]).toEqual([true, ["cli-part-six1234.js", "cli-part-two1234.js", "cli.js"]]);
});

test("a source that only looks changed is compared once, and nothing is built", () => {
  const { root, makeFresh, builds, stamp } = clone();
  makeFresh();
  const before = stamp();
  utimesSync(join(root, SOURCE), 1, 1);
  expect([makeFresh(), builds()]).toEqual([true, 1]);
  expect(stamp()).not.toBe(before);
});

test("a source that is gone, and a stamp that a power cut has left empty, are reasons to build", () => {
  const { root, write, makeFresh, builds } = clone();
  makeFresh();
  write("dist/.stamp.json", "");
  expect([makeFresh(), builds()]).toEqual([true, 2]);
  rmSync(join(root, SOURCE));
  expect([makeFresh(), builds()]).toEqual([false, 3]);
});

test("sources that cannot be built start nothing, and the bundles of before are still there", () => {
  const { write, makeFresh, programs } = clone();
  makeFresh();
  write(SOURCE, "broken");
  expect([makeFresh(), programs()]).toEqual([false, ["cli-part-one1234.js", "cli.js"]]);
});

test("an installed package has no sources, and its bundles are what it is", () => {
  const { root, makeFresh, builds } = clone();
  rmSync(join(root, "scripts/build.mjs"));
  expect([makeFresh(), builds()]).toEqual([true, 0]);
});
