/**
 * Calls that need the owner's yes, in a simulated run (SPEC I10): the real gate decides, the real supervisor asks. Each call that is made
 * is judged once more here, by the questions that were closed and the approvals that were taken back, and by nothing else.
 */
import type { ApprovalVerdict, AskedCall } from "@mimikit/protocol/approvals/approval";
import { approvalPermit } from "@mimikit/protocol/base/id";
import type { Archived } from "@mimikit/protocol/records/archive";
import { ClosedQuestion } from "@mimikit/protocol/records/question";
import type { Task } from "@mimikit/protocol/records/task";
import { APPROVALS, ARCHIVE, COMPACTED, failedAttemptPath, REVOKED_ENDING } from "@mimikit/store/disk/state";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { gateOf } from "../../apps/worker-pool/src/run/gate-of.ts";
import type { MemoryDisk } from "./memory-disk.ts";
import { below } from "./random.ts";
import type { Environment, World } from "./world.ts";

/** A model that was asked about so many of its calls makes no more. */
const ASKED_MAX = 6;
/** It makes fewer calls than this in one run, beside the one that was answered. */
const CALLS = 3;
/** That it makes the call that was answered; a model may do something else. */
const AGAIN_CHANCE = 0.8;
const TOOL = "bash";

/** A question about a call, as it was closed. */
interface Decided {
  id: string;
  taskId: string;
  words: string;
  verdict: ApprovalVerdict | null;
  /** Prefixes that may be allowed for good. */
  prefix: string | null;
}

export class Approvals {
  private readonly world: World;
  /** For each call of each task: how often it was made for a yes to itself. */
  private readonly used = new Map<string, number>();

  constructor(world: World) {
    this.world = world;
  }

  /** Must hold when an attempt begins: each question of an earlier one is decided. */
  begin({ id, role }: Task, attempt: number): void {
    const { disk } = this.world;
    const decided = new Set(decidedOn(disk).map((each) => each.id));
    for (let k = 1; k < attempt; k++) {
      const hasAsked = disk.read(failedAttemptPath(role, id, k))?.includes('"asks":') === true;
      if (hasAsked && !decided.has(`${id}.a${k}.approve`))
        this.world.violate(`${id} began again before the call of attempt ${k} was decided`);
    }
  }

  /**
   * Makes the calls that the model wants, as far as they may be made. @returns the one that the run ends with, because it needs a yes.
   * Throws what the disk throws.
   */
  async make(task: Task, cache: StateCache, signal: AbortSignal, environment: Environment): Promise<AskedCall | null> {
    const { fs, step } = environment;
    const onError = (error: unknown) => {
      throw error;
    };
    const gate = await gateOf(task, "/w", { fs, cache, autonomy: "ask", isOwnersWords: false, onError });
    if (gate === undefined) return null;
    for (const command of this.wanted(task, gate.leave.answers)) {
      const revoked = await step(() => revokedOn(this.world.disk));
      const wanted = { reaches: ["command", "network"] as const, shown: command, command };
      const judged = await gate.judge(TOOL, { command }, wanted);
      if (signal.aborted) return null;
      if (judged === "allowed") await step(() => this.check(task, command, revoked));
      else if ("asked" in judged) return judged.asked;
    }
    return null;
  }

  /** Often what was answered, then others, some of them twice; none of them is a call of another task. */
  private wanted({ id }: Task, answers: readonly { asks: AskedCall }[]): string[] {
    const { random } = this.world;
    if (answers.length >= ASKED_MAX) return [];
    const answered = answers.at(-1)?.asks.shown;
    const programs = ["git push", "git fetch", "make all;"] as const;
    const others = Array.from(
      { length: below(random, CALLS) },
      () => `${programs[below(random, programs.length)]} ${id} ${below(random, 2)}`,
    );
    return answered !== undefined && random() < AGAIN_CHANCE ? [answered, ...others] : others;
  }

