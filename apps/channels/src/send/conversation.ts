/** Reads what was applied lately and what is asked now, and by which way that was said from which it came. */
import { outageOf, outagesOf } from "@mimikit/core/tasks/retry";
import { outageMessageOf } from "@mimikit/core/views/history";
import { rootOf, turnId, turnNumber } from "@mimikit/protocol/base/id";
import type { Via } from "@mimikit/protocol/channels/via";
import type { Event } from "@mimikit/protocol/records/inbox";
import type { Result } from "@mimikit/protocol/records/result";
import type { ChangedNames } from "@mimikit/store/state-cache/pending-changes";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { type ChannelItem, itemOfOutage, itemOfQuestion, itemsOfTurn, SEND_AGE_MS_MAX } from "./items.ts";

/** Of more turns in a day than that, only the newest are sent. */
const TURNS_MAX = 1_000;
/** Ways of turns that are remembered. */
const ORIGINS_MAX = 5_000;

export class ConversationReader {
  private readonly cache: StateCache;
  /** The items of the turns of the last SEND_AGE_MS_MAX, by turn. */
  private turns: { atMs: number; items: readonly ChannelItem[] }[] = [];
  private readonly origins = new Map<string, readonly Via[]>();
  /** Settled turns that are not in there yet: a look that failed half-way must not lose them. */
  private newTurns: Result[] = [];

  private constructor(cache: StateCache) {
    this.cache = cache;
  }

  /** Reads the turns of the last SEND_AGE_MS_MAX. */
  static async load(cache: StateCache, nowMs: number): Promise<ConversationReader> {
    await cache.archiveIndex.load();
    const conversation = new ConversationReader(cache);
    const newest: Result[] = [];
    for (let n = cache.archiveIndex.settledTurn; n > 0 && newest.length < TURNS_MAX; n--) {
      const turn = await cache.archiveIndex.readResult(turnId(n));
      if (turn !== null && nowMs - Date.parse(turn.completedAt) > SEND_AGE_MS_MAX) break;
      if (turn !== null) newest.unshift(turn);
    }
    conversation.newTurns = newest;
    await conversation.takeUp();
    return conversation;
  }

  /** Looks again. @param changes look only where something was heard of; everywhere without it. */
  async refresh(nowMs: number, isFull: boolean, changes?: ChangedNames): Promise<void> {
    await this.cache.refresh(nowMs, isFull, changes);
    this.newTurns.push(...(await this.cache.archiveIndex.follow()));
    await this.takeUp();
    this.turns = this.turns.filter(({ atMs }) => nowMs - atMs <= SEND_AGE_MS_MAX).slice(-TURNS_MAX);
  }

  /** All that there is to say, oldest first. */
  async items(): Promise<ChannelItem[]> {
    const asked: ChannelItem[] = [];
    for (const question of this.cache.questions.values())
      if (!this.cache.archiveIndex.has(question.id))
        asked.push(itemOfQuestion(question, await this.originOf(rootOf(question.id))));
    const items = [...this.turns.flatMap((turn) => turn.items), ...this.outages(), ...asked];
    return items.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  }

  /** The notices that a turn waits for its model, once for each turn while it is open (SPEC G4). */
  private outages(): ChannelItem[] {
    const { queue, results, attempts, archiveIndex } = this.cache;
    return [...attempts].flatMap(([id, tries]) => {
      const turn = queue.get(id)?.turn;
      const outage = outageOf(outagesOf(tries));
      if (turn === undefined || outage === null || results.has(id) || archiveIndex.has(id)) return [];
      return [itemOfOutage(outageMessageOf(id, turn, outage), waysOf(turn.messages))];
    });
  }

  /** The ways to whom an answer is being written now. */
  writingTo(): Via[] {
    const { cache } = this;
    return cache
      .queuedOf("turn")
      .filter(({ id }) => cache.attempts.has(id) && !cache.results.has(id))
      .flatMap(({ turn }) => turn?.messages[0]?.via ?? []);
  }

  private async takeUp(): Promise<void> {
    for (let [turn] = this.newTurns; turn !== undefined; [turn] = this.newTurns) {
      const items = itemsOfTurn(turn, await this.originOfTurn(turn));
      this.turns.push({ atMs: Date.parse(turn.completedAt), items });
      this.newTurns.shift();
    }
  }

  /** The ways of an earlier turn; none of what was begun elsewhere. */
  private async originOf(id: string): Promise<readonly Via[]> {
    if (turnNumber(id) === 0) return [];
    const known = this.origins.get(id);
    if (known !== undefined) return known;
    const turn = await this.cache.archiveIndex.readResult(id);
    return turn === null ? [] : this.originOfTurn(turn);
  }

  /** The origin of a turn has a smaller number, so this comes to an end. */
  private async originOfTurn(turn: Result): Promise<readonly Via[]> {
    const known = this.origins.get(turn.id);
    if (known !== undefined) return known;
    const { messages = [], events = [], results = [] } = turn.task.turn ?? {};
    const ways: Via[] = waysOf([...messages, ...(turn.steers ?? [])]);
    for (const event of events) ways.push(...(await this.originOfEvent(event, turn.id)));
    for (const { id } of results) ways.push(...(await this.originBefore(rootOf(id), turn.id)));
    const origin = [...new Map(ways.map((via) => [JSON.stringify(via), via])).values()];
    if (this.origins.size >= ORIGINS_MAX) this.origins.clear();
    this.origins.set(turn.id, origin);
    return origin;
  }

  /** Of an answer, the way by which it was given and the one by which the question came about; of a trigger, where it was set. */
  private async originOfEvent({ data }: Event, turn: string): Promise<readonly Via[]> {
    const { wishId: commandId, questionId, triggerId } = data as Record<string, unknown>;
    const answer = typeof commandId === "string" ? await this.cache.archiveIndex.read(commandId) : null;
    const given = answer !== null && "wish" in answer && answer.wish.kind === "answer" ? (answer.wish.via ?? []) : [];
    const about = [questionId, triggerId].flatMap((id) => (typeof id === "string" ? rootOf(id) : []));
    const before = await Promise.all(about.map((id) => this.originBefore(id, turn)));
    return [given, ...before].flat();
  }

  private async originBefore(id: string, turn: string): Promise<readonly Via[]> {
    return turnNumber(id) < turnNumber(turn) ? this.originOf(id) : [];
  }
}

function waysOf(said: readonly { via?: Via | undefined }[]): Via[] {
  return said.flatMap(({ via }) => via ?? []);
}
