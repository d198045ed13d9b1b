/** A state directory on a file system without hard links: the kernel answers as FAT and some network shares do (a seccomp filter). */
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepareHome, whyNoLinks } from "@mimikit/runtime/home/home";
import { expect, test } from "vitest";
import { findProgram } from "../../../scripts/bench/measure/find-program.ts";
import { CLI } from "../../support/programs.ts";
import { temporaryDirectory, temporaryHome } from "../temporary-home.ts";

const SENTENCE = (home: string) =>
  `${home} cannot hold a state directory: its file system has no hard links, as exFAT and some network shares; set MIMIKIT_HOME to a directory on another one`;
const ERRNO = { EPERM: 1, EOPNOTSUPP: 95, ENOSYS: 38 };
/** link and linkat. */
const CALLS: Partial<Record<string, readonly number[]>> = { x64: [86, 265], arm64: [37] };

/** A classic BPF program: these system calls fail with `errno`, all others are done. */
function filter(calls: readonly number[], errno: number): Buffer {
  const program = [
    { code: 0x20, jt: 0, jf: 0, k: 0 },
    ...calls.map((k, at) => ({ code: 0x15, jt: calls.length - at, jf: 0, k })),
    { code: 0x06, jt: 0, jf: 0, k: 0x7fff_0000 },
    { code: 0x06, jt: 0, jf: 0, k: 0x0005_0000 + errno },
  ];
  const bytes = Buffer.alloc(8 * program.length);
  for (const [at, { code, jt, jf, k }] of program.entries()) {
    bytes.writeUInt16LE(code, 8 * at);
    bytes.writeUInt8(jt, 8 * at + 2);
    bytes.writeUInt8(jf, 8 * at + 3);
    bytes.writeUInt32LE(k, 8 * at + 4);
  }
  return bytes;
}

const calls = CALLS[process.arch];
const canFilter =
  calls !== undefined &&
  findProgram("bwrap") !== null &&
  spawnSync("bwrap", ["--dev-bind", "/", "/", "true"]).status === 0;

/** Runs `mimikit <words>` where no file gets a second name. */
function withoutLinks(home: string, errno: number, ...words: string[]) {
  const path = join(temporaryDirectory(), "filter");
  writeFileSync(path, filter(calls ?? [], errno));
  const file = openSync(path, "r");
  try {
    const env = {
      ...process.env,
      MIMIKIT_HOME: home,
      MIMIKIT_WORK_DIR: join(home, ".."),
      LC_ALL: "C",
      HOME: join(home, ".."),
    };
    const args = ["--dev-bind", "/", "/", "--seccomp", "3", process.execPath, CLI, ...words];
    return spawnSync("bwrap", args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe", file] });
  } finally {
    closeSync(file);
  }
}

test.runIf(canFilter).each(Object.entries(ERRNO))(
  "up names it in one sentence, where link is answered with %s",
  (_name, errno) => {
    const home = join(temporaryDirectory(), "home");
    const { status, stdout, stderr } = withoutLinks(home, errno, "up", "--yes");
    expect([status, stdout, stderr]).toEqual([1, "", `mimikit: ${SENTENCE(home)}\n`]);
    expect(existsSync(home)).toBe(false);
  },
);

test.runIf(canFilter)("doctor names it in a home that was moved there, and reading goes on", () => {
  const home = temporaryHome();
  const { status, stdout } = withoutLinks(home, ERRNO.EPERM, "doctor", "--json");
  const { checks } = JSON.parse(stdout) as { checks: { name: string; level: string; message: string }[] };
  expect(status).toBe(1);
  expect(checks.filter(({ name }) => name === "home")).toMatchObject([{ level: "fail", message: SENTENCE(home) }]);
  expect(withoutLinks(home, ERRNO.EPERM, "tasks", "--json")).toMatchObject({ status: 0, stderr: "" });
  expect(withoutLinks(home, ERRNO.EPERM, "up", "--yes").stderr).toBe(`mimikit: ${SENTENCE(home)}\n`);
});

test("where there are links it says nothing, and leaves nothing", () => {
  const home = temporaryHome();
  expect(whyNoLinks(home)).toBeNull();
  prepareHome(home);
  expect(spawnSync("find", [home, "-name", "link-*"], { encoding: "utf8" }).stdout).toBe("");
});
