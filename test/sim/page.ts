/**
 * The gateway of a simulated run: the real `Commands` and `View`, and a user at the page behind them, who sends again what was not answered,
 * under the same key, and looks at what there is. Each look must show what was promised, and in the end what is on disk.
 */
import { triggerIdOf } from "@mimikit/core/triggers/of-command";
import type { TriggerInput } from "@mimikit/protocol/triggers/trigger-order";
import type { ChatMessage } from "@mimikit/protocol/wire/api";
import { commandId } from "@mimikit/store/disk/create-command";
import { archivePath, QUESTIONS } from "@mimikit/store/disk/state";
import { type ChangedNames, PendingChanges } from "@mimikit/store/state-cache/pending-changes";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { HttpProblem } from "../../apps/http-gateway/src/http/problem.ts";
import { Commands } from "../../apps/http-gateway/src/state/commands.ts";
import { type StateView, View } from "../../apps/http-gateway/src/state/view.ts";
import { NEXT_EVERY, type Outside, TOKEN, tolerating } from "./outside.ts";
import { below, type Random } from "./random.ts";
import { checkCache } from "./views.ts";
import type { Environment, Program, World } from "./world.ts";

/** Commands beside the messages, in one run. */
const COMMANDS = 16;
/** In a turn of the user: that a message is sent, that a command is thought of, that one which has no answer is sent again. */
const MESSAGE_CHANCE = 0.07;
const COMMAND_CHANCE = 0.1;
const AGAIN_CHANCE = 0.3;
/** The answer did not arrive, and the same is sent again, perhaps much later; or it was sent twice at once. */
const REPEAT_CHANCE = 0.2;
const TWICE_CHANCE = 0.1;
/** A look at all directories, and one at each of their files. */
const LOOK_AT_ALL_CHANCE = 0.3;
const LOOK_AT_EACH_CHANCE = 0.1;
/** Turns in which nothing was written, after which what is kept up is compared with what is on disk. */
const COMPARE_AFTER_QUIET = 1_500;

/** Something that the user wants, under a key of its own. */
interface Order {
  readonly key: string;
  /** @returns the id under which it was accepted. */
  readonly send: (commands: Commands) => Promise<string>;
  /** Called once, with that id. */
  readonly onTaken: (id: string) => void;
  takenAs?: string;
}

/** The user, who outlives every gateway. */
export class Page {
  /** How often what a gateway has kept up was compared with the disk. */
  compared = 0;
  private readonly outside: Outside;
  private readonly world: World;
  private readonly orders: Order[] = [];
  private readonly messages = new Map<string, Order>();
  private watch: { over: Watch; powerLosses: number } | undefined;
  private invented = 0;

  constructor(world: World, outside: Outside) {
    this.world = world;
    this.outside = outside;
  }

  /** Watches over the next gateway, which shows all that the one before it did, except that a power loss takes what was not durable. */
  watchOn(): Watch {
    const { powerLosses } = this.world.counts;
    if (this.watch?.powerLosses !== powerLosses) this.watch = { over: new Watch(this.world), powerLosses };
    return this.watch.over;
  }

  /** The next thing that the user sends; undefined for none. */
  next(state: StateView | undefined, cache: StateCache): Order | undefined {
    const { random, isCalm } = this.world;
    const dice = random();
    const name = this.outside.toSend[0];
    if (name !== undefined && dice < MESSAGE_CHANCE) return this.messageOf(name);
    const [order] = this.orders;
    if (order !== undefined && dice > 1 - AGAIN_CHANCE) return order;
    if (state === undefined || isCalm || this.invented >= COMMANDS || dice > MESSAGE_CHANCE + COMMAND_CHANCE) return;
    const invented = invent(`k-${this.invented}`, state, cache, this.world, this.outside);
    if (invented === undefined) return;
    this.invented++;
    this.orders.push(invented);
    return invented;
  }

