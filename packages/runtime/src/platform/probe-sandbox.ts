/** Does the sandbox of this system work? Installed is not enough: the system may not let it make namespaces. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { sentence } from "@mimikit/protocol/texts/coded";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { SandboxTool } from "./platform.ts";

const PROBE_MS = 5_000;
const REASON_CHARS_MAX = 300;
/** Succeeds where the file is out of reach. */
const UNREADABLE = '! cat "$0" 2>/dev/null';

/**
 * Runs a command that must not see this file, in a sandbox that hides its folder. Nothing is written: a kill leaves nothing behind.
 * @returns null where it works; else why not, in a line.
 */
export async function probeSandbox(tool: SandboxTool, program: string): Promise<string | null> {
  const [file, ...args] = tool.wrap(program, ["/bin/sh", "-c", UNREADABLE, import.meta.filename], {
    state: import.meta.dirname,
    hidden: [],
    work: "/",
    passages: [],
    isReadOnly: false,
    keepsOutside: false,
    isOffline: false,
    protect: [],
    repository: [],
    temporary: null,
    userHome: homedir(),
    kept: [],
    secret: null,
  });
  return new Promise((resolve) => {
    execFile(file, args, { env: {}, timeout: PROBE_MS, killSignal: "SIGKILL" }, (error, _stdout, stderr) => {
      if (error === null) return resolve(null);
      const [reason = ""] = [stderr, error.message].flatMap((text) => text.trim() || []);
      resolve(beginningOf(reason.replace(/\s+/g, " "), REASON_CHARS_MAX));
    });
  });
}

/** Kernel settings that keep bubblewrap from making user namespaces: the value that does, and one that does not. */
const SWITCHES = [
  { name: "kernel.apparmor_restrict_unprivileged_userns", closed: "1", open: "0" },
  { name: "kernel.unprivileged_userns_clone", closed: "0", open: "1" },
  { name: "user.max_user_namespaces", closed: "0", open: "15000" },
] as const;

/** How to make an installed sandbox work: the command, if the kernel shows the setting that prevents it; else the page that tells. */
export function sandboxHint(read = readSwitch): string {
  const shut = SWITCHES.find(({ name, closed }) => read(name) === closed);
  if (shut === undefined) return sentence("allow_namespaces");
  return sentence("allow_namespaces_by", { command: `sudo sysctl -w ${shut.name}=${shut.open}` });
}

/** The value of a kernel setting; null where this kernel has none of that name, or does not show it. */
function readSwitch(name: string): string | null {
  try {
    return readFileSync(`/proc/sys/${name.replaceAll(".", "/")}`, "utf8").trim();
  } catch {
    return null;
  }
}
