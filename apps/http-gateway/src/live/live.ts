/**
 * Every client gets every event, in one order, once. A look at the state directory is compared with the last one; the
 * differences are the events. Snapshots are taken from what was published, so that snapshot and events fit together.
 */
import { join } from "node:path";
import { KINDS } from "@mimikit/protocol/base/kind";
import type { ChatMessage, ServerFrame, Status, TaskSummary, TriggerSummary } from "@mimikit/protocol/wire/api";
import { notificationIn } from "@mimikit/protocol/wire/notification";
import type { Log } from "@mimikit/runtime/audit/log";
import { streamPath } from "@mimikit/store/disk/state";
import type { ChangedNames } from "@mimikit/store/state-cache/pending-changes";
import { newestFirst } from "@mimikit/store/views/ended-tasks";
import { differences, isUnchanged } from "@mimikit/store/views/ordered-list";
import { bySoonest } from "../state/agenda.ts";
import type { Mishaps } from "../state/mishaps.ts";
import type { StateView, View } from "../state/view.ts";
import { AuditTail } from "./audit-tail.ts";
import { EventLog } from "./event-log.ts";
import type { Socket } from "./socket.ts";
import { StreamTail } from "./stream-tail.ts";

const SNAPSHOT_MESSAGES_MAX = 50;
/** So that a snapshot is always much less than what makes a client look slow; older messages are a request away. */
const SNAPSHOT_CHARS_MAX = 100_000;
const SNAPSHOT_OPEN_TASKS_MAX = 100;
const SNAPSHOT_ENDED_TASKS_MAX = 50;
/** The soonest; `GET /api/triggers` has them all. */
const SNAPSHOT_TRIGGERS_MAX = 100;
const STATUS_MS_MIN = 1_000;
/** Milliseconds between two looks at the audit log: a turn writes a dozen lines, one by one. */
const DONE_MS_MIN = 100;

export interface LiveOptions {
  home: string;
  view: View;
  incarnation: string;
  statusOf(state: StateView): Promise<Status>;
  /** Hears of everything that was done. */
  mishaps: Mishaps;
  /** Hears of each look, when clients have been told of it. */
  onLook(state: StateView): void;
  log: Log;
}

/** The state that clients have been sent. */
interface Published {
  state: StateView;
  status: Status;
}

type Ordered = Extract<ServerFrame, { data: unknown }>;
/** A frame before it has its place. */
type OrderedEvent = { [T in Ordered["type"]]: Omit<Extract<Ordered, { type: T }>, "cursor"> }[Ordered["type"]];

export class Live {
  private readonly options: LiveOptions;
  private readonly events: EventLog;
  private readonly done: AuditTail;
  private readonly sockets = new Set<Socket>();
  private readonly tails = new Map<string, StreamTail>();
  private readonly firstLook = Promise.withResolvers<void>();
  private published: Published | undefined;
  private statusAtMs = Number.NEGATIVE_INFINITY;
  private doneTimer: NodeJS.Timeout | undefined;
  private isDoneDue = false;
  /** The clients that wait for news; undefined if there are none. */
  private nextNews: PromiseWithResolvers<void> | undefined;

  constructor(options: LiveOptions) {
    this.options = options;
    this.events = new EventLog(options.incarnation);
    this.done = new AuditTail(
      options.home,
      (actor, error) => options.log.warn("audit lines could not be read", { actor, error }),
      (line) => options.mishaps.note(line),
    );
  }

  /**
   * Looks at the state directory and tells every client what is new. One call at a time, or events could go backwards.
   * @param where what notifications told of, `all` directories, or all whatever they look like (`full`).
   */
  async tick(where: ChangedNames | "all" | "full" = "all"): Promise<void> {
    const { view } = this.options;
    const state = await (typeof where === "string" ? view.refresh(where === "full") : view.refreshHeard(where));
    const status = await this.freshStatus(state);
    this.publish(state, status);
    this.follow(state);
    this.tellDone();
    this.options.onLook(state);
  }

  /** Tells what the audit log has got since; at once, and then again after a while if it is asked for meanwhile. */
  private tellDone(): void {
    if (this.doneTimer !== undefined) {
      this.isDoneDue = true;
      return;
    }
    this.isDoneDue = false;
    this.doneTimer = setTimeout(() => {
      this.doneTimer = undefined;
      if (this.isDoneDue) this.tellDone();
    }, DONE_MS_MIN).unref();
    for (const line of this.done.read()) {
      this.options.mishaps.note(line);
      this.emit({ type: "audit", data: line });
    }
  }

