/**
 * The permissions of a run, and the outcome of its requests for approval (docs/autonomy.md). The Tool Bus comes here
 * before it makes a call that reaches beyond the workspace. A call that needs a yes is not made: the attempt ends, and
 * the next one begins with the answer.
 */
import { createHash } from "node:crypto";
import { beginsWith, prefixOf } from "@mimikit/core/tasks/simple-command";
import {
  type Approval,
  type ApprovalVerdict,
  type AskedCall,
  type Autonomy,
  type Reach,
  SHOWN_CALL_CHARS_MAX,
} from "@mimikit/protocol/approvals/approval";
import { visible } from "@mimikit/protocol/texts/visible";

/** More calls of one task are refused: an owner who is asked so often no longer reads the questions. */
export const ASKED_PER_TASK_MAX = 20;

/** The reach of a call, as its tool knows it. */
export interface CallReach {
  /** Why it asks; none where it need not. */
  reaches: readonly Reach[];
  /** The text shown to people: all that the call will do. */
  shown: string;
  /** The real path that it means outside the workspace. */
  place?: string;
  /** The text for a shell, where it is one. */
  command?: string;
}

/** The owner's answer to the call that an earlier attempt wanted to make. */
export interface OwnerAnswer {
  attempt: number;
  asks: AskedCall;
  verdict: ApprovalVerdict;
  /** The call was made, or was about to be. */
  isUsed: boolean;
}

export interface GateOptions {
  mode: Autonomy;
  /** Can it wait for the owner? A condition, a summary and an improvement cannot: what would ask is refused there. */
  mayAsk: boolean;
  /** A command of the offline engine is what the owner wrote, because no model stands between them. */
  isOwnersWords: boolean;
  cwd: string;
  /** Oldest first. */
  answers: readonly OwnerAnswer[];
  /** The permanent approvals, as they are now. Throws what the disk throws. */
  allowed(): Promise<readonly Approval[]>;
  /** Notes, durably, that the yes to the call of this attempt is used up. @returns false where it was before. */
  use(attempt: number): Promise<boolean>;
}

export type GateDecision = "allowed" | { refused: string } | { asked: AskedCall };

export class Gate {
  readonly leave: GateOptions;
  /** The call that this run ends with. */
  asked: AskedCall | null = null;

  constructor(leave: GateOptions) {
    this.leave = leave;
  }

  get mode(): Autonomy {
    return this.leave.mode;
  }

  /** Whether a call is made. Throws what the disk throws. */
  async judge(tool: string, input: unknown, { reaches, shown, place, command }: CallReach): Promise<GateDecision> {
    const { mode, mayAsk, cwd, answers } = this.leave;
    // If the owner cannot be asked, a command that the sandbox holds does no harm.
    if (mode === "full" || reaches.every((reach) => reach === "command" && !mayAsk)) return "allowed";
    const digest = digestOf([tool, input, place ?? null]);
    if (await this.isAllowed(tool, digest, reaches, command)) return "allowed";
    const refused = answers.findLast(({ asks, verdict }) => asks.digest === digest && isRefusal(verdict));
    if (refused !== undefined) return { refused: refusalOf(refused) };
    if (!mayAsk) return { refused: `this needs the owner's yes (${reaches.join(", ")}), and nobody is asked here` };
    if (this.asked !== null) return { refused: "another call waits for the owner's yes already: end here" };
    if (answers.length >= ASKED_PER_TASK_MAX)
      return {
        refused: `this task has asked ${ASKED_PER_TASK_MAX} times: go on without it, or say what could not be done`,
      };
    const whole = visible(shown);
    if (whole.length > SHOWN_CALL_CHARS_MAX)
      return {
        refused: `this needs the owner's yes, and is too long to be shown: at most ${SHOWN_CALL_CHARS_MAX} characters. Do it in smaller steps`,
      };
    const prefix = command === undefined ? undefined : prefixOf(command);
    this.asked = {
      tool,
      digest,
      shown: whole,
      cwd,
      reaches: [...reaches],
      ...(prefix !== undefined && { prefix }),
    };
    return { asked: this.asked };
  }

  /** The message for the model about the answer to the call with which the last attempt ended; null without one. */
  get news(): string | null {
    const last = this.leave.answers.at(-1);
    if (last === undefined || last.isUsed) return null;
    const call = `this call of ${last.asks.tool}:\n\n${last.asks.shown}\n\n`;
    switch (last.verdict) {
      case "once":
        return `The owner says yes, once, to ${call}Make it again exactly as it was, and go on.`;
      case "task":
        return `The owner says yes to ${call}Calls like it need no yes in this task any more. Make it again, and go on.`;
      case "always":
        return `The owner says yes to ${call}Commands that begin so need no yes any more. Make it again, and go on.`;
      default:
        return refusalOf(last);
    }
  }

  private async isAllowed(
    tool: string,
    digest: string,
    reaches: readonly Reach[],
    command: string | undefined,
  ): Promise<boolean> {
    const { answers, allowed, use } = this.leave;
    const covers = (each: { tool: string; reaches: readonly Reach[] }) =>
      each.tool === tool && reaches.every((reach) => each.reaches.includes(reach));
    if (answers.some(({ asks, verdict }) => verdict === "task" && covers(asks))) return true;
    if (command !== undefined) {
      const kept = await allowed();
      if (kept.some((each) => covers(each) && beginsWith(command, each.prefix))) return true;
    }
    for (const { attempt, asks, verdict, isUsed } of answers) {
      // A permanent approval may have been revoked before this call was made: it was a yes to it all the same.
      const isYes = verdict === "once" || verdict === "always";
      if (isYes && !isUsed && asks.digest === digest && (await use(attempt))) return true;
    }
    return false;
  }
}

function isRefusal(verdict: ApprovalVerdict): boolean {
  return verdict === "no" || verdict === "expired";
}

function refusalOf({ asks: { tool, shown }, verdict }: OwnerAnswer): string {
  const said = verdict === "no" ? "The owner says no" : "The owner has not answered in time, which is a no,";
  return `${said} to this call of ${tool}:\n\n${shown}\n\nDo not try to get the same in another way. Go on without it, or say what could not be done.`;
}

/** The same call has the same digest, in whatever order a model names its fields. */
function digestOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(value)))
    .digest("hex");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}
