/**
 * Is a process still the one that it was? A pid alone is reused within minutes; pid, start time and boot are not
 * (docs/file-protocol.md R6).
 */

import { isDeepStrictEqual } from "node:util";
import { type Identity, isOfThisMachine, type Owner } from "@mimikit/protocol/records/claim";
import { isAliveOn } from "../platform/is-alive.ts";
import { platform } from "../platform/this-platform.ts";

/** The running process `pid`: null when there is none, or when it is a zombie, which runs nothing any more. */
export const identityOf = (pid: number): Identity | null => platform.identityOf(pid);

let own: Identity | null = null;

/** The identity of this process. Throws when it is not in the table of processes. */
export function ownIdentity(): Identity {
  own ??= identityOf(process.pid);
  if (own === null) throw new Error("this process does not see itself in the table of processes");
  return own;
}

/**
 * Does exactly this process still run? A process that cannot be checked counts as alive, so that nothing is taken from a
 * living owner. The process that asks is not looked up: the pool asks at every look whether the owner of its claims
 * lives.
 */
export const isAlive = (identity: Identity): boolean =>
  (own !== null && isDeepStrictEqual(identity, own)) || isAliveOn(platform, identity);

/** Does the owner of a claim live? One on another machine is never dead by itself: how its attempt ended is recorded (docs/pools.md). */
export const isOwnerAlive = (owner: Owner): boolean => !isOfThisMachine(owner) || isAlive(owner);
