/** All that a home and its pools say to each other. Each is encrypted with the key of the pool (packages/runtime/src/pools/encrypt.ts). */
import { z } from "zod";
import { ApprovalVerdict, AskedCall, Autonomy } from "../approvals/approval.ts";
import { AttachedFile } from "../base/attachment.ts";
import { ProviderProblem } from "../base/cause.ts";
import { FailureReason } from "../base/failure.ts";
import { PoolName } from "../base/fields.ts";
import { Id } from "../base/id.ts";
import { Steer } from "../base/signal.ts";
import { NO_USAGE, ToolCount, Usage } from "../base/usage.ts";
import { FailedAttempt, Identity } from "../records/claim.ts";
import { STEERS_MAX } from "../records/result.ts";
import { Task } from "../records/task.ts";
import { StreamLine } from "../wire/stream.ts";
import { SLOTS_MAX } from "./pool.ts";

/** Both sides speak it, or the pool gets no work. */
export const POOLS_PROTOCOL = 1;
/** Outcomes of at most so many characters, encrypted, go in the message that there is one; longer ones lie in the engine. */
export const OUTCOME_CARRIED_CHARS_MAX = 65_536;
/** Longer outcomes, encrypted, are not even read. */
export const OUTCOME_BYTES_MAX = 2_097_152;
/** Lines of a stream that go in one message. */
export const LINES_MAX = 200;

/** Files that go with one attempt, or come home with its outcome: all their bytes together, and how many. */
export const FILES_BYTES_MAX = 64 * 1_048_576;
export const FILES_MAX = 64;
/** Files of an outcome that have together at most so many bytes are in the outcome itself. */
export const FILES_CARRIED_BYTES_MAX = 16_384;
/** A file travels in pieces of so many bytes, one after the other. */
export const PIECE_BYTES = 524_288;
/** Pieces that a pool lays in the engine beside an outcome without being asked for them. */
export const PIECES_AHEAD_MAX = 4;
const FILE_PATH_CHARS_MAX = 1_000;
/** In base64. */
const FILES_CARRIED_CHARS_MAX = 4 * Math.ceil(FILES_CARRIED_BYTES_MAX / 3);

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** A file on its way: the SHA-256 of its bytes, and how many. */
export const CarriedFile = z.object({ id: Sha256, bytes: z.number().int().nonnegative() });
export type CarriedFile = z.infer<typeof CarriedFile>;
const FilePiece = z.object({
  file: Sha256,
  piece: z
    .number()
    .int()
    .min(0)
    .max(FILES_BYTES_MAX / PIECE_BYTES),
});
export type FilePiece = z.infer<typeof FilePiece>;

const Nonce = z.string().regex(/^[0-9a-f]{16}$/);

/** A job: one attempt of a task for a pool, with the decisions of the home about it. */
export const PoolJob = z.object({
  protocol: z.literal(POOLS_PROTOCOL),
  task: Task,
  attempt: z.number().int().positive(),
  earlier: z.array(FailedAttempt),
  interrupted: z.boolean(),
  /** Seconds that a run may take, where its task does not say. */
  timeoutSec: z.number().int().positive(),
  autonomy: Autonomy,
  /** Does no model stand between what the owner writes and a command of the offline engine? */
  isOwnersWords: z.boolean(),
  /** The owner's answers to calls of earlier attempts. */
  answers: z.array(
    z.object({ attempt: z.number().int().positive(), asks: AskedCall, verdict: ApprovalVerdict, isUsed: z.boolean() }),
  ),
  /** The budget of the task, and the cost of its earlier attempts. */
  taskLimit: z.object({ tokens: z.number().optional(), costUsd: z.number().optional() }),
  spentBefore: z.object({ tokens: z.number(), costUsd: z.number() }),
  /** rules.md of the home. */
  rules: z.string(),
  /** The files of its messages. The pool asks for those that are there, piece by piece, before it asks to begin. */
  files: z.array(z.object({ messageId: z.string(), file: AttachedFile, isThere: z.boolean() })).max(FILES_MAX),
  /** Whole outputs of the tasks before it that are longer than their reports. The pool asks for them in the same way. */
  outputs: z
    .array(z.object({ taskId: Id, file: CarriedFile }))
    .max(FILES_MAX)
    .optional(),
});
export type PoolJob = z.infer<typeof PoolJob>;

/** Tool calls that go in one message. */
export const CALLS_MAX = 100;

/** Calls of one attempt that the home writes to its audit log; the others are counted. */
export const CALLS_NOTED_MAX = 10_000;

/** A call of a tool, as the audit log tells it: never what was said or answered. */
export const PoolCall = z.object({
  tool: z.string().max(200),
  requestId: z.string().max(200),
  ok: z.boolean(),
  errorCode: z.string().max(64).optional(),
  durationMs: z.number().nonnegative(),
});
export type PoolCall = z.infer<typeof PoolCall>;

/** How the process of a pool died that ran an attempt: with no other attempt, with others, or with its machine. */
const DeathAway = z.enum(["alone", "shared", "reboot"]);
export type DeathAway = z.infer<typeof DeathAway>;

