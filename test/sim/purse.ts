/**
 * The budgets of a simulated run (SPEC N2): production code decides, from usage files that a power loss tears, a full disk cuts off,
 * and of which nothing is ever synced. This class checks the noted lines on its own.
 */
import { type Ceiling, ceilingOf, type Spending, type SpendingLimits } from "@mimikit/core/base/budget";
import { KINDS } from "@mimikit/protocol/base/kind";
import { dayOf, NO_USAGE, type Usage, UsageLine } from "@mimikit/protocol/base/usage";
import { isTurn } from "@mimikit/protocol/records/task";
import { directoryOf } from "@mimikit/store/disk/file-system";
import { USAGE, usagePath } from "@mimikit/store/disk/state";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { accountsAt } from "@mimikit/store/views/accounts";
import { UsageLog } from "@mimikit/store/views/usage-log";
import { type Allotted, allot, type FinishedRun, lineOf, linesOfDead } from "../../apps/worker-pool/src/claim/allot.ts";
import { appendedText } from "../../apps/worker-pool/src/usage-file.ts";
import { below, type Random } from "./random.ts";
import type { World } from "./world.ts";

/** The reservation of each run; it takes no more than that. */
const RESERVED: Spending = { tokens: 1_000, costUsd: 0 };
/** The limits of a day, of which a run has one: for one after the other, for some side by side, for nearly all. */
const DAY_TOKENS = [900, 4_000, 20_000] as const;
const NO_LIMITS: SpendingLimits = { day: {}, month: {} };

/** A run that is under way. */
interface Begun {
  candidate: Allotted;
  /** Of the process that runs it. */
  owner: object;
}

export class Purse {
  private readonly world: World;
  private readonly limits: SpendingLimits;
  /** Attempts that have begun, and have neither ended nor been lost with the power. */
  private readonly begun = new Map<string, Begun>();
  /** Attempts whose line could not be written. */
  private readonly refused = new Set<string>();

  constructor(world: World, random: Random) {
    this.world = world;
    this.limits = { day: { tokens: DAY_TOKENS[below(random, DAY_TOKENS.length)] }, month: {} };
  }

  /** A book of a process of its own. */
  open(): UsageLog {
    return new UsageLog("", (path, offset) => {
      const bytes = Buffer.from(this.world.disk.read(path) ?? "");
      return bytes.length > offset ? [bytes.subarray(offset)] : [];
    });
  }

  /** A power loss ends every run, and its claim may be gone. */
  forget(): void {
    this.begun.clear();
  }

  ceiling(usageLog: UsageLog, cache: StateCache): Ceiling | null {
    return ceilingOf(accountsAt(this.limitsNow(), usageLog, cache, this.world.now()));
  }

  /** Those that may begin, as the pool of `owner` has it. */
  allot(candidates: readonly Allotted[], usageLog: UsageLog, cache: StateCache, owner: object): Allotted[] {
    const nowMs = this.world.now();
    for (const line of linesOfDead({ usageLog, cache, nowMs })) this.note(line);
    const limits = this.limitsNow();
    const allotted = allot(candidates, {
      limits,
      taskLimit: {},
      usageLog,
      cache,
      reservationOf: () => RESERVED,
      nowMs,
    });
    this.checkRoom(allotted, owner);
    return allotted;
  }

  begin(candidate: Allotted, owner: object): void {
    const { task, attempt } = candidate;
    for (let k = 1; k < attempt; k++) {
      const key = keyOf(task.id, k);
      if (this.begun.has(key) && !this.refused.has(key) && !this.isNoted(key))
        this.world.violate(`${key} has died and counts for nothing`);
      this.begun.delete(key);
    }
    if (candidate.reserved !== undefined) this.begun.set(keyOf(task.id, attempt), { candidate, owner });
  }

  /** Draws the cost of a run, within its reservation. */
  cost(candidate: Allotted): Usage {
    if (candidate.reserved === undefined) return NO_USAGE;
    return { ...NO_USAGE, inputTokens: 1 + below(this.world.random, RESERVED.tokens) };
  }