  /** A call is made. @param revoked what was taken back before anybody asked whether it may be. */
  private check({ id }: Task, command: string, revoked: ReadonlySet<string>): void {
    const decided = decidedOn(this.world.disk);
    const mine = decided.filter(({ taskId }) => taskId === id);
    const isForGood = decided.some(
      (each) =>
        each.verdict === "always" &&
        each.prefix !== null &&
        command.startsWith(`${each.prefix} `) &&
        !revoked.has(each.id),
    );
    if (isForGood || mine.some(({ verdict }) => verdict === "task")) return;
    const isYes = ({ verdict }: Decided) => verdict === "once" || verdict === "always";
    const yeses = mine.filter((each) => isYes(each) && each.words.includes(`\n${command}\n`)).length;
    const key = `${id} ${command}`;
    const uses = (this.used.get(key) ?? 0) + 1;
    this.used.set(key, uses);
    if (uses > yeses) this.world.violate(`"${command}" was made ${uses} times by ${id}, for ${yeses} yeses`);
  }
}

/** Only prefixes are allowed for good that the owner has named and not taken back. */
export function checkApprovals(
  archive: ReadonlyMap<string, Archived>,
  disk: MemoryDisk,
  violate: (what: string) => void,
): void {
  const revoked = revokedOn(disk);
  const allowed = new Set(allowedOn(disk));
  const said = decidedOn(disk).filter(({ verdict, prefix }) => verdict === "always" && prefix !== null);
  for (const { id, taskId } of said) {
    const attempt = Number(/\.a(\d+)\.approve$/.exec(id)?.[1]);
    const isWanted = archive.has(approvalPermit(taskId, attempt)) && !revoked.has(id);
    if (isWanted && !allowed.has(id)) violate(`${id} was allowed for good, and is not`);
    if (revoked.has(id) && allowed.has(id)) violate(`${id} was taken back, and is allowed`);
  }
  for (const id of allowed) if (!said.some((each) => each.id === id)) violate(`${id} is allowed, and nobody said so`);
}

/** The ids of the approvals that hold: the record is there, and nothing says that it was revoked. */
export function allowedOn(disk: MemoryDisk): string[] {
  const names = disk.names(APPROVALS);
  return names.flatMap((name) => {
    const id = name.replace(/\.json$/, "");
    return id === name || names.includes(`${id}${REVOKED_ENDING}`) ? [] : [id];
  });
}

/** The questions about calls that are closed. */
function decidedOn(disk: MemoryDisk): Decided[] {
  return archivedOn(disk, ".approve").map((text) => {
    const { id, question, outcome, answer } = ClosedQuestion.parse(JSON.parse(text));
    const { purpose, options } = question;
    const taskId = purpose.type === "approve" ? purpose.taskId : "";
    const always = options.find((option) => option.startsWith("always "));
    return {
      id,
      taskId,
      words: question.question,
      verdict: outcome === "answered" ? verdictIn(answer) : null,
      prefix: always?.slice("always ".length) ?? null,
    };
  });
}

function verdictIn(answer: string | null): ApprovalVerdict | null {
  if (answer === "yes, once") return "once";
  if (answer === "yes, for this task") return "task";
  return answer?.startsWith("always ") ? "always" : null;
}

/** The approvals that an answered command has taken back. */
function revokedOn(disk: MemoryDisk): ReadonlySet<string> {
  return new Set(archivedOn(disk, "revoke-").map((text) => String(JSON.parse(text).wish.approvalId)));
}

/** The texts of the archived records whose ids begin or end so, compacted ones included. */
function archivedOn(disk: MemoryDisk, part: string): string[] {
  const isMeant = (id: string) => id.startsWith(part) || id.endsWith(part);
  const texts = new Map<string, string>();
  for (const name of disk.names(COMPACTED)) {
    const [first = "", ...lines] = (disk.read(`${COMPACTED}/${name}`, Number.MAX_SAFE_INTEGER) ?? "").split("\n");
    const { ids } = JSON.parse(first) as { ids: string[] };
    for (const [i, id] of ids.entries()) if (isMeant(id)) texts.set(id, lines[i] ?? "");
  }
  for (const name of disk.names(ARCHIVE)) {
    const id = name.replace(/\.json$/, "");
    const text = name.endsWith(".json") && isMeant(id) ? disk.read(`${ARCHIVE}/${name}`) : null;
    if (text) texts.set(id, text);
  }
  return [...texts.values()];
}
