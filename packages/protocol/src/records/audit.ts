/** One line per action (SPEC N1). Each role appends to its own file, so each hash chain has one writer. */
import { z } from "zod";

/** The processes that write to the audit log, a file each. */
export const Actor = z.enum(["supervisor", "workers", "gateway", "channels", "dispatcher"]);
export type Actor = z.infer<typeof Actor>;
/** Without one of these three there is no instance; the channels run where one is set up, the dispatcher where there are pools. */
export const CoreActor = Actor.exclude(["channels", "dispatcher"]);

export const AuditLine = z.object({
  timestamp: z.iso.datetime(),
  seq: z.number().int().positive(),
  /** The event: `task_queued`, `turn_settled`, `message_accepted`, … */
  event: z.string(),
  actor: Actor,
  taskId: z.string().optional(),
  traceId: z.string().optional(),
  parentId: z.string().optional(),
  attempts: z.number().int().optional(),
  durationMs: z.number().optional(),
  failureReason: z.string().optional(),
  detail: z.record(z.string(), z.unknown()).optional(),
  /** SHA-256 of the previous line, over rotated files too; empty in the first line of all. */
  previousHash: z.string(),
  /** HMAC-SHA256 of the line up to here, by a key that is derived from the token; lines before 0.3 have none. */
  mac: z.string().optional(),
});
export type AuditLine = z.infer<typeof AuditLine>;

/** The caller's part of a line; the log adds the time, the number and the chain. */
export type AuditEvent = Omit<AuditLine, "timestamp" | "seq" | "actor" | "previousHash" | "mac">;