/** A message of a pool about an attempt. `seq` grows with each message of one process about one attempt. */
export const FromPool = z.discriminatedUnion("kind", [
  /** May it begin? Asked again until there is an answer, which repeats `askedMs`: when this was asked, on a clock of the pool's own. */
  z.object({ kind: z.literal("ask"), nonce: Nonce, askedMs: z.number() }),
  /** It runs. */
  z.object({ kind: z.literal("runs"), nonce: Nonce }),
  /** Stream lines of the run. */
  z.object({ kind: z.literal("lines"), nonce: Nonce, lines: z.array(StreamLine).max(LINES_MAX) }),
  /** Tool calls that it has made, from number `first` on, the first being 0. Said again until the home has noted them. */
  z.object({
    kind: z.literal("calls"),
    nonce: Nonce,
    first: z.number().int().nonnegative(),
    calls: z.array(PoolCall).max(CALLS_MAX),
  }),
  /** It needs a piece of a file before it begins. Asked again until the piece is laid. */
  FilePiece.extend({ kind: z.literal("want"), nonce: Nonce }),
  /** A piece of a file of its outcome lies in the engine, as the home wanted. */
  FilePiece.extend({ kind: z.literal("laid"), nonce: Nonce }),
  /**
   * It has an outcome, which is here or lies at the key of the attempt, and has made so many tool calls. Said again until the home
   * has taken it, which it does when it has noted them.
   */
  z.object({
    kind: z.literal("ended"),
    nonce: Nonce,
    calls: z.number().int().nonnegative(),
    sealed: z.string().max(OUTCOME_CARRIED_CHARS_MAX).optional(),
  }),
  /** The process that ran it is gone, and all that it had started with it. Said again as `ended` is. */
  z.object({ kind: z.literal("lost"), nonce: Nonce, calls: z.number().int().nonnegative(), death: DeathAway }),
]);
export type FromPool = z.infer<typeof FromPool>;

/** A message of the home to a pool about an attempt. */
export const ToPool = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("permit"), nonce: Nonce, granted: z.boolean(), askedMs: z.number() }),
  z.object({ kind: z.literal("stop") }),
  /** So many of its tool calls are noted. */
  z.object({ kind: z.literal("noted"), calls: z.number().int().nonnegative() }),
  /** A piece that the pool wants lies in the engine, or the file is gone. */
  FilePiece.extend({ kind: z.literal("laid"), isThere: z.boolean() }),
  /** It needs a piece of a file of the outcome. */
  FilePiece.extend({ kind: z.literal("want") }),
  z.object({ kind: z.literal("steer"), steer: Steer }),
  /** The home needs no more of the run with this nonce: its outcome is taken, or unwanted. */
  z.object({ kind: z.literal("taken"), nonce: Nonce }),
]);
export type ToPool = z.infer<typeof ToPool>;

/** That a pool is there, said every few seconds. */
export const PoolBeat = z.object({
  protocol: z.number().int(),
  version: z.string().max(64),
  running: z.number().int().nonnegative(),
});
export type PoolBeat = z.infer<typeof PoolBeat>;

const TEXT_CHARS_MAX = 4_000;

/** A cost that a machine reports is never below zero. */
const Cost = z.preprocess((usage) => {
  if (typeof usage !== "object" || usage === null) return NO_USAGE;
  const clamp = (value: unknown) => (typeof value === "number" && value > 0 && Number.isFinite(value) ? value : 0);
  return Object.fromEntries(Object.entries(usage).map(([name, value]) => [name, clamp(value)]));
}, Usage);

/** The outcome of a run as the home accepts it. There are no effects: a machine elsewhere stages none. */
export const PoolOutcome = z.object({
  status: z.enum(["done", "failed", "needs_input"]),
  resultType: z.enum(["text", "code_change", "analysis", "summary"]),
  result: z.unknown(),
  error: z.string().max(TEXT_CHARS_MAX).optional(),
  failureReason: FailureReason.optional(),
  problem: ProviderProblem.optional(),
  question: z.string().max(TEXT_CHARS_MAX).optional(),
  retryable: z.boolean(),
  asks: AskedCall.optional(),
  hasLeft: z.boolean().optional(),
  /** The ids of what the owner said to it, as far as it was heard. */
  steers: z.array(z.string().max(128)).max(STEERS_MAX),
  usage: Cost,
  /** How often it called each tool; null where it called none. */
  tools: z.record(z.string().max(200), ToolCount).nullable().default(null),
  /** Files that its result names, by the path that it names them by; the small ones with their bytes. */
  files: z
    .array(
      CarriedFile.extend({
        path: z.string().max(FILE_PATH_CHARS_MAX),
        data: z.base64().max(FILES_CARRIED_CHARS_MAX).optional(),
      }),
    )
    .max(FILES_MAX)
    .default([]),
  /** Did a model answer, so that it may have cost something that it cannot tell? */
  isBegun: z.boolean(),
  provider: z.string().min(1).max(64),
  model: z.string().max(200).optional(),
});
export type PoolOutcome = z.infer<typeof PoolOutcome>;

/**
 * On the disk of a pool: an attempt that it was permitted to begin, created before it begins. These records outlive the process, and are
 * not synced: after a power loss the home hears nothing of the attempt, and gives it up after two leases.
 */
export const BegunAway = z.object({ job: z.string(), nonce: Nonce, owner: Identity });
export type BegunAway = z.infer<typeof BegunAway>;

/** On the disk of a pool: the outcome of an attempt, until the home has taken it. */
export const EndedAway = z.object({ job: z.string(), nonce: Nonce, outcome: PoolOutcome });
export type EndedAway = z.infer<typeof EndedAway>;

/** Given to the machine that joins with a one-time code. */
export const JoinBundle = z.object({
  home: z.string(),
  pool: PoolName,
  key: z.base64(),
  slots: z.number().int().min(1).max(SLOTS_MAX),
  leaseSec: z.number().int().positive(),
});
export type JoinBundle = z.infer<typeof JoinBundle>;

/** Its copy on the pool: `pool.json` in its own state directory, for its user alone. */
export const JoinedPool = JoinBundle.extend({ url: z.string() });
export type JoinedPool = z.infer<typeof JoinedPool>;
