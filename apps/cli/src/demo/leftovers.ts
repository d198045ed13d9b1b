/** The folders of demos. One that was killed could not remove its own: the next demo does, and touches no other. */
import { lstatSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { Identity } from "@mimikit/protocol/records/claim";
import { replaceFile } from "@mimikit/runtime/home/replace-file";
import { isAlive, ownIdentity } from "@mimikit/runtime/process/identity";
import { endProcesses } from "@mimikit/runtime/process/process-table";
import { hasCode } from "@mimikit/store/disk/error-code";
import { findProcesses } from "../processes/instance.ts";

const PREFIX = "mimikit-demo-";
/** Says whose folder it is, by pid, start time and boot. */
const OWNER = "owner.json";
/** A folder without an owner is one that is being made, unless it is older than this. */
const MAKING_MS_MAX = 60_000;

/** Makes the folder of a demo, which is this process's. Throws what the disk throws. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), PREFIX));
  replaceFile(join(folder, OWNER), `${JSON.stringify(ownIdentity())}\n`);
  return folder;
}

/**
 * Ends what is left of demos whose command is gone, and removes their folders. Those that are not this user's stay.
 * @returns how many there were. Throws what the disk throws.
 */
export async function removeLeftovers(): Promise<number> {
  const place = realpathSync(tmpdir());
  const folders = readdirSync(place).flatMap((name) => (name.startsWith(PREFIX) ? [join(place, name)] : []));
  const left = folders.filter(isLeft);
  for (const folder of left) {
    await endProcesses(() => findProcesses(join(folder, "state")), 0);
    rmSync(folder, { recursive: true, force: true });
  }
  return left.length;
}

function isLeft(folder: string): boolean {
  const info = lstatSync(folder, { throwIfNoEntry: false });
  if (info === undefined || !info.isDirectory() || info.uid !== process.getuid?.()) return false;
  const owner = ownerOf(folder);
  return owner === null ? Date.now() - info.mtimeMs > MAKING_MS_MAX : !isAlive(owner);
}

/** null where nothing readable says it. */
function ownerOf(folder: string): Identity | null {
  try {
    return parseRecord(Identity, readFileSync(join(folder, OWNER), "utf8"));
  } catch (error) {
    if (error instanceof BadJson || hasCode(error, "ENOENT")) return null;
    throw error;
  }
}
