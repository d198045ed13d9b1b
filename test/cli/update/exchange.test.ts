/** The real scripts/exchange.mjs, killed at each of its steps. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const SCRIPT = pathToFileURL(join(import.meta.dirname, "../../../scripts/exchange.mjs")).href;
const { STAYS, partsOf } = (await import(SCRIPT)) as { STAYS: string[]; partsOf(root: string): string[] };

/** Calls a function of the script in a process that ends itself, as kill -9 does, before its step number `killedAt`. */
const CALL = `
  const [, script, name, killedAt, ...args] = process.argv;
  const fs = require("node:fs");
  let steps = 0;
  for (const step of ["linkSync", "renameSync"]) {
    const real = fs[step];
    fs[step] = (...given) => {
      if (++steps > Number(killedAt)) process.kill(process.pid, "SIGKILL");
      return real(...given);
    };
  }
  require("node:module").syncBuiltinESMExports();
  import(script).then((module) => module[name](...args.map((arg) => JSON.parse(arg))));`;

const OF_BEFORE = ["package.json", "dist/cli.js", "dist/cli-before.js", "node_modules/pm2/a.js", "only-before.txt"];
const OF_NEXT = ["package.json", "dist/cli.js", "dist/cli-next.js", "node_modules/pm2/a.js", "apps/web/dist/x.js"];
const KEPT_STAYS = STAYS.length;

function folders() {
  const directory = mkdtempSync(join(tmpdir(), "mimikit-exchange-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const [root = "", fresh = "", old = "", discarded = ""] = ["root", "fresh", "old", "discarded"].map((name) =>
    join(directory, name),
  );
  const write = (of: string, paths: readonly string[], text: string) => {
    for (const path of paths) {
      mkdirSync(dirname(join(of, path)), { recursive: true });
      writeFileSync(join(of, path), text);
    }
  };
  write(root, [...STAYS, "apps/cli/bin/other.mjs", ...OF_BEFORE], "before");
  write(fresh, [...STAYS, ...OF_NEXT], "next");
  // Both signals and exit codes: a child that is not killed must have ended well.
  const call = (name: string, killedAt: number, ...args: unknown[]) => {
    const words = [SCRIPT, name, String(killedAt), ...args.map((arg) => JSON.stringify(arg))];
    const { status, signal, stderr } = spawnSync(process.execPath, ["-e", CALL, ...words], { encoding: "utf8" });
    expect([signal === "SIGKILL" || status === 0, stderr]).toEqual([true, ""]);
    return signal === "SIGKILL";
  };
  return { root, fresh, old, discarded, call };
}

const contentsOf = (root: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map((path) => [path.slice(root.length + 1), readFileSync(path, "utf8")]),
  );

test("after an exchange, what is in place is the next version and nothing else", () => {
  const { root, fresh, old, call } = folders();
  const next = contentsOf(fresh);
  expect(call("putInPlace", Number.POSITIVE_INFINITY, root, fresh, old)).toBe(false);
  expect(contentsOf(root)).toEqual(next);
});

test("killed at any step, twice, it is put back as it was, and what starts a command was there all the time", () => {
  for (let killedAt = 0, wasKilled = true; wasKilled; killedAt++) {
    const { root, fresh, old, discarded, call } = folders();
    const before = contentsOf(root);
    const had = partsOf(root);
    wasKilled = call("putInPlace", killedAt, root, fresh, old);
    const isThere = () => STAYS.filter((path) => existsSync(join(root, path))).length;
    expect([killedAt, isThere()]).toEqual([killedAt, KEPT_STAYS]);
    // Each further kill comes one step later than the one before it.
    for (let again = 0; call("putBack", again, root, old, had, discarded); again++)
      expect([killedAt, again, isThere()]).toEqual([killedAt, again, KEPT_STAYS]);
    expect([killedAt, contentsOf(root)]).toEqual([killedAt, before]);
    expect(killedAt > 0 || wasKilled).toBe(true);
  }
});
