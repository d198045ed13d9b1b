/**
 * The package of `npm pack`, as its users have it: installed into an empty prefix, in a path with a space and letters
 * that are not ASCII, as a user who is not root, on each Node that it is for; and there it does the main job.
 */
import { copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { ownDirectory } from "./installation.ts";
import { ownNode, ROOT, run, user } from "./npm.ts";

const MB = 1_048_576;
/** With room for 0.34 MB: of 6.66 MB, BullMQ and ioredis have 0.4 MB, the program that takes the text out of documents 64 KB, and html-to-text, which reads pages of the web, 55 KB. */
const PACKED_BYTES_MAX = 7 * MB;
/** Without Node itself, which comes along where the machine's may be too old. */
const INSTALLED_BYTES_MAX = 80 * MB;
const PLATFORM = `${process.platform}-${process.arch}`;

const { packed, folder, environment, runNpm, processes } = ownDirectory();

function bytesIn(path: string): number {
  const info = lstatSync(path);
  if (!info.isDirectory()) return info.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
}

test("the package is small, and holds the programs, the page, the licences, and neither sources nor tests", () => {
  expect(lstatSync(packed.tarball).size).toBeLessThanOrEqual(PACKED_BYTES_MAX);
  for (const path of [
    "dist/cli.js",
    "dist/supervisor.js",
    "dist/LICENSES.txt",
    "apps/web/dist/index.html",
    "NOTICE",
    "LICENSE",
  ])
    expect(packed.files).toContain(path);
  expect(
    packed.files.filter((path) => /\.tsx?$|\.map$|\.test\.|(^|\/)(test|src|node_modules)\/|stamp/.test(path)),
  ).toEqual([]);
});

/** The Node of this machine, and others as packages of the registry. */
const NODES = ["of the machine", "22.23.3", "24.21.0"] as const;

/** A Node of this version; null where the registry has none for this machine. */
async function findNode(version: (typeof NODES)[number]): Promise<string | null> {
  if (version === "of the machine") return ownNode;
  const home = folder(`node ${version}`);
  const node = join(home, "node_modules", `node-${PLATFORM}`, "bin/node");
  const bundled = join(ROOT, "node_modules", `node-${PLATFORM}`);
  if (existsSync(bundled) && process.versions.node === version) {
    mkdirSync(join(node, ".."), { recursive: true });
    copyFileSync(join(bundled, "bin/node"), node);
    return node;
  }
  const { code, error } = await runNpm(ownNode, ["install", "--prefix", home, `node-${PLATFORM}@${version}`], home);
  if (code !== 0 && !/\b(E404|ETARGET)\b/.test(error)) throw new Error(error);
  return code === 0 ? node : null;
}

describe.each(NODES)("on Node %s", (version) => {
  test("it is installed into an empty prefix, does the main job, and leaves nothing behind", async ({ skip }) => {
    const node = await findNode(version);
    if (node === null) return skip(`the registry has no Node ${version} for ${PLATFORM}`);
    const prefix = folder(`prefix ${version}`);
    const home = folder(`home ${version}`);
    const workDir = folder(`work ${version}`);
    // A Node that is new enough needs none that comes along.
    const omitted = version === "of the machine" ? [] : ["--omit=optional"];
    const installed = await runNpm(node, ["install", "--prefix", prefix, packed.tarball, ...omitted], home);
    expect(installed.code, installed.error).toBe(0);
    const modules = join(prefix, "node_modules");
    const nodes = readdirSync(modules).filter((name) => name.startsWith("node-"));
    const nodeBytes = nodes.reduce((sum, name) => sum + bytesIn(join(modules, name)), 0);
    expect(bytesIn(modules) - nodeBytes).toBeLessThanOrEqual(INSTALLED_BYTES_MAX);

    const bin = join(modules, ".bin/mimikit");
    const env = {
      ...environment(home, node),
      MIMIKIT_WORK_DIR: workDir,
      MIMIKIT_PORT: String(await freePort()),
      MIMIKIT_PROVIDER: "offline",
    };
    const mimikit = (...words: string[]) => run(bin, words, { cwd: workDir, env, ...user });
    const up = await mimikit("up");
    expect([up.code, up.error]).toEqual([0, ""]);
    expect(up.out).toContain(`'${bin}' pair`);
    const asked = await mimikit("ask", "--timeout", "60", "run `echo a` then `echo b`");
    expect(asked.code, asked.error).toBe(0);
    expect(asked.out).toMatch(/Both are done\.[\s\S]*```\na\n```[\s\S]*```\nb\n```/);
    const status = await mimikit("status", "--json");
    expect(JSON.parse(status.out)).toMatchObject({ ready: true, workDir });
    const doctor = await mimikit("doctor", "--json");
    expect(doctor.out).not.toContain("npm start");
    expect((await mimikit("down")).code).toBe(0);
    // A package has no scripts of npm: remedies are commands of its own.
    expect((await mimikit("doctor", "--json")).out).not.toContain("npm start");
    expect(await processes()).toEqual([]);

    const removed = await runNpm(node, ["uninstall", "--prefix", prefix, "mimikit", ...omitted], home);
    expect(removed.code, removed.error).toBe(0);
    expect(existsSync(join(modules, "mimikit"))).toBe(false);
    expect(readdirSync(workDir)).toEqual([".mimikit"]);
  });
});
