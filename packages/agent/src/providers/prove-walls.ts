/** Tries the ways out of our sandbox, as a model's command would: devices, settings of the kernel, the repository, copies of secrets. */
import { randomBytes } from "node:crypto";
import { lstatSync, rmSync } from "node:fs";
import { realpath, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { namesIn } from "@mimikit/runtime/home/copies";
import type { HomePlace } from "@mimikit/runtime/home/home";
import { CAPABILITIES_ALLOWED, ESCAPE_ATTEMPT } from "@mimikit/runtime/platform/escape-attempt";
import { hasCode } from "@mimikit/store/disk/error-code";
import { COPIES, TEMPORARY } from "@mimikit/store/disk/state";
import { execa } from "execa";
import { findSandbox, sandboxed } from "../shell/sandbox.ts";
import { makeTemporary } from "../shell/temporary.ts";
import { cliEnvironment } from "./agent-cli/environment.ts";

const ATTEMPT_MS = 20_000;
/** Is it a file of the owner's that a command can read, and no fault of the sandbox? */
export const isCopy = (way: string): boolean => way.startsWith("a copy of a secret");

/** The ways out that are open, for people; null if there is no sandbox of ours, or no command ran. Throws what the disk throws. */
export async function proveWalls(place: HomePlace): Promise<string[] | null> {
  if ("missing" in (await findSandbox())) return null;
  const name = `mimikit-proof-${randomBytes(8).toString("hex")}`;
  const runDir = join(place.home, TEMPORARY, name);
  const [work, shared] = [await realpath(place.workDir), `/dev/shm/${name}`];
  try {
    const temporary = await makeTemporary(runDir);
    const bounds = { ...place, allow: [], mode: "required", keepsOutside: true, isOffline: true, temporary } as const;
    const command = ["/bin/sh", "-c", ESCAPE_ATTEMPT, "attempt", name, ...secretsOf(place)] as const;
    const [file, ...args] = (await sandboxed([...command], bounds)).commandLine;
    const options = { cwd: work, env: cliEnvironment({}), extendEnv: false, stdin: "ignore", reject: false } as const;
    const { stdout } = await execa(file, args, { ...options, timeout: ATTEMPT_MS });
    const said = stdout.split("\n");
    if (said.pop() !== "tried") return null;
    const held = BigInt(`0x${/CapEff:\s*([0-9a-f]+)/.exec(stdout)?.[1] ?? "0"}`);
    return [
      ...said.filter((line) => !line.startsWith("CapEff")),
      ...((held & ~CAPABILITIES_ALLOWED) === 0n ? [] : [`capabilities of root (${held.toString(16)})`]),
      ...(kindOf(shared) === null ? [] : ["shared memory (/dev/shm)"]),
    ];
  } finally {
    rmSync(shared, { force: true });
    for (const path of [runDir, join(work, ".git/hooks", name)]) await rm(path, { recursive: true, force: true });
  }
}

/** The secrets of the home, and copies of them that lie in it, beside it or in the workspace: other state directories, and backups. */
function secretsOf({ home, workDir }: HomePlace): string[] {
  const places = [...new Set([dirname(home), workDir, join(home, COPIES)])];
  const near = places.flatMap((place) => namesIn(place).map((name) => join(place, name)));
  const states = [home, ...near].flatMap((path) => [join(path, "token"), join(path, "secrets.json")]);
  const backups = near.filter((path) => basename(path).includes("mimikit") && path.endsWith(".tar.gz"));
  return [...new Set([...states, ...backups])].filter((path) => kindOf(path) === "file");
}

function kindOf(path: string): "file" | "other" | null {
  try {
    return lstatSync(path).isFile() ? "file" : "other";
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES")) return null;
    throw error;
  }
}
