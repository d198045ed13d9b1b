/** Worker pools on other machines: their names, who they are, and who owns an attempt that runs there (docs/pools.md). */
import { z } from "zod";
import { PoolName } from "../base/fields.ts";

/** Attempts of one pool that are claimed at once, at most. */
export const SLOTS_MAX = 64;
export const LABELS_MAX = 16;

/** The engine that carries attempts to a pool. */
export const ENGINE = "bullmq";

/** One pool as the home knows it: `pools/<name>.json`. */
export const PoolRecord = z.object({
  name: PoolName,
  labels: z.array(PoolName).max(LABELS_MAX),
  /** How many attempts the home claims for it at once. */
  slots: z.number().int().min(1).max(SLOTS_MAX),
  /** Encrypts all that goes to it and comes from it: 32 bytes in base64. */
  key: z.base64(),
  at: z.iso.datetime(),
});
export type PoolRecord = z.infer<typeof PoolRecord>;

const Hex = z.string().regex(/^[0-9a-f]{16}$/);

/**
 * The identity of this home towards its pools: `pools/home.json`. The epoch becomes another one when the home is restored from a backup, so that nothing of
 * its former life is taken for its own.
 */
export const HomeIdentity = z.object({ id: Hex, epoch: Hex });
export type HomeIdentity = z.infer<typeof HomeIdentity>;

/** The owner of a claim that a pool runs. It is never dead by itself: the dispatcher says how the attempt ended. */
export const PoolOwner = z.object({
  engine: z.literal(ENGINE),
  pool: PoolName,
  epoch: Hex,
  /** When the pool was invited that has it: another one may have the name by now. 0.3 did not say it. */
  invitedAt: z.iso.datetime().optional(),
});
export type PoolOwner = z.infer<typeof PoolOwner>;

/** The permit of an attempt to begin, created once: of two runs that ask, the first has it. */
export const BeginPermit = z.object({ job: z.string(), pool: PoolName, nonce: Hex, at: z.iso.datetime() });
export type BeginPermit = z.infer<typeof BeginPermit>;

/** How many tool calls of an attempt the audit log has: a count beside its permit. */
export const NotedCalls = z.object({ calls: z.number().int().nonnegative() });
export type NotedCalls = z.infer<typeof NotedCalls>;

/** The last word of a pool. */
export const PoolSeen = z.object({
  /** When the pool was invited that said it: another one may have the name now. */
  invitedAt: z.iso.datetime(),
  at: z.iso.datetime(),
  version: z.string().max(64),
  /** Attempts that it has now. */
  running: z.number().int().nonnegative(),
  /** Since when it was heard of without a break. */
  since: z.iso.datetime().optional(),
});
export type PoolSeen = z.infer<typeof PoolSeen>;

/** That of each, by its name: a view, `pools/seen.json`. */
export const PoolsSeen = z.record(PoolName, PoolSeen);
export type PoolsSeen = z.infer<typeof PoolsSeen>;
