/** `mimikit doctor` proves by trying whether a Worker's shell reaches the state directory. */
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { findSandbox } from "@mimikit/agent/shell/sandbox";
import { prepareHome } from "@mimikit/runtime/home/home";
import { expect, onTestFinished, test } from "vitest";
import { findAgent } from "../../support/agents.ts";

const MIMIKIT = join(import.meta.dirname, "../../../apps/cli/bin/mimikit.mjs");
const isThere = "program" in (await findSandbox());
const codex = findAgent("codex");

interface Found {
  name: string;
  level: string;
  message: string;
  next?: string;
}

/** Doctor's finding about the sandbox, or something else, of a fresh state directory. */
async function examine(env: Record<string, string> = {}, name = "sandbox"): Promise<{ checks: Found[]; home: string }> {
  const directory = mkdtempSync(join(tmpdir(), "mimikit-doctor-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const home = join(directory, ".mimikit");
  prepareHome(home);
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("MIMIKIT_")));
  const run = promisify(execFile)(process.execPath, [MIMIKIT, "doctor", "--json"], {
    cwd: directory,
    env: { ...inherited, MIMIKIT_WORK_DIR: directory, MIMIKIT_HOME: home, MIMIKIT_PROVIDER: "offline", ...env },
  });
  // Doctor ends with 1 where anything is wrong, here: nothing of the instance runs.
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  const { checks } = JSON.parse(stdout) as { checks: Found[] };
  return { checks: checks.filter((each) => each.name === name), home };
}

/** A PATH with a `bwrap` that says why it does not work, as where user namespaces are off. */
function brokenPath(): string {
  const path = mkdtempSync(join(tmpdir(), "mimikit-doctor-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "bwrap"), "#!/bin/sh\necho 'No permissions to create new namespace' >&2\nexit 1\n");
  chmodSync(join(path, "bwrap"), 0o755);
  return [path, dirname(process.execPath)].join(delimiter);
}

test.skipIf(!isThere)("a sandbox that works is shown to work, and the attempt leaves nothing behind", async () => {
  const { checks, home } = await examine({
    MIMIKIT_PROVIDER: "openai",
    OPENAI_BASE_URL: "http://127.0.0.1:9/v1",
    MIMIKIT_MODEL: "none",
  });
  expect(checks).toEqual([
    expect.objectContaining({ level: "ok", message: expect.stringContaining("have no shell") }),
    expect.objectContaining({
      level: "ok",
      message: expect.stringContaining("Worker on openai tried to read and to write the state directory"),
    }),
    expect.objectContaining({ level: "ok", message: "a Worker on openai can write in the workspace" }),
    expect.objectContaining({
      level: "ok",
      message: "a read-only skill on openai tried to reach a server of this machine, and could not",
    }),
    expect.objectContaining({
      level: "ok",
      message:
        "a model's command tried devices, the kernel's settings, git's settings and copies of secrets, and could not",
    }),
  ]);
  expect(readdirSync(join(home, "tmp"))).toEqual([]);
  expect(readdirSync(dirname(home))).toEqual([".mimikit"]);
});

test("what is missing and wanted is a warning with the command that installs it; what nothing wants is none", async () => {
  const PATH = dirname(process.execPath);
  const { checks } = await examine({ PATH }, "system");
  expect(checks).toMatchObject([
    {
      level: "warn",
      message: expect.stringContaining("bubblewrap is missing"),
      next: expect.stringMatching(/^install /),
    },
    { level: "ok", message: expect.stringContaining("git is not installed; it is only needed by self-improvement") },
    { level: "ok", message: expect.stringContaining("chromium is not installed") },
  ]);
  const wanted = (await examine({ PATH, MIMIKIT_SELF_IMPROVE_ENABLED: "true" }, "system")).checks;
  expect(wanted[1]).toMatchObject({
    level: "warn",
    message: expect.stringContaining("git is missing: self-improvement"),
  });
});

test("where there is none, it is said why, and what to do", async () => {
  const { checks } = await examine({ PATH: brokenPath() });
  const message = expect.stringContaining("No permissions to create new namespace");
  expect(checks[1]).toMatchObject({ level: "warn", message, next: expect.stringContaining("bubblewrap") });
});

test("where none works and one is required, no Worker has a shell", async () => {
  const { checks } = await examine({ PATH: brokenPath(), MIMIKIT_SANDBOX: "required" });
  expect(checks[1]).toMatchObject({
    level: "fail",
    message: expect.stringContaining("no Worker on offline has a shell"),
  });
});

test("a sandbox that is switched off is a warning", async () => {
  const { checks } = await examine({ MIMIKIT_SANDBOX: "off" });
  expect(checks[1]).toMatchObject({ level: "warn", message: expect.stringContaining("sandbox: off") });
});

test.skipIf("missing" in codex)("codex is asked to run the attempt in its own sandbox", async () => {
  const { checks, home } = await examine({
    MIMIKIT_PROVIDER_WORKER: "codex",
    MIMIKIT_CODEX_BIN: "bin" in codex ? codex.bin : "",
    OPENAI_API_KEY: "sk-doctor",
  });
  expect(checks[1]).toMatchObject({ level: "ok", message: expect.stringContaining("Worker on codex tried") });
  expect(readdirSync(join(home, "tmp"))).toEqual([]);
});

test("a TZ that names no zone is named, with the zone that counts instead", async () => {
  const { checks } = await examine({ TZ: "UTC0" }, "time zone");
  expect(checks).toEqual([
    expect.objectContaining({ level: "ok", message: "times are those of UTC" }),
    expect.objectContaining({
      level: "warn",
      message: 'TZ is "UTC0", which is no name of a time zone; this machine\'s zone is taken as UTC',
    }),
  ]);
  const { checks: right } = await examine({ TZ: "Asia/Tokyo" }, "time zone");
  expect(right).toEqual([expect.objectContaining({ level: "ok", message: "times are those of Asia/Tokyo" })]);
});
