/** Updates of a package that npm has installed into a folder. */
import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { endProcesses } from "@mimikit/runtime/process/process-table";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { ownDirectory } from "./installation.ts";
import { ROOT } from "./npm.ts";

const TEST_MS_MAX = 290_000;
const NEXT = "0.99.0";
const isRoot = process.getuid?.() === 0;

const { directory, packed, folder, packageOf, newNode, owner, processes } = ownDirectory();

const template = folder("template");
beforeAll(async () => {
  const { install } = await owner("first", newNode());
  await install("--prefix", template, "--omit=optional", packed.tarball);
}, TEST_MS_MAX);

/** An installation in a folder, whose Node is new enough: what npm has installed once, copied with its owner. */
async function installed(name: string, prefix = folder(name, "prefix")) {
  const of = await owner(name, newNode());
  execFileSync("cp", ["-a", `${template}/.`, prefix]);
  const modules = join(prefix, "node_modules");
  const root = join(modules, "mimikit");
  const bin = join(modules, ".bin/mimikit");
  const version = () => JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version as string;
  onTestFinished(async () => void (await endProcesses(processes, 0)));
  return {
    ...of,
    modules,
    root,
    version,
    mimikit: (...words: string[]) => of.call(bin, words),
    callWith: (env: object, ...words: string[]) => of.call(bin, words, env),
    json: (...words: string[]) => of.json(bin, ...words),
    /** Nothing of an update is left. */
    expectTidy() {
      expect(readdirSync(modules).filter((entry) => entry.startsWith(".mimikit"))).toEqual([]);
      expect(readdirSync(root).filter((entry) => entry.startsWith(".mimikit"))).toEqual([]);
    },
  };
}

/** Replaces a part of a file of a package. */
const replacing = (path: string, before: string, after: string) => (root: string) => {
  const text = readFileSync(join(root, path), "utf8");
  expect(text).toContain(before);
  writeFileSync(join(root, path), text.replace(before, after));
};

test("what is no newer package of Mimikit is refused in words, and nothing is changed", {
  timeout: TEST_MS_MAX,
}, async () => {
  const { mimikit, json, root, version, expectTidy, workDir } = await installed("refusals");
  const now = version();
  const refusal = async (...words: string[]) => {
    const { code, error } = await mimikit("update", ...words);
    expect([words, code]).toEqual([words, expect.toBeOneOf([1, 2])]);
    return error.match(/^mimikit: .*/m)?.[0];
  };
  expect(await refusal()).toMatch(/Mimikit is not published: get mimikit-<version>\.tgz .* update --from/);
  // A package of this name in npm's registry is somebody else's.
  expect(await refusal("--from", "mimikit")).toBe(
    `mimikit: there is no file and no folder ${join(workDir, "mimikit")}`,
  );
  expect(await refusal("--from", "http://example.com/mimikit-9.0.0.tgz")).toMatch(
    /could be changed on its way: use https/,
  );
  expect(await refusal("--from", ROOT)).toMatch(/is a clone: run {2}npm pack {2}there/);
  expect(await refusal("--from", packed.tarball)).toBe(`mimikit: Mimikit ${now} is what is here already`);
  const older = await packageOf("0.0.9");
  expect(await refusal("--from", older)).toMatch(`0.0.9 is older than ${now}, which is here`);
  const foreign = await packageOf("9.0.0", replacing("package.json", '"name": "mimikit"', '"name": "other"'));
  expect(await refusal("--from", foreign)).toMatch(/is a package of other, not of Mimikit$/);
  const torn = join(directory, "torn.tgz");
  writeFileSync(torn, readFileSync(packed.tarball).subarray(0, 100_000));
  expect(await refusal("--from", torn)).toMatch(/^mimikit: npm pack failed: .+/);

  const next = await packageOf(NEXT);
  expect(await json("update", "--check", "--from", next)).toMatchObject({
    isNew: true,
    newVersion: NEXT,
    updated: false,
  });
  expect(await json("update", "--check", "--from", older)).toMatchObject({ isNew: false, updated: false });
  expect(version()).toBe(now);
  if (isRoot) {
    for (const path of [root, join(root, "..")]) chownSync(path, 0, 0);
    expect(await refusal("--from", next)).toMatch(
      /belongs to another user than the state: run .* down && sudo npm install --prefix '.+' '.+' && .* up$/,
    );
    expect(version()).toBe(now);
  }
  expectTidy();
});

