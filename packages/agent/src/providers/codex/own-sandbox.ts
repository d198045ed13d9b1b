/** codex brings a sandbox of its own, and a command that runs something in it. */
import { randomBytes } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { HomePlace } from "@mimikit/runtime/home/home";
import { TEMPORARY } from "@mimikit/store/disk/state";
import type { CommandLine } from "../../shell/sandbox.ts";
import { PROFILE, permissionValues, reachOf } from "./permissions.ts";
import type { CodexSettings } from "./settings.ts";
import { toToml } from "./toml.ts";

/**
 * Lets `run` run a command as codex runs those of a Worker. Throws what the disk throws, and `UnusableCli` where the workspace is
 * the state directory.
 */
export async function inOwnSandbox<T>(
  command: CommandLine,
  settings: CodexSettings,
  { home, workDir }: HomePlace,
  run: (commandLine: CommandLine, environment: Record<string, string>) => Promise<T>,
): Promise<T> {
  const { file, codexHome, network } = settings;
  const temporary = join(home, TEMPORARY, `codex-${randomBytes(8).toString("hex")}`);
  await mkdir(temporary, { mode: 0o700 });
  try {
    const task = { kind: "work" as const, upstream: [] };
    const reach = await reachOf({ task, context: { longTexts: {} }, home, workDir }, codexHome, temporary);
    const values = Object.entries(permissionValues(reach, network));
    const options = values.flatMap(([key, value]) => ["-c", `${key}=${toToml(value)}`]);
    return await run(
      [file, "sandbox", ...options, "--permission-profile", PROFILE, "--cd", workDir, "--", ...command],
      { CODEX_HOME: codexHome, TMPDIR: temporary },
    );
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
