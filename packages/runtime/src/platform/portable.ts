/** Any system with POSIX's `ps`: claims are files, nothing holds what a command leaves behind, and a sandbox is macOS's own. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import type { Identity } from "@mimikit/protocol/records/claim";
import { claimFiles } from "./claim-files.ts";
import { isAliveOn } from "./is-alive.ts";
import type { Platform } from "./platform.ts";
import { activityWithPs, environmentWithPs, listWithPs, residentBytesOf, startTimeOf } from "./ps.ts";
import { SANDBOX_EXEC, sandboxExec } from "./sandbox-exec.ts";

let bootId: string | undefined;

const identify = (pid: number, startTime: string): Identity => ({ pid, startTime, bootId: portable.bootId });

export const portable: Platform = {
  identityOf(pid) {
    const startTime = startTimeOf(pid);
    return startTime === null ? null : identify(pid, startTime);
  },
  get bootId() {
    bootId ??= findBoot();
    return bootId;
  },
  listProcesses: () => listWithPs(identify),
  environmentOf: environmentWithPs,
  openedPath: async () => null,
  entryOf: null,
  activityOf: activityWithPs,
  residentBytes: residentBytesOf,
  claim: async (place) => claims.claim(place),
  isClaimed: async (place) => claims.isClaimed(place),
  claimAgain: () => claims.claimAgain(),
  makeGroup: () => null,
  mayMakeGroups: () => false,
  removeGroups: () => undefined,
  markInGroup: async () => undefined,
  sandbox: existsSync(SANDBOX_EXEC) ? sandboxExec : null,
  socketPathBytesMax: 103,
};

const claims = claimFiles(ownIdentity, (identity) => isAliveOn(portable, identity));

function ownIdentity(): Identity {
  const own = portable.identityOf(process.pid);
  if (own === null) throw new Error("ps does not show this process");
  return own;
}

/** macOS names each boot; elsewhere the first process began with it. Empty where that one is not shown. */
function findBoot(): string {
  if (process.platform !== "darwin") return startTimeOf(1) ?? "";
  return execFileSync("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"], { encoding: "utf8" }).trim();
}