test("a new package that does not answer changes nothing, one that does not start is taken back, and a good one is taken", {
  timeout: 2 * TEST_MS_MAX,
}, async () => {
  const { mimikit, json, root, version, expectTidy } = await installed("failures");
  await json("up");
  const now = version();
  // The code that Node has compiled stands beside it.
  const files = () => (readdirSync(root, { recursive: true }) as string[]).filter((path) => !path.includes(".cache"));
  const before = files().sort();
  const roles = async () => JSON.stringify((await json("status")).processes);
  const running = await roles();
  const mute = await packageOf("0.98.0", (fresh) => {
    writeFileSync(join(fresh, "dist/worker-pool.js"), 'throw new Error("broken on purpose");');
  });
  expect(await mimikit("update", "--from", mute)).toMatchObject({
    code: 1,
    error: expect.stringMatching(/^mimikit: nothing was changed: .+$/m),
  });
  expect([version(), await roles()]).toEqual([now, running]);
  expectTidy();

  const unstartable = await packageOf(
    "0.98.1",
    replacing("ecosystem.config.cjs", "const node =", 'fail("broken on purpose");\nconst node ='),
  );
  expect(await mimikit("update", "--from", unstartable)).toMatchObject({
    code: 1,
    error: expect.stringMatching(
      /^mimikit: reverted to the previous version, which is running: up: pm2 startOrRestart failed: /m,
    ),
  });
  expect(await json("status")).toMatchObject({ version: now, ready: true });
  expect(files().sort()).toEqual(before);
  expectTidy();

  expect(await json("update", "--from", await packageOf(NEXT))).toMatchObject({ updated: true, restarted: true });
  expect(await json("status")).toMatchObject({ version: NEXT, ready: true });
  expectTidy();
  expect((await mimikit("down")).code).toBe(0);
});

/** Ends an update as kill -9 does, before it makes the first rename to a path that ends so. */
const killBefore = (path: string) => `
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  const { renameSync } = fs;
  fs.renameSync = (from, to) => {
    if (String(to).endsWith(${JSON.stringify(path)})) process.kill(process.pid, "SIGKILL");
    return renameSync(from, to);
  };
  syncBuiltinESMExports();`;

test("an update that is killed while files are exchanged is taken back by the next command, whichever it is", {
  timeout: 2 * TEST_MS_MAX,
}, async () => {
  const { mimikit, callWith, json, version, root, expectTidy } = await installed("kills");
  await json("up");
  const now = version();
  const next = await packageOf(NEXT);
  // The programs are away; all is new but what starts a command. Each other rename: test/cli/update/exchange.test.ts.
  const moments = [
    ["status", "prefix/node_modules/mimikit/dist"],
    ["up", "prefix/node_modules/mimikit/apps/cli/bin/mimikit.mjs"],
  ] as const;
  for (const [command, path] of moments) {
    const preload = join(directory, "kill.mjs");
    writeFileSync(preload, killBefore(path));
    const killed = await callWith({ NODE_OPTIONS: `--import "${pathToFileURL(preload)}"` }, "update", "--from", next);
    expect([path, killed.code, existsSync(join(root, ".mimikit-update.json"))]).toEqual([path, null, true]);
    const after = await mimikit(command, "--json");
    expect([path, after.error]).toEqual([path, expect.stringContaining("an update was cut off, and is taken back")]);
    expect([path, version()]).toEqual([path, now]);
    expect((await json("up")).status).toMatchObject({ ready: true, version: now });
    expectTidy();
  }
  expect((await mimikit("down")).code).toBe(0);
});

test("a disk without room for the new version is said, and nothing is changed", { timeout: TEST_MS_MAX }, async ({
  skip,
}) => {
  const small = folder("small", "prefix");
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=70m,mode=777", "tmpfs", small]);
  if (mounted.status !== 0) skip("a small disk can only be mounted by root");
  onTestFinished(() => void spawnSync("umount", ["-l", small]));
  const { mimikit, json, version, expectTidy } = await installed("small", small);
  const now = version();
  await json("up");
  const { code, error } = await mimikit("update", "--from", await packageOf(NEXT));
  expect([code, error.match(/^mimikit: .*/m)?.[0]]).toEqual([
    1,
    expect.stringMatching(/^mimikit: nothing was changed: the disk of .+ has \d+ MB left, and 100 are needed$/),
  ]);
  expectTidy();
  expect(await json("status")).toMatchObject({ version: now, ready: true });
  expect((await mimikit("down")).code).toBe(0);
});
