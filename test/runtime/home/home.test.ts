import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { copyPath, stateBackups } from "@mimikit/runtime/home/copies";
import { HomeError, prepareHome, readToken, resolveHome } from "@mimikit/runtime/home/home";
import { DIRECTORIES } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { temporaryDirectory, temporaryHome } from "../temporary-home.ts";

const modeOf = (path: string) => statSync(path).mode & 0o777;

/** These tests are called in Mimikit's own folder. */
const APART = resolveHome({ HOME: "/nobody" }).chosen === "kept" ? process.cwd() : "/nobody/mimikit";

test("the workspace is what a variable names or where it was called, and the state is in it", () => {
  expect(resolveHome({ HOME: "/nobody" })).toMatchObject({ workDir: APART, home: join(APART, ".mimikit") });
  expect(resolveHome({ MIMIKIT_WORK_DIR: "/a" })).toMatchObject({ workDir: "/a", home: "/a/.mimikit" });
  expect(resolveHome({ MIMIKIT_WORK_DIR: "/a", MIMIKIT_HOME: "/b" })).toMatchObject({ workDir: "/a", home: "/b" });
});

test("npm start means the directory that npm was called in, and other npm scripts do not", () => {
  expect(resolveHome({ npm_lifecycle_event: "start", INIT_CWD: "/there" }).workDir).toBe("/there");
  expect(resolveHome({ npm_lifecycle_event: "test", INIT_CWD: "/there", HOME: "/nobody" }).workDir).toBe(APART);
});

test("every directory of the protocol exists and is private, also where it was open before", () => {
  const home = join(temporaryDirectory(), "home");
  mkdirSync(join(home, "inbox"), { recursive: true, mode: 0o755 });
  chmodSync(home, 0o755);
  prepareHome(home);
  for (const dir of ["", ...DIRECTORIES]) expect([dir, modeOf(join(home, dir))]).toEqual([dir, 0o700]);
});

test("the token has 256 bits, is private, and stays the same at the next start", () => {
  const home = temporaryHome();
  const token = readToken(home);
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  expect(modeOf(join(home, "token"))).toBe(0o600);
  prepareHome(home);
  expect(readToken(home)).toBe(token);
  expect(readdirSync(join(home, "tmp"))).toEqual([]);
});

test("eight processes that start at once agree on one token", async () => {
  const home = join(temporaryDirectory(), "home");
  const script = `import { prepareHome, readToken } from "@mimikit/runtime/home/home"; prepareHome(process.argv[1]); console.log(readToken(process.argv[1]));`;
  const tokens = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", script, home], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      let output = "";
      child.stdout.on("data", (chunk) => {
        output += String(chunk);
      });
      await once(child, "close");
      return output.trim();
    }),
  );
  expect(new Set(tokens)).toEqual(new Set([readToken(home)]));
});

test("a token that others can read is refused, with the command that repairs it", () => {
  const home = temporaryHome();
  const token = join(home, "token");
  chmodSync(token, 0o644);
  expect(() => prepareHome(home)).toThrow(
    new HomeError(`${token} can be read by others (mode 644): run  chmod 600 '${token}'`),
  );
});

test("a token that is a link, a pipe, a directory or no token is refused without waiting for it", () => {
  for (const plant of [
    (path: string) => symlinkSync("/etc/hostname", path),
    (path: string) => void execFileSync("mkfifo", ["-m", "600", path]),
    (path: string) => mkdirSync(path, { mode: 0o700 }),
    (path: string) => writeFileSync(path, "short", { mode: 0o600 }),
  ]) {
    const home = temporaryHome();
    unlinkSync(join(home, "token"));
    plant(join(home, "token"));
    expect(() => prepareHome(home)).toThrow(HomeError);
  }
});

test("a home that was never started has no token, and reading it creates none", () => {
  const home = temporaryDirectory();
  expect(() => readToken(home)).toThrow(/nothing was started here yet/);
  expect(readdirSync(home)).toEqual([]);
});

test("a token is never written twice: the file of the first start is untouched", () => {
  const home = temporaryHome();
  const before = readFileSync(join(home, "token"), "utf8");
  prepareHome(home);
  expect(readFileSync(join(home, "token"), "utf8")).toBe(before);
});

test("a state directory keeps itself from git, also one that an earlier version made", () => {
  const home = join(temporaryDirectory(), "home");
  prepareHome(home);
  rmSync(join(home, ".gitignore"));
  prepareHome(home);
  expect(readFileSync(join(home, ".gitignore"), "utf8")).toBe("*\n");
  writeFileSync(join(home, ".gitignore"), "mine\n");
  prepareHome(home);
  expect(readFileSync(join(home, ".gitignore"), "utf8")).toBe("mine\n");
});

test("copies of a state that lie beside it are moved into it, and other neighbours stay", () => {
  const home = join(temporaryDirectory(), "home");
  prepareHome(home);
  mkdirSync(`${home}.before-2026-11-28t10`);
  writeFileSync(join(`${home}.before-2026-11-28t10`, "token"), "old");
  writeFileSync(`${home}.state-1-2026-11-28t10.tar.gz`, "backup");
  writeFileSync(`${home}.notes`, "");
  prepareHome(home);
  const found = ["found-before-2026-11-28t10", "found-state-1-2026-11-28t10.tar.gz"];
  expect(readdirSync(join(home, "copies")).sort()).toEqual(found);
  expect(readdirSync(dirname(home)).sort()).toEqual(["home", "home.notes"]);
  // A model can write beside a state directory in the workspace, so no backup that was found there is ever restored by itself.
  expect(stateBackups(home)).toEqual([]);
  const made = copyPath(home, "state", "1");
  writeFileSync(made, "");
  expect(stateBackups(home)).toEqual([made]);
});

const ANOTHER_USER = 65_534;

// Only root can give a directory to another user.
test.runIf(process.getuid?.() === 0)("46 a state directory of another user is refused, also behind a link", () => {
  const dir = temporaryDirectory();
  const home = join(dir, "theirs");
  mkdirSync(home);
  chownSync(home, ANOTHER_USER, ANOTHER_USER);
  symlinkSync(home, join(dir, "link"));
  for (const path of [home, join(dir, "link")])
    expect(() => prepareHome(path)).toThrow(/belongs to another user \(uid 65534\): choose another MIMIKIT_HOME/);
  expect(readdirSync(home)).toEqual([]);
});

test.runIf(process.getuid?.() === 0)("46 so is one of ours in which a directory belongs to another user", () => {
  const home = temporaryHome();
  chownSync(join(home, "inbox"), ANOTHER_USER, ANOTHER_USER);
  expect(() => prepareHome(home)).toThrow(HomeError);
});
