/** Folders and variables to install and run a package in, as a user who is not root. */
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { endProcesses, listProcesses } from "@mimikit/runtime/process/process-table";
import { afterAll, beforeAll, expect, inject } from "vitest";
import { freePort } from "../support/free-port.ts";
import { NOBODY, npm, ownNode, PATH, type Ran, ROOT, run, user } from "./npm.ts";

/**
 * A folder of this test file's own, in a path with a space and letters that are not ASCII, for the package of this working tree.
 * At the end, what runs in it is ended, and it is removed.
 */
export function ownDirectory() {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "mimikit 包 é-")));
  let registry = "";
  const packed = inject("packed");

  /** A folder of the user's. */
  function folder(...names: string[]): string {
    const path = join(directory, ...names);
    mkdirSync(path, { recursive: true });
    if (user.uid !== undefined) chownSync(path, NOBODY, NOBODY);
    return path;
  }

  /** The environment of a shell, with nothing of the user who runs the tests. */
  const environment = (home: string, node: string) => ({
    HOME: home,
    PATH: [join(node, ".."), ...PATH].join(delimiter),
  });

  /** The same with npm's cache here, and the registry as this machine reaches it. */
  function npmEnvironment(home: string, node: string): NodeJS.ProcessEnv {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(npm_|NODE_ENV$|NODE_COMPILE_CACHE$|MIMIKIT_|XDG_|TMPDIR$)/i.test(name),
    );
    return {
      ...Object.fromEntries(inherited),
      ...environment(home, node),
      npm_config_cache: packed.cache,
      npm_config_registry: registry,
      npm_config_update_notifier: "false",
    };
  }

  async function runNpm(node: string, args: string[], home: string): Promise<Ran> {
    const further = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
    return run(node, [npm, ...args, ...further], { cwd: home, env: npmEnvironment(home, node), ...user });
  }

  /** The package as another version, with what `change` makes of its folder. @returns its path. */
  async function packageOf(version: string, change: (root: string) => void = () => undefined): Promise<string> {
    const unpacked = folder(`of ${version}`);
    const tar = async (...args: string[]) => {
      const { code, error } = await run("tar", args, { cwd: unpacked });
      expect(code, error).toBe(0);
    };
    await tar("-xzf", packed.tarball);
    const root = join(unpacked, "package");
    const manifest = join(root, "package.json");
    const now = readFileSync(manifest, "utf8");
    writeFileSync(manifest, now.replace(/"version": "[^"]*"/, `"version": "${version}"`));
    change(root);
    const made = join(directory, `mimikit-${version}.tgz`);
    await tar("-czf", made, "package");
    rmSync(unpacked, { recursive: true });
    return made;
  }

  /** The Node that comes along with the packages of a clone, for machines whose own is older: a package needs no other then. */
  function newNode(): string {
    const node = join(folder("node", "bin"), "node");
    const bundled = join(ROOT, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
    if (!existsSync(node)) copyFileSync(existsSync(bundled) ? bundled : process.execPath, node);
    return node;
  }

  /** A user who installs a package with npm, and a directory that shall be the workspace. */
  async function owner(name: string, node: string) {
    const [home, workDir, tmp] = ["home", "work", "tmp"].map((of) => folder(name, of)) as [string, string, string];
    const env = {
      ...npmEnvironment(home, node),
      TMPDIR: tmp,
      MIMIKIT_PORT: String(await freePort()),
      MIMIKIT_PROVIDER: "offline",
    };
    const call = (bin: string, words: readonly string[], further = {}) =>
      run(bin, words, { cwd: workDir, env: { ...env, ...further }, ...user });
    return {
      home,
      workDir,
      tmp,
      env,
      call,
      install: async (...words: string[]) => {
        const { code, error } = await runNpm(node, ["install", ...words], home);
        expect(code, error).toBe(0);
      },
      async json(bin: string, ...words: string[]) {
        const { code, out, error } = await call(bin, [...words, "--json"]);
        expect([words, code, error.match(/^mimikit: .*/m)?.[0]]).toEqual([words, 0, undefined]);
        return JSON.parse(out);
      },
    };
  }

  /** The processes that were started with a variable that names a folder here. */
  const processes = async () =>
    (await listProcesses()).filter(({ environment: of }) =>
      [...of.values()].some((value) => value.startsWith(directory)),
    );

  beforeAll(async () => {
    if (user.uid !== undefined) chownSync(directory, NOBODY, NOBODY);
    registry = (await run(ownNode, [npm, "config", "get", "registry"], { cwd: directory })).out.trim();
  });

  afterAll(async () => {
    await endProcesses(processes, 0);
    rmSync(directory, { recursive: true, force: true });
  });

  return { directory, packed, folder, environment, runNpm, packageOf, newNode, owner, processes };
}
