/** Where nothing can be written, the command line says so, and still shows what can be read. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { prepareHome, whyUnwritable } from "@mimikit/runtime/home/home";
import { expect, onTestFinished, test } from "vitest";
import { CLI } from "../support/programs.ts";

/** Runs the words after it where the directory $0 cannot be written, for root neither. */
const READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';
const mounting = spawnSync("unshare", ["-rm", "sh", "-c", READ_ONLY, tmpdir(), "true"], { encoding: "utf8" });
const canMount = mounting.status === 0;
if (!canMount) console.warn(`read-only.test.ts is left out: ${mounting.error?.message ?? mounting.stderr}`);

function prepare() {
  const directory = mkdtempSync(join(tmpdir(), "mimikit-read-only-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const workDir = join(directory, "work");
  mkdirSync(workDir);
  return { workDir, home: join(workDir, ".mimikit") };
}

/** Runs `mimikit <words>` where `dir` is on a read-only file system. */
async function run({ home, workDir }: { home: string; workDir: string }, dir: string, words: readonly string[]) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("MIMIKIT_"));
  const child = spawn("unshare", ["-rm", "sh", "-c", READ_ONLY, dir, process.execPath, CLI, ...words], {
    env: { ...Object.fromEntries(inherited), MIMIKIT_HOME: home, MIMIKIT_WORK_DIR: workDir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: child.exitCode, out, error };
}

test.skipIf(!canMount)("up names the read-only file system, and starts nothing", async () => {
  const place = prepare();
  prepareHome(place.home);
  expect(await run(place, place.home, ["up"])).toEqual({
    code: 1,
    out: "",
    error: `mimikit: ${place.home} is on a read-only file system: make it writable, or set MIMIKIT_HOME to a directory that is\n`,
  });
  expect(readdirSync(place.home)).not.toContain("pm2");
});

test.skipIf(!canMount)("up names the directory in which no state directory can be made", async () => {
  const place = prepare();
  const { error } = await run(place, place.workDir, ["up"]);
  expect(error).toContain(`${place.workDir} is on a read-only file system`);
});

test.skipIf(!canMount)("status shows what is there, and names the read-only file system", async () => {
  const place = prepare();
  prepareHome(place.home);
  const problem = `${place.home} is on a read-only file system`;
  const said = await run(place, place.home, ["status"]);
  expect(said).toMatchObject({ code: 3, out: expect.stringContaining(`! ${problem}`) });
  expect(said.error).toMatch(/is not running/);
  const { out } = await run(place, place.home, ["status", "--json"]);
  expect(JSON.parse(out)).toMatchObject({ ready: false, problems: [problem] });
});

test.skipIf(!canMount)("doctor names the read-only file system, and ends none of its checks for it", async () => {
  const place = prepare();
  prepareHome(place.home);
  const { code, out } = await run(place, place.home, ["doctor", "--json"]);
  expect(code).toBe(1);
  const { checks } = JSON.parse(out) as { checks: { name: string; level: string; message: string }[] };
  const home = `${place.home} is on a read-only file system`;
  expect(checks).toContainEqual(expect.objectContaining({ name: "home", level: "fail", message: home }));
  expect(checks).toContainEqual(expect.objectContaining({ name: "records", level: "ok" }));
  expect(checks.at(-1)?.name).toBe("records");
});

test("a directory that can be written has no problem, and one that is not there has that of the one above it", () => {
  const { home, workDir } = prepare();
  expect([whyUnwritable(workDir), whyUnwritable(home), whyUnwritable(join(home, "a/b"))]).toEqual([null, null, null]);
});