  private messageOf(name: string): Order {
    const { outside } = this;
    const known = this.messages.get(name);
    if (known !== undefined) return known;
    const isNext = Number(name.slice("m-".length)) % NEXT_EVERY === 0;
    const order: Order = {
      key: name,
      send: (commands) => commands.sendMessage({ text: `say ${name}`, ...(isNext && { mode: "next" }) }, name),
      onTaken: (id) => outside.acknowledged.add(id),
    };
    this.messages.set(name, order);
    return order;
  }

  /** Sends it, and perhaps twice at once. A refusal is an answer as well, but none to something that was accepted. */
  async send(order: Order, commands: Commands, { step, world }: Environment): Promise<void> {
    const wasTaken = order.takenAs !== undefined;
    const times = world.random() < TWICE_CHANCE ? 2 : 1;
    try {
      const ids = await Promise.all(Array.from({ length: times }, () => order.send(commands)));
      await step(() => this.answered(order, ids));
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error;
      if (wasTaken) world.violate(`${order.key} was accepted, and is refused when it comes again: ${error.message}`);
      await step(() => this.drop(order));
    }
  }

  private answered(order: Order, ids: readonly string[]): void {
    for (const id of ids) {
      if (order.takenAs === undefined) order.onTaken(id);
      else if (order.takenAs !== id) this.world.violate(`${order.key} was accepted as ${order.takenAs}, and as ${id}`);
      order.takenAs = id;
    }
    this.drop(order);
    if (this.world.random() < REPEAT_CHANCE) this.keep(order);
  }

  private drop(order: Order): void {
    const { toSend } = this.outside;
    if (this.messages.has(order.key)) {
      if (toSend.includes(order.key)) toSend.splice(toSend.indexOf(order.key), 1);
    } else if (this.orders.includes(order)) this.orders.splice(this.orders.indexOf(order), 1);
  }

  private keep(order: Order): void {
    if (this.messages.has(order.key)) this.outside.toSend.push(order.key);
    else this.orders.push(order);
  }
}

/** Checks what the page shows, look by look. */
class Watch {
  private readonly world: World;
  /** The ids that a look has shown: none of them goes again. */
  private readonly shown = new Set<string>();
  private readonly ended = new Set<string>();
  private open = new Set<string>();
  /** Questions that were shown and then no more; they come again where an answer was none of their options. */
  private readonly gone = new Set<string>();

  constructor(world: World) {
    this.world = world;
  }

  /**
   * @param promised messages that were durable before the look began.
   * @param closed questions whose end was in archive/ by then.
   */
  check(stateView: StateView, promised: Iterable<string>, closed: ReadonlySet<string>): void {
    const { world } = this;
    const ids = stateView.messages.map(({ id }) => id);
    const said = new Set(
      stateView.messages.flatMap(({ id, replaces = id, instead = id, versions = [] }) => [
        ...[id, replaces, instead],
        ...versions.flatMap((version: ChatMessage) => [version.id, version.replaces ?? []].flat()),
      ]),
    );
    const tasks = new Map(stateView.tasks.map((task) => [task.id, task]));
    if (new Set(ids).size < ids.length) world.violate(`the page shows a message twice: ${ids}`);
    if (tasks.size < stateView.tasks.length)
      world.violate(`the page shows a task twice: ${stateView.tasks.map(({ id }) => id)}`);
    for (const id of promised)
      if (!said.has(id)) world.violate(`the page does not show the acknowledged message ${id}`);
    for (const id of this.shown)
      if (!said.has(id) && !tasks.has(id) && !this.isRefused(id))
        world.violate(`the page has shown ${id}, and does no more`);
    for (const { id, state } of stateView.tasks) {
      const isEnded = state === "done" || state === "failed" || state === "cancelled";
      if (this.ended.has(id) && !isEnded) world.violate(`the page says that ${id} is ${state}, after it had ended`);
      if (isEnded) this.ended.add(id);
      this.shown.add(id);
    }
    const open = new Set(stateView.questions.map(({ id }) => id));
    for (const id of this.open) if (!open.has(id)) this.gone.add(id);
    // Its answer was none of its options, and has become a message.
    for (const id of open)
      if (!closed.has(id)) this.gone.delete(id);
      else if (this.gone.has(id)) world.violate(`the page shows the question ${id} again, which is closed`);
    this.open = open;
    // A turn that is stopped tells nothing of its outage.
    for (const id of ids) if (!id.endsWith(".outage")) this.shown.add(id);
  }

