/** The owner of attempt K of a task, and how an attempt that may be retried ended (docs/files.md#layout). */
import { z } from "zod";
import { AskedCall } from "../approvals/approval.ts";
import { ProviderProblem } from "../base/cause.ts";
import { FailureReason } from "../base/failure.ts";
import { Id } from "../base/id.ts";

/** A process, for certain: a pid alone is reused within minutes (docs/file-protocol.md R6). */
export const Identity = z.object({ pid: z.number().int().positive(), startTime: z.string(), bootId: z.string() });
export type Identity = z.infer<typeof Identity>;

/**
 * The owner of a claim that no process of this machine runs, by the engine that carries it (`pools/pool.ts`). One of an engine that this
 * version does not know is kept as it is, and counts as alive.
 */
export const RemoteOwner = z.looseObject({ engine: z.string() });
export type RemoteOwner = z.infer<typeof RemoteOwner>;

export const Owner = z.union([Identity, RemoteOwner]);
export type Owner = z.infer<typeof Owner>;

/** Does the attempt run in a process of this machine? */
export function isOfThisMachine(owner: Owner): owner is Identity {
  return !("engine" in owner);
}

export const Claim = z.object({
  id: Id,
  attempt: z.number().int().positive(),
  owner: Owner,
  at: z.iso.datetime(),
  /** The attempt's reservation in the budgets until its cost is known; zero without budgets (SPEC N2). */
  reserved: z.object({ tokens: z.number().nonnegative(), costUsd: z.number().nonnegative() }).optional(),
  /** The pool ran nothing else when it claimed this, and begins nothing beside it but a turn, of which `Joined` tells (SPEC C5). */
  alone: z.literal(true).optional(),
});
export type Claim = z.infer<typeof Claim>;

/** A turn was begun beside an attempt that had run alone until then. Created before the turn is claimed. */
export const Joined = z.object({ id: Id, attempt: z.number().int().positive(), at: z.iso.datetime() });
export type Joined = z.infer<typeof Joined>;

/** Deaths of a pool that are no fault of a task, and why (SPEC C5). */
export const EXCUSES = {
  reboot: "the machine was restarted",
  watchdog: "something held the worker pool up, and the watchdog killed it",
  pm2: "the worker pool died together with the process that had started it",
  role: "the worker pool died together with another process of Mimikit",
  unknown: "the worker pool died, and no record tells when",
} as const;
export type Excuse = keyof typeof EXCUSES;

/** How the pool of an attempt died: only `alone` and `shared` count for its task, and only `alone` can convict it. */
export const Death = z.enum(["alone", "shared", "reboot", "watchdog", "pm2", "role", "unknown"]);
export type Death = z.infer<typeof Death>;

/** Something that the attempt started still runs: it could not be found to be ended (docs/file-protocol.md R6). */
export const Left = z.literal(true);

export const FailedAttempt = z.object({
  id: Id,
  attempt: z.number().int().positive(),
  failureReason: FailureReason,
  error: z.string(),
  at: z.iso.datetime(),
  retryAt: z.iso.datetime(),
  /** No provider of the role could be reached: not a failure of the task, and retried until one can (SPEC G4). */
  outage: z.literal(true).optional(),
  problem: ProviderProblem.optional(),
  left: Left.optional(),
  /** It waits for the owner's yes to this, which is no failure of the task: the next attempt begins with the answer. */
  asks: AskedCall.optional(),
  /** The pool died while the attempt ran; recorded by the next pool. The reason is `interrupted` then. */
  death: Death.optional(),
});
export type FailedAttempt = z.infer<typeof FailedAttempt>;
