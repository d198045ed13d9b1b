/**
 * A pipe that everything which a command starts holds open, unless it closes what it was given: when no one holds it, nothing is
 * left. It tells that something runs, not who: it is for where neither a sandbox nor a control group holds what a command starts.
 */
import { execFile } from "node:child_process";
import { closeSync, constants, openSync, readSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { hasCode } from "@mimikit/store/disk/error-code";

/** A process that was just killed holds it for a moment more. */
const DYING_MS_MAX = 500;
const LOOK_EVERY_MS = 5;
const CHUNK_BYTES = 4_096;

export interface Lifeline {
  /** The end that the command is given. */
  fd: number;
  /** Closes our own copy of it, once the command has started. */
  letGo(): void;
  /** Does anything hold it half a second from now? Sooner where nothing does. */
  isHeld(): Promise<boolean>;
  close(): void;
}

/** null where the system has no `mkfifo`. Throws what the disk throws. */
export async function openLifeline(): Promise<Lifeline | null> {
  const directory = await mkdtemp(join(tmpdir(), "mimikit-lifeline-"));
  try {
    const path = join(directory, "pipe");
    await promisify(execFile)("mkfifo", ["-m", "600", path]);
    const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return lifelineOf(reading, openSync(path, constants.O_WRONLY));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function lifelineOf(reading: number, fd: number): Lifeline {
  return {
    fd,
    letGo: () => closeSync(fd),
    async isHeld() {
      for (const since = performance.now(); isOpen(reading); await wait(LOOK_EVERY_MS))
        if (performance.now() - since > DYING_MS_MAX) return true;
      return false;
    },
    close: () => closeSync(reading),
  };
}

/** A pipe that is empty and has an end would block; one without a writer is at its end. */
function isOpen(reading: number): boolean {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  try {
    // Output of the command there is discarded.
    while (readSync(reading, chunk) > 0);
    return false;
  } catch (error) {
    if (hasCode(error, "EAGAIN")) return true;
    throw error;
  }
}

/** The marks of the runs of this process that have left something. */
const left = new Set<string>();

export function noteLeft(mark: string): void {
  left.add(mark);
}

/** Has a run with this mark left something that could not be ended? Asked once, when the run is over. */
export function takeLeft(mark: string): boolean {
  return left.delete(mark);
}