  /** Are these the other words of a second thought that came too late (docs/steering.md#second-thoughts)? */
  private isRefused(id: string): boolean {
    const { disk } = this.world;
    const command = id.replace(/^m-/, "");
    const isSo = (record: string) => record.includes(command) && record.includes('"outcome":"refused: ');
    if (isSo(disk.read(archivePath(command)) ?? "")) return true;
    // Its month may be compacted by now.
    return disk
      .names("archive/folded")
      .some((name) => disk.read(`archive/folded/${name}`, Number.MAX_SAFE_INTEGER)?.split("\n").some(isSo));
  }
}

/** The gateway of a run, with its user. */
export function page(outside: Outside, user: Page): Program {
  return async (environment) => {
    const { fs, process, nowMs, world } = environment;
    const { cache, view } = open(environment);
    const log = { audit: () => undefined };
    const commands = new Commands({ fs, cache, view, token: TOKEN, timeZone: () => "UTC", log, nowMs });
    const heard = new PendingChanges();
    process.hear = (dir, name) => heard.note(dir, name);
    const watch = user.watchOn();
    const looks = (async (): Promise<never> => {
      for (;;) await lookOnce(view, cache, heard, watch, environment, outside, user);
    })();
    looks.catch((error: unknown) => world.violate(`the page crashed: ${String(error)}`));
    for (;;) {
      const order = await environment.step(() => user.next(view.newest, cache));
      if (order === undefined) await environment.rest();
      else await tolerating(environment, () => user.send(order, commands, environment));
    }
  };
}

function open({ fs, nowMs }: Environment): { cache: StateCache; view: View } {
  const cache = new StateCache(fs, { token: TOKEN, durable: false, onBadArchive: () => undefined });
  return { cache, view: new View(fs, cache, nowMs) };
}

async function lookOnce(
  view: View,
  cache: StateCache,
  heard: PendingChanges,
  watch: Watch,
  environment: Environment,
  outside: Outside,
  user: Page,
): Promise<void> {
  const { world, rest } = environment;
  const { random } = world;
  const changes = random() < LOOK_AT_ALL_CHANCE ? NOTHING : heard.take();
  const promised = changes.size === 0 ? [...outside.acknowledged] : [];
  const asked = world.disk.names(QUESTIONS).map((name) => name.replace(/\.json$/, ""));
  const closed = new Set(asked.filter((id) => world.disk.info(archivePath(id)) !== null));
  await tolerating(environment, async () => {
    const isEach = random() < LOOK_AT_EACH_CHANCE;
    const state = await (changes.size === 0 ? view.refresh(isEach) : view.refreshHeard(changes));
    watch.check(state, promised, closed);
    checkCache(cache, (what) => world.violate(`at the page: ${what}`));
    if (isCalmEnough(world)) await compare(view, environment, user);
  });
  await rest();
}

const NOTHING: ChangedNames = new Map();

const isCalmEnough = (world: World) => world.isCalm && world.quiet > COMPARE_AFTER_QUIET;