  /** Tells what running tasks have written since the last time. */
  readStreams(): void {
    for (const [taskId, tail] of this.tails) {
      const lines = tail.read();
      const begin = lines.findLastIndex((line) => line.type === "begin");
      if (begin >= 0) this.broadcast(frameText({ type: "begin", taskId }));
      let text = "";
      let thought = "";
      for (const line of lines.slice(begin + 1)) {
        if (line.type === "delta") text += line.text;
        else if (line.type === "thought") thought += line.text;
        else if (line.type === "progress") this.broadcast(frameText({ type: "progress", taskId, step: line.step }));
      }
      if (thought !== "") this.broadcast(frameText({ type: "thought", taskId, text: thought }));
      if (text !== "") this.broadcast(frameText({ type: "delta", taskId, text }));
    }
  }

  /**
   * Brings a client up to date and lets it hear of everything that follows: the events that it missed, or a snapshot
   * when its cursor is too old or of an earlier life of the gateway. Before the first look at the state directory
   * there is nothing to tell, so the client waits for it.
   */
  async join(socket: Socket, cursor: string | undefined): Promise<void> {
    await this.firstLook.promise;
    const { published } = this;
    if (published === undefined || !socket.isOpen) return;
    // Nothing here waits between the cursor and the set, so no event can fall between them.
    const missed = cursor === undefined ? null : this.events.since(cursor);
    if (missed === null) socket.send(frameText(this.snapshot(published)));
    else for (const frame of missed) socket.send(frame);
    for (const [taskId, { soFar }] of this.tails) {
      if (soFar.thought !== "") socket.send(frameText({ type: "thought", taskId, text: soFar.thought }));
      if (soFar.text !== "") socket.send(frameText({ type: "delta", taskId, text: soFar.text }));
      if (soFar.step !== undefined) socket.send(frameText({ type: "progress", taskId, step: soFar.step }));
    }
    this.sockets.add(socket);
  }

  /** The answer of a running turn or task as far as it was shown; undefined where it does not run. */
  draftOf(taskId: string): string | undefined {
    return this.tails.get(taskId)?.soFar.text;
  }

  /** Resolves when clients are told something next, and when the first look is there. */
  news(): Promise<void> {
    this.nextNews ??= Promise.withResolvers();
    return this.nextNews.promise;
  }

  leave(socket: Socket): void {
    this.sockets.delete(socket);
  }

  /** Ends every connection of a session that was signed out. */
  signOut(session: string): void {
    for (const socket of this.sockets) if (socket.session === session) socket.signOut();
  }

  /** Lets go of clients that died silently, and of pages whose session is over. */
  async heartbeat(isSignedIn: (session: string) => Promise<boolean>): Promise<void> {
    for (const socket of this.sockets) socket.ping();
    const sessions = new Set([...this.sockets].flatMap((socket) => socket.session ?? []));
    for (const session of sessions) if (!(await isSignedIn(session))) this.signOut(session);
  }

  private publish(state: StateView, status: Status): void {
    const before = this.published;
    this.published = { state, status };
    if (before === undefined) {
      // The first look is what every first client gets as its snapshot.
      this.firstLook.resolve();
      this.tellNews();
      return;
    }
    if (state !== before.state) this.publishChanges(before.state, state);
    if (!isUnchanged(before.status, status)) this.emit({ type: "status", data: status });
  }

  private publishChanges(before: StateView, state: StateView): void {
    if (state.messages !== before.messages) this.publishMessages(before.messages, state.messages);
    const tasks = differences(before.tasks, state.tasks, newestFirst);
    for (const task of tasks.come.reverse()) this.emit({ type: "task", data: task });
    const [questions, asked] = [byId(state.questions), byId(before.questions)];
    for (const question of state.questions) {
      if (!asked.has(question.id)) this.emit({ type: "question", data: { ...question, isOpen: true } });
    }
    for (const question of before.questions) {
      if (!questions.has(question.id)) this.emit({ type: "question", data: { ...question, isOpen: false } });
    }
    const triggers = differences(before.triggers, state.triggers, bySoonest);
    for (const trigger of triggers.come) this.emit({ type: "trigger", data: { ...trigger, isOver: false } });
    for (const trigger of triggers.gone) this.emit({ type: "trigger", data: { ...trigger, isOver: true } });
  }