  /** Notes what a run has cost that has come to its end. */
  end(candidate: Allotted, ran: FinishedRun): void {
    const line = lineOf(candidate, ran, this.world.now());
    if (line !== null) this.noteNew(line);
    this.begun.delete(keyOf(candidate.task.id, candidate.attempt));
  }

  /** Notes a line of an attempt that has none. */
  noteNew(line: UsageLine): void {
    const key = keyOf(line.taskId, line.attempt);
    if (this.isNoted(key)) this.world.violate(`${key} is the number of two runs that have cost something`);
    this.note(line);
  }

  /** Is what an attempt has cost noted, or could that not be written? */
  hasLine(taskId: string, attempt: number): boolean {
    const key = keyOf(taskId, attempt);
    return this.refused.has(key) || this.isNoted(key);
  }

  private limitsNow(): SpendingLimits {
    return this.world.isCalm ? NO_LIMITS : this.limits;
  }

  /** Appends a line as the pool does, to which a disk that refuses it is no reason to stop. */
  private note(line: UsageLine): void {
    const { world } = this;
    const path = usagePath(dayOf(Date.parse(line.at)));
    const before = world.disk.read(path) ?? "";
    const text = appendedText(line, before === "" || before.endsWith("\n"));
    const isRefused = !world.canSave(path);
    if (!isRefused) world.disk.append(path, text, world.now());
    // A full disk keeps the part that it has taken.
    else if (world.disk.hasDirectory(directoryOf(path)))
      world.disk.append(path, text.slice(0, below(world.random, text.length)), world.now());
    const key = keyOf(line.taskId, line.attempt);
    if (isRefused) this.refused.add(key);
    else if (!this.isNoted(key)) world.violate(`the line of ${key} is not in ${path}`);
  }

  /** Of what is limited, one run may always begin, and others beside it as far as all of them fit. */
  private checkRoom(allotted: readonly Allotted[], owner: object): void {
    const { world } = this;
    const limit = this.limitsNow().day.tokens;
    if (limit === undefined) return;
    const today = this.linesOf(usagePath(dayOf(world.now())));
    const spent = [...new Map(today.map((line) => [keyOf(line.taskId, line.attempt), line])).values()]
      .map(({ inputTokens, outputTokens }) => inputTokens + outputTokens)
      .reduce((sum, tokens) => sum + tokens, 0);
    const running = [...this.begun].filter(
      ([key, begun]) => begun.owner === owner && !this.isNoted(key) && !this.hasEnded(begun.candidate),
    );
    let reserved = running.length * RESERVED.tokens;
    for (const { task } of allotted) {
      // The pool does it by itself, and it costs nothing.
      if (KINDS[task.kind].runner === "pool") continue;
      const fits = spent < limit && (reserved === 0 || spent + reserved + RESERVED.tokens <= limit);
      if (!isTurn(task) && !fits)
        world.violate(`${task.id} begins with ${spent} + ${reserved} of ${limit} tokens taken`);
      reserved += RESERVED.tokens;
    }
  }

  /** Has it an outcome already? Then its run is only to end. */
  private hasEnded({ task }: Allotted): boolean {
    const { disk } = this.world;
    return [`${task.role}/results`, "archive"].some((dir) => disk.info(`${dir}/${task.id}.json`) !== null);
  }

  private isNoted(key: string): boolean {
    const paths = this.world.disk.names(USAGE).map((name) => `${USAGE}/${name}`);
    return paths.some((path) => this.linesOf(path).some((line) => keyOf(line.taskId, line.attempt) === key));
  }

  /** The whole lines of a file. */
  private linesOf(path: string): UsageLine[] {
    const lines = (this.world.disk.read(path) ?? "").split("\n").slice(0, -1);
    return lines.flatMap((text) => UsageLine.safeParse(parsed(text)).data ?? []);
  }
}

const keyOf = (taskId: string, attempt: number) => `${taskId}.a${attempt}`;

/** undefined for what was torn. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