/** A gateway that begins now would show the same as this one, which has kept up its view from look to look. */
async function compare(view: View, environment: Environment, user: Page): Promise<void> {
  const { world } = environment;
  const made = await open(environment).view.refresh(true);
  const kept = await view.refresh();
  if (!isCalmEnough(world)) return;
  user.compared++;
  // While a task is awaited, each look is made anew and asks the archive for it.
  const { awaited } = view as unknown as { awaited: ReadonlySet<string> };
  if (awaited.size > 0) world.violate(`the page still waits for ${[...awaited]}`);
  for (const part of ["messages", "tasks", "triggers", "questions", "queued", "running", "outages", "inbox"] as const) {
    const [one, other] = [itemsOf(kept[part]), itemsOf(made[part])];
    const [more, less] = [one.filter((item) => !other.includes(item)), other.filter((item) => !one.includes(item))];
    if (more.length + less.length > 0) world.violate(`${part} of the page has ${more}, and has not ${less}`);
    else if (one.join() !== other.join()) world.violate(`${part} of the page is in the order ${one}, not ${other}`);
  }
}

const itemsOf = (part: unknown): string[] => (Array.isArray(part) ? part : [part]).map((item) => JSON.stringify(item));

/** Something that a user may want, by what they see. */
function invent(key: string, state: StateView, cache: StateCache, world: World, outside: Outside): Order | undefined {
  const { random } = world;
  const task = one(state.tasks, random);
  const trigger = one(state.triggers, random);
  const question = one(state.questions, random);
  const change = one([...cache.changes.keys()], random);
  const order = (kind: Parameters<typeof commandId>[0], send: Order["send"], ...notes: Set<string>[]): Order => {
    const id = commandId(kind, key);
    const onTaken = () => {
      for (const note of [outside.commands, ...notes]) note.add(id);
    };
    return { key, send, onTaken };
  };
  const running = one(state.running, random)?.id;
  const possible: (Order | undefined)[] = [
    order("steer", (commands) => commands.steer(`rather ${key}`, undefined, key), outside.steers),
    order("steer", (commands) => commands.steer(`rather ${key}`, running, key), outside.steers),
    order("stop", (commands) => commands.stop(key)),
    random() < 0.3 ? order("clear", (commands) => commands.clear(key), outside.clears) : undefined,
    order("retry", (commands) => commands.retry({}, key)),
    order("retry", (commands) => commands.retry({ text: `say rather ${key}` }, key)),
    task && order("again", (commands) => commands.tryAgain(task.id, undefined, key)),
    question && order("answer", (commands) => commands.answer(question.id, question.options[0] ?? `yes ${key}`, key)),
    question && order("answer", (commands) => commands.choose(question.id, 0, key)),
    putTrigger(),
    trigger && order("trigger-patch", (commands) => commands.patchTrigger(trigger.id, { paused: random() < 0.5 }, key)),
    trigger && order("trigger-run", (commands) => commands.runTrigger(trigger.id, key)),
    trigger && order("trigger-delete", (commands) => commands.deleteTrigger(trigger.id, key)),
    order("memory-add", (commands) => commands.addMemory({ content: `I said ${key}`, longTerm: random() < 0.5 }, key)),
    order("backlog-edit", (commands) => commands.editBacklog({ op: "add", item: `thing ${key}` }, key)),
    change === undefined ? undefined : order("undo", (commands) => commands.undo(change, key)),
  ];
  return one(possible, random);

  function putTrigger(): Order {
    const input: TriggerInput = {
      prompt: `do ${key}`,
      ...(random() < 0.5 && { target: "worker" }),
      ...(random() < 0.5
        ? { interval: 20 + below(random, 120) }
        : { runAt: new Date(world.now() + below(random, 200_000)).toISOString() }),
    };
    const made = order("trigger-put", (commands) => commands.putTrigger(input, key));
    return {
      ...made,
      onTaken: (triggerId) => {
        made.onTaken(triggerId);
        if (triggerId !== triggerIdOf(commandId("trigger-put", key)))
          world.violate(`${key} made the trigger ${triggerId}`);
        outside.triggers.add(triggerId);
      },
    };
  }
}

function one<T>(of: readonly T[], random: Random): T | undefined {
  return of[below(random, of.length)];
}