  private publishMessages(before: readonly ChatMessage[], messages: readonly ChatMessage[]): void {
    // As a rule the conversation only got longer, and has lost its oldest messages.
    const lost = Math.max(0, before.indexOf(messages[0] as ChatMessage));
    let same = 0;
    while (same < messages.length && messages[same] === before[lost + same]) same++;
    const told = byId(before.slice(lost + same));
    for (const message of messages.slice(same)) {
      const known = told.get(message.id);
      if (!isKnown(known, message)) this.emit({ type: "message", data: message });
      const notification = known === undefined ? notificationIn(message) : null;
      if (notification !== null) this.emit({ type: "notification", data: notification });
    }
  }

  /** The status is looked up at most once a second; between that it is what it was, unless the look says otherwise. */
  private async freshStatus(state: StateView): Promise<Status> {
    const nowMs = performance.now();
    const { status } = this.published ?? {};
    if (status !== undefined && countsAll(status, state) && nowMs - this.statusAtMs < STATUS_MS_MIN) return status;
    this.statusAtMs = nowMs;
    return this.options.statusOf(state);
  }

  private follow(state: StateView): void {
    // Clients are told of no batch of conditions and of no roll-up, so they could make nothing of their steps.
    const running = new Set(state.running.filter(({ kind }) => KINDS[kind].part !== "upkeep").map(({ id }) => id));
    for (const id of this.tails.keys()) if (!running.has(id)) this.tails.delete(id);
    let isNew = false;
    for (const id of running) {
      if (this.tails.has(id)) continue;
      this.tails.set(id, new StreamTail(join(this.options.home, streamPath(id))));
      isNew = true;
    }
    // Of those that were followed before, a notification tells, and a loop of its own looks at them.
    if (isNew) this.readStreams();
  }

  private snapshot({ state: { messages, tasks, questions, triggers }, status }: Published): ServerFrame {
    const newest = newestWithin(messages);
    return {
      type: "snapshot",
      cursor: this.events.cursor,
      messages: newest,
      ...(newest.length < messages.length && { earlier: true }),
      tasks: newestOf(tasks),
      questions: [...questions],
      triggers: soonestOf(triggers),
      status,
    };
  }

  private emit(event: OrderedEvent): void {
    this.broadcast(this.events.append(event));
  }

  private broadcast(text: string): void {
    for (const socket of this.sockets) socket.send(text);
    this.tellNews();
  }

  private tellNews(): void {
    this.nextNews?.resolve();
    this.nextNews = undefined;
  }
}

/** Does a status count the triggers and the questions that there are? Else it would contradict the frames before it. */
function countsAll({ counts }: Status, { triggers, questions }: StateView): boolean {
  return counts.triggers === triggers.length && counts.questions === questions.length;
}

/** The text of a message never changes; only whether it still waits, and for whom. */
function isKnown(before: ChatMessage | undefined, message: ChatMessage): boolean {
  return (
    before !== undefined &&
    before.pending === message.pending &&
    before.toTaskId === message.toTaskId &&
    before.again === message.again
  );
}

/** The newest messages that fit into a snapshot; always at least one. */
function newestWithin(messages: readonly ChatMessage[]): ChatMessage[] {
  const newest = messages.slice(-SNAPSHOT_MESSAGES_MAX);
  let characters = 0;
  for (let i = newest.length - 1; i >= 0; i--) {
    characters += newest[i]?.text.length ?? 0;
    if (characters > SNAPSHOT_CHARS_MAX && i < newest.length - 1) return newest.slice(i + 1);
  }
  return newest;
}

/** The newest open tasks and the newest ended ones. */
function newestOf(tasks: readonly TaskSummary[]): TaskSummary[] {
  const isOpen = (task: TaskSummary) => task.completedAt === undefined;
  return [
    ...tasks.filter(isOpen).slice(0, SNAPSHOT_OPEN_TASKS_MAX),
    ...tasks.filter((task) => !isOpen(task)).slice(0, SNAPSHOT_ENDED_TASKS_MAX),
  ];
}

/** The soonest triggers that fit into a snapshot. */
function soonestOf(triggers: readonly TriggerSummary[]): TriggerSummary[] {
  const soonest = triggers.slice(0, SNAPSHOT_TRIGGERS_MAX);
  let characters = 0;
  const end = soonest.findIndex((trigger) => {
    characters += JSON.stringify(trigger).length;
    return characters > SNAPSHOT_CHARS_MAX;
  });
  return end < 0 ? soonest : soonest.slice(0, end);
}

function byId<T extends { id: string }>(list: readonly T[]): ReadonlyMap<string, T> {
  return new Map(list.map((each) => [each.id, each]));
}

function frameText(frame: ServerFrame): string {
  return JSON.stringify(frame);
}
