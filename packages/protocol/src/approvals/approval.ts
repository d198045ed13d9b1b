/**
 * How much a model may do without asking, and what the owner has said to what it asked
 * (docs/autonomy.md, docs/decisions/0035-autonomy-is-decided-by-mechanism.md).
 */
import { z } from "zod";
import { PoolName, Title } from "../base/fields.ts";
import { Id } from "../base/id.ts";

/** From the least on: every command asks; what goes beyond the workspace asks; nothing asks. */
export const AUTONOMY = ["ask", "workspace", "full"] as const;
export const Autonomy = z.enum(AUTONOMY);
export type Autonomy = z.infer<typeof Autonomy>;

/** Characters of a call that people are asked about: they must see all of it. */
export const SHOWN_CALL_CHARS_MAX = 2_000;
/** Words of a prefix that may be allowed for good, and characters of each. */
export const PREFIX_WORDS_MAX = 2;
export const PREFIX_CHARS_MAX = 60;

/**
 * Why a call asks. `command`: it is a command, and all of them ask. `network`: it wants a network. `outside`: it reaches a path
 * outside the workspace. `no-sandbox`: nothing keeps the command within bounds. `level`: a tool whose level asks.
 */
export const Reach = z.enum(["command", "network", "outside", "no-sandbox", "level"]);
export type Reach = z.infer<typeof Reach>;

const Prefix = z.array(z.string().min(1).max(PREFIX_CHARS_MAX)).min(1).max(PREFIX_WORDS_MAX);

/** A call that waits for the owner's yes. */
export const AskedCall = z.object({
  tool: z.string().min(1).max(200),
  /** The SHA-256 (hex) of the tool, its input and the real path that it means: a yes is for nothing else. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  /** The command, the path, or the input as JSON: whole, and with all that is not seen written out (packages/protocol/src/texts/visible.ts). */
  shown: z.string().min(1).max(SHOWN_CALL_CHARS_MAX),
  /** Where it runs. */
  cwd: z.string(),
  reaches: z.array(Reach).min(1),
  /** The first words of a simple command, where they may be allowed for good. */
  prefix: Prefix.optional(),
  /** The machine that wants to make the call; none where that is the home. A yes is for that machine alone. */
  pool: PoolName.optional(),
});
export type AskedCall = z.infer<typeof AskedCall>;

/** `once`: this very call. `task`: what this task asks with the same tool for the same reasons. `always`: the prefix. */
export const ApprovalVerdict = z.enum(["once", "task", "always", "no", "expired"]);
export type ApprovalVerdict = z.infer<typeof ApprovalVerdict>;

/** `approvals/<id>`: commands that begin with these words are allowed until it is removed. The id is that of the question. */
export const Approval = z.object({
  kind: z.literal("approval"),
  id: Id,
  at: z.iso.datetime(),
  tool: z.string().min(1).max(200),
  prefix: Prefix,
  reaches: z.array(Reach).min(1),
  /** The task that asked, for people. */
  title: Title,
});
export type Approval = z.infer<typeof Approval>;
