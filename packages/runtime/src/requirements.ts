/** The programs of the system that Mimikit can do without, but not in full: who needs each, what is lost, and the command that installs it. */

import { accessSync, constants } from "node:fs";
import { delimiter, join, sep } from "node:path";
import { sentence } from "@mimikit/protocol/texts/coded";
import { hasCode } from "@mimikit/store/disk/error-code";
import type { Config } from "./config/schema.ts";
import type { Environment } from "./home/home.ts";
import { probeSandbox, sandboxHint } from "./platform/probe-sandbox.ts";
import { type System, thisSystem } from "./platform/system.ts";
import { platform } from "./platform/this-platform.ts";

/** The systems whose command is known, and how each installs a package. */
export const SYSTEMS: Readonly<Record<System, { name: string; install: string }>> = {
  debian: { name: "Debian, Ubuntu", install: "sudo apt-get install" },
  fedora: { name: "Fedora", install: "sudo dnf install" },
  arch: { name: "Arch", install: "sudo pacman -S" },
  macos: { name: "macOS", install: "brew install" },
};

export interface Requirement {
  /** As its makers call it. */
  name: string;
  /** The names that its program has in PATH. */
  programs: readonly string[];
  neededBy: string;
  /** The loss without it. */
  without: string;
  /** Does anything of these settings need it? */
  isWanted(config: Config): boolean;
  /** Its package; null where the system has none. */
  packages: Readonly<Record<System, string | null>>;
}

const everywhere = (name: string) => ({ debian: name, fedora: name, arch: name, macos: name });

export const BUBBLEWRAP: Requirement = {
  name: "bubblewrap",
  programs: ["bwrap"],
  neededBy: "the sandbox of a Worker's shell, read-only skills and self-improvement",
  without: sentence("without_bubblewrap"),
  // A system with a sandbox of its own needs none.
  isWanted: ({ sandbox }) => sandbox !== "off" && typeof platform.sandbox?.program !== "string",
  packages: { ...everywhere("bubblewrap"), macos: null },
};

export const REQUIREMENTS: readonly Requirement[] = [
  BUBBLEWRAP,
  {
    name: "git",
    programs: ["git"],
    neededBy: "self-improvement",
    without: sentence("without_git"),
    isWanted: ({ selfImprove }) => selfImprove.enabled,
    packages: everywhere("git"),
  },
  {
    name: "chromium",
    programs: ["chromium", "chromium-browser", "google-chrome"],
    neededBy: "`npm run test:browser` and `npm run screenshots`, for those who develop it",
    without: "the page is not tested in a browser",
    isWanted: () => false,
    packages: { ...everywhere("chromium"), macos: "google-chrome" },
  },
];

/** Where a program is by PATH; null where it is not. A relative entry would mean whatever lies in the directory that we happen to be in. */
function findOnPath(name: string, { PATH = "" }: Environment): string | null {
  for (const directory of PATH.split(delimiter).filter((each) => each.startsWith(sep))) {
    const path = join(directory, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch (error) {
      if (!hasCode(error, "ENOENT", "ENOTDIR", "EACCES")) throw error;
    }
  }
  return null;
}

/** Where the program of a requirement is; null where it is missing. */
export function findRequired({ programs }: Requirement, env: Environment): string | null {
  for (const name of programs) {
    const path = findOnPath(name, env);
    if (path !== null) return path;
  }
  return null;
}

/** The advice for a missing program: the command of this system, or of each. */
export function installHint({ name, packages }: Requirement, system = thisSystem()): string {
  if (system !== null) {
    const wanted = packages[system];
    return wanted === null
      ? sentence("not_packaged", { name, system: SYSTEMS[system].name })
      : sentence("install_with", { name, command: `${SYSTEMS[system].install} ${wanted}` });
  }
  const commands = Object.entries(SYSTEMS).flatMap(([id, { name: on, install }]) => {
    const wanted = packages[id as System];
    return wanted === null ? [] : [`${on}: ${install} ${wanted}`];
  });
  return sentence("install_by_system", { name, commands: commands.join("; ") });
}

/** A line for each that these settings need and that is missing, or does not work: what is lost, and what to do. Throws what the disk throws. */
export async function missingOf(config: Config, env: Environment): Promise<string[]> {
  const noSandbox = await noSandboxOf(config, env);
  const others = REQUIREMENTS.filter(
    (each) => each !== BUBBLEWRAP && each.isWanted(config) && findRequired(each, env) === null,
  ).map((each) => sentence("program_missing", { name: each.name, loss: each.without, next: installHint(each) }));
  return [...(noSandbox === null ? [] : [noSandbox]), ...others];
}

/**
 * One line on what the lack of a sandbox means for the commands of models, and what to do; null where there is one that works, found
 * out by running it. Throws what the disk throws.
 */
export async function noSandboxOf(config: Config, env: Environment): Promise<string | null> {
  const loss = sentence(config.autonomy === "full" ? "no_sandbox_full" : "no_sandbox_asks");
  if (config.sandbox === "off") return sentence("sandbox_off", { loss });
  const tool = platform.sandbox;
  const program = tool?.program ?? findRequired(BUBBLEWRAP, env);
  if (program === null)
    return sentence("program_missing", { name: BUBBLEWRAP.name, loss, next: installHint(BUBBLEWRAP) });
  if (tool === null) return null;
  const detail = await probeSandbox(tool, program);
  if (detail === null) return null;
  return sentence("sandbox_fails", { name: tool.name, loss, detail, next: sandboxHint() });
}
