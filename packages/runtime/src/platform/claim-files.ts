/**
 * A claim without the kernel's help: numbered files, `locks/supervisor.claim-7`, each with who made it. The highest
 * number counts, for as long as the process that it names lives: a kill frees it, whenever it comes.
 *
 * A contender links number n + 1 only after it has seen that the owner of n is dead, and has won only if its own number
 * is the highest then. link() makes one of two who take the same number; one who took a number that was lower by then
 * steps back. The highest file is never removed, so no number is reached twice, and no process takes over from a living
 * one.
 *
 * An owner is a pid and the second of its start. A stranger with both would have got the pid within the second in which
 * the owner began: the claim would then count as held, which is an error on the safe side, until the stranger ends.
 *
 * A file also says in which directory its owner has claimed. In a copy of the directory, at another path and with another inode, it is
 * nobody's claim: its owner has claimed the original.
 */
import { randomBytes } from "node:crypto";
import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { Identity } from "@mimikit/protocol/records/claim";
import { hasCode } from "@mimikit/store/disk/error-code";
import { z } from "zod";
import type { SingletonPlace } from "./platform.ts";

/** Files below the highest stay for a while: a listing of the directory that is under way cannot miss them all. */
const KEPT = 4;
/** Others who take numbers meanwhile make a contender look again; so often at most. */
const LOOKS_MAX = 100;
const NONCE_BYTES = 8;

/** Where a claim was made: the path of the directory, and its device and inode. Versions up to 0.3 did not say it. */
const Place = z.object({ path: z.string(), id: z.string() });
const Claim = Identity.extend({ in: Place.optional() });

export interface ClaimFiles {
  claim(place: SingletonPlace): boolean;
  isClaimed(place: SingletonPlace): boolean;
  claimAgain(): void;
}

/** @param own who this process is. @param isAlive does exactly this process still run? */
export function claimFiles(own: () => Identity, isAlive: (identity: Identity) => boolean): ClaimFiles {
  /** The claims of this process: their files, and what is in them. */
  const held = new Map<string, string>();

  const isHeld = (place: SingletonPlace, number: number) => {
    const owner = number === 0 ? null : ownerIn(pathOf(place, number));
    return owner !== null && isFor(place.locks, owner) && isAlive(owner);
  };

  return {
    claim(place) {
      for (let look = 0; look < LOOKS_MAX; look++) {
        const highest = highestOf(place);
        if (isHeld(place, highest)) return false;
        const path = pathOf(place, highest + 1);
        const text = `${JSON.stringify({ ...own(), in: whereIs(place.locks) })}\n`;
        if (!linkNew(path, text)) continue;
        if (highestOf(place) === highest + 1) {
          held.set(path, text);
          removeBelow(place, highest + 1 - KEPT);
          return true;
        }
        rmSync(path, { force: true });
      }
      return false;
    },
    isClaimed: (place) => isHeld(place, highestOf(place)),
    claimAgain() {
      for (const [path, text] of held) if (!existsSync(path)) linkNew(path, text);
    },
  };
}

const prefixOf = ({ role }: SingletonPlace) => `${role}.claim-`;

function pathOf(place: SingletonPlace, number: number): string {
  return join(place.locks, `${prefixOf(place)}${number}`);
}

function numbersOf(place: SingletonPlace): number[] {
  const prefix = prefixOf(place);
  const names = readdirSync(place.locks).filter((name) => name.startsWith(prefix));
  return names
    .map((name) => name.slice(prefix.length))
    .filter((digits) => /^\d+$/.test(digits))
    .map(Number);
}

/** 0 where there is none. */
function highestOf(place: SingletonPlace): number {
  return Math.max(0, ...numbersOf(place));
}

function removeBelow(place: SingletonPlace, number: number): void {
  for (const each of numbersOf(place)) if (each < number) rmSync(pathOf(place, each), { force: true });
}

/** One of the two is enough: a directory may be moved while it is claimed, and some file systems give it another inode each time. */
function isFor(locks: string, { in: claimed }: z.infer<typeof Claim>): boolean {
  if (claimed === undefined) return true;
  const here = whereIs(locks);
  return claimed.id === here.id || claimed.path === here.path;
}

function whereIs(locks: string): z.infer<typeof Place> {
  const { dev, ino } = statSync(locks, { bigint: true });
  return { path: realpathSync(locks), id: `${dev}:${ino}` };
}

/** null where it is gone, or says nothing: a file that is linked is complete, and only a power failure empties it. */
function ownerIn(path: string): z.infer<typeof Claim> | null {
  try {
    return parseRecord(Claim, readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof BadJson || hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** Complete from its first instant. @returns false when the name existed already. */
function linkNew(path: string, text: string): boolean {
  const beside = `${path}.${randomBytes(NONCE_BYTES).toString("hex")}.tmp`;
  try {
    writeFileSync(beside, text, { mode: 0o600, flag: "wx" });
    linkSync(beside, path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    rmSync(beside, { force: true });
  }
}
