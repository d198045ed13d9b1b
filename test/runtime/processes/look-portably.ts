/** A process that uses all of the portable platform, and says which files of /proc it has asked for. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const asked: string[] = [];
for (const api of [fs, fs.promises] as unknown as Record<string, unknown>[])
  for (const [name, original] of Object.entries(api)) {
    if (typeof original !== "function" || /^[A-Z]/.test(name)) continue;
    api[name] = Object.assign((path: unknown, ...rest: unknown[]) => {
      if (typeof path === "string" && path.startsWith("/proc")) asked.push(`${name} ${path}`);
      return original.call(api, path, ...rest);
    }, original);
  }
syncBuiltinESMExports();

const [, , locks = ""] = process.argv;
process.env.MIMIKIT_PLATFORM = "portable";
const { platform } = await import("@mimikit/runtime/platform/this-platform");
const { isAlive, ownIdentity } = await import("@mimikit/runtime/process/identity");
const { findMarked } = await import("@mimikit/runtime/process/marked-processes");
const place = { locks, secret: "", role: "supervisor" };
const seen = {
  isAlive: isAlive(ownIdentity()),
  parent: platform.identityOf(process.ppid) !== null,
  processes: (await platform.listProcesses()).length,
  marked: (await findMarked("nobody")).length,
  bytes: platform.residentBytes(process.pid),
  claim: await platform.claim(place),
  isClaimed: await platform.isClaimed(place),
  group: platform.makeGroup("mark"),
};
process.stdout.write(`${JSON.stringify({ asked, seen })}\n`);
