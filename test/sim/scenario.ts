/**
 * One simulated run: clients that send and retry, people who drop files, cancel and restart; two
 * supervisors and two pools that run the real code; and a model that says anything a model may say.
 */

import type { RunOutcome } from "@mimikit/agent/run/run-task";
import type { Steering } from "@mimikit/agent/steering";
import { type Ceiling, NO_SPENDING } from "@mimikit/core/base/budget";
import type { MemoryBounds } from "@mimikit/core/base/memory-bounds";
import type { Candidate } from "@mimikit/core/tasks/dispatch";
import { SUSPECT_DEATHS } from "@mimikit/core/tasks/poison";
import { outageOf } from "@mimikit/core/tasks/retry";
import { triggerIdOf } from "@mimikit/core/triggers/of-command";
import type { AskedCall } from "@mimikit/protocol/approvals/approval";
import type { AttachedFile } from "@mimikit/protocol/base/attachment";
import { ancestorsOf, cancelMark, childId } from "@mimikit/protocol/base/id";
import { byRole } from "@mimikit/protocol/base/kind";
import { Role } from "@mimikit/protocol/base/role";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import type { Effect } from "@mimikit/protocol/records/effect";
import { HISTORY_MESSAGES_MAX } from "@mimikit/protocol/records/history";
import { Message } from "@mimikit/protocol/records/inbox";
import { Question } from "@mimikit/protocol/records/question";
import { isImprovement, type Task } from "@mimikit/protocol/records/task";
import type { Condition } from "@mimikit/protocol/triggers/condition";
import type { Target, When } from "@mimikit/protocol/triggers/trigger-order";
import { createSigned } from "@mimikit/store/disk/create-command";
import { directoryOf } from "@mimikit/store/disk/file-system";
import { createRecord } from "@mimikit/store/disk/record";
import {
  archivePath,
  CHANGES,
  COMPACTED,
  claimPath,
  inboxPath,
  joinedPath,
  resultPath,
  runningOf,
} from "@mimikit/store/disk/state";
import { DocumentBusy } from "@mimikit/store/documents/document";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { MemoryWatch } from "../../apps/supervisor/src/observe/memory-watch.ts";
import type { SupervisorOptions } from "../../apps/supervisor/src/supervisor.ts";
import { compactArchive } from "../../apps/supervisor/src/upkeep/compact-archive.ts";
import { writeHistory } from "../../apps/supervisor/src/views/history-view.ts";
import type { Allotted } from "../../apps/worker-pool/src/claim/allot.ts";
import { keepClaim } from "../../apps/worker-pool/src/claim/claim.ts";
import { Pool } from "../../apps/worker-pool/src/pool.ts";
import { Approvals, allowedOn } from "./approvals.ts";
import { Attachments } from "./attachments.ts";
import { IDLE_SEC, inventStep, isOtherImprovement } from "./improvements.ts";
import { type Child, loading, MESSAGES, NEXT_EVERY, type Outside, TOKEN, tolerating } from "./outside.ts";
import { Page, page } from "./page.ts";
import { Purse } from "./purse.ts";
import { below, type Random } from "./random.ts";
import { checkDispatch, WatchedSupervisor } from "./views.ts";
import type { Environment, Process, Program, World } from "./world.ts";

/** So many messages in a row come by the same way; then they come by another one. */
const WAY_MESSAGES = 2;
/** The ways by which messages come: the page, and two chats. */
const WAYS = [undefined, "1", "2"] as const;
/** Steers, stops and new conversations in one run, at most. */
const INTERJECTIONS = 6;
/** Commands about triggers in one run, and orders of models for one, at most. */
const TRIGGER_COMMANDS = 8;
const SCHEDULES = 3;
/** Commands about memory and the backlog, and to take something back, in one run, at most. */
const NOTE_COMMANDS = 12;
/** Lines that a person writes into memory in one run, at most. */
const SCRIBBLES = 4;
/** Commands to look for something to improve in one run, at most. */
const IMPROVE_COMMANDS = 6;
/** Commands to take back what was allowed for good in one run, at most. */
const REVOKES = 8;
/** One question in so many is answered only when all is calm, where there are many: until then its time may run out. */
const UNNOTICED_EVERY = 3;
const DAY_SEC = 86_400;
/** A run says little and is short: notes are made, and the window is cut, accordingly. */
export const BOUNDS: MemoryBounds = {
  noteMessages: 5,
  noteChars: 300,
  noteTurns: 6,
  noteAfterSec: 60,
  windowMessages: 10,
  flushEverySec: 60,
  windowKept: 4,
};
const WATCHED_PATHS = ["src/**/*.ts", "deploy.flag"] as const;
const RETRY_DELAY_SEC = 5;
const COMPACT_DAYS = 30;
/** That months are compacted after a tick: each time the whole archive is looked at. */
const COMPACT_CHANCE = 0.01;
const CONCURRENCY = { ...byRole(() => 1), worker: 2 };
/** That a run reaches nobody, so that a task is often tried again and again. */
const OUTAGE_CHANCE = 0.4;
/** That a tick looks at all directories, and not only at what was heard. */
const LOOK_AT_ALL_CHANCE = 0.3;
/** A run takes fewer steps than this; a greedy one so many more, so that its pool looks again before it dies. */
const RUN_STEPS = 12;
const GREEDY_STEPS = 60;
/** That a pool is told to stop, for each of its ticks. */
const STOP_CHANCE = 0.004;

export interface Shape {
  /** There are budgets, and what runs cost is noted; drawn from a stream of its own. */
  purse?: Random;
  /** It looks for something to improve whenever it is quiet, and when a person wants it. */
  improves?: boolean;
  /** Workers make calls that need the owner's yes. */
  asks?: boolean;
  /** Messages name files, and old files are swept. */
  attaches?: boolean;
  /** Messages and commands come through the real gateway. */
  hasPage?: boolean;
  supervisors: number;
  pools: number;
  /** The lock of a document is only a courtesy: without it one supervisor still loses nothing. */
  documentLocks: boolean;
  /** The person has things written down, and takes back what was changed. */
  takesNotes: boolean;
  /** Messages come by the page and by two chats; else by the page alone. */
  hasWays: boolean;
  /** The so many-th task that runs is greedy: it takes its pool down whenever it runs. Null: none does. */
  greedyNth: number | null;
}

export function populate(world: World, outside: Outside, shape: Shape): void {
  world.home.onPowerLoss = () => {
    outside.children.clear();
    outside.purse?.forget();
  };
  if (shape.purse !== undefined) outside.purse = new Purse(world, shape.purse);
  if (shape.attaches) outside.attachments = new Attachments(world);
  if (shape.asks) {
    outside.approvals = new Approvals(world);
    world.disk.losesDirectories = true;
  }
  world.onDeath = ({ identity: { pid } }) => noteDeath(pid, world, outside);
  const user = shape.hasPage ? new Page(world, outside) : undefined;
  outside.page = user;
  world.start("gateway", user === undefined ? gateway(outside, shape) : page(outside, user));
  world.start("person", person(outside, shape));
  for (let i = 0; i < shape.supervisors; i++) world.start("supervisor", supervisor(outside, shape));
  for (let i = 0; i < shape.pools; i++) world.start("pool", pool(outside, shape));
}

/** Sends what is to be sent, acknowledges only what is durable, and is asked again after a lost answer. */
export function gateway(outside: Outside, { hasWays }: Shape): Program {
  return async (environment) => {
    const { fs, step, rest, world } = environment;
    const { attachments } = outside;
    for (;;) {
      const id = await step(() => outside.toSend[0]);
      if (attachments !== undefined) await tolerating(environment, () => attachments.prepare(environment));
      if (id === undefined || world.random() < 0.93) {
        await rest();
        continue;
      }
      let files: AttachedFile[] = [];
      const message = (): Message => ({
        kind: "message",
        id,
        at: new Date(environment.nowMs()).toISOString(),
        text: `say ${id}`,
        ...(files.length > 0 && { attachments: files }),
        ...(Number(id.slice("m-".length)) % NEXT_EVERY === 0 && { mode: "next" as const }),
        ...(hasWays && viaOf(Number(id.slice("m-".length)))),
      });
      const persist = () => createRecord(fs, Message, inboxPath(id), message());
      const acknowledge = () =>
        step(() => {
          outside.acknowledged.add(id);
          attachments?.acknowledged(files);
          outside.toSend.shift();
          // The client did not hear the answer and sends the same message again, perhaps much later.
          if (world.random() < 0.15) outside.toSend.push(id);
        });
      await tolerating(environment, async () => {
        if (attachments !== undefined) files = await attachments.named(Number(id.slice("m-".length)), environment);
        await persist();
        await attachments?.assertKept(files, environment);
        await acknowledge();
      });
    }
  };
}

/** The way by which a message comes, if it is not the page. */
function viaOf(number: number): Pick<Message, "via"> {
  const chat = WAYS[Math.floor(number / WAY_MESSAGES) % WAYS.length];
  return chat === undefined ? {} : { via: { channel: "telegram", chat, person: chat } };
}

/** Drops files by hand, cancels tasks, asks for restarts, and leaves garbage. */
function person(outside: Outside, { takesNotes, improves = false, asks = false }: Shape): Program {
  return async (environment) => {
    const { fs, step, rest, world, nowMs } = environment;
    const drop = (path: string, text: string) => {
      world.quiet = 0;
      if (world.canSave(path)) world.disk.create(path, text, nowMs());
    };
    const at = () => new Date(nowMs()).toISOString();
    for (;;) {
      const dice = await step(() => world.random());
      const serial = world.counts.steps;
      // One after the other: whoever asks again before the answer is only one more to be answered.
      const isDeleting = world.disk.names("inbox").some((name) => name.startsWith("delete-"));
      const triggers = world.isCalm && !isDeleting ? triggersOn(world) : [];
      const open = dice < 0.3 ? questionsOn(world) : [];
      // Of many questions each is answered rarely twice, and in the end none: an answer that comes too late is a message, and makes work of its own.
      const isOnce = (asks && world.random() < 0.98) || world.isCalm;
      const asked = isOnce ? open.filter((each) => isNoticed(each, world)) : open;
      if (asked.length > 0 && dice < (world.isCalm ? 0.3 : asks ? 0.2 : 0.03)) {
        await answerQuestion(pick(asked, world), serial, environment, outside);
      } else if (triggers.length > 0 && dice < 0.2) {
        await deleteTrigger(pick(triggers, world), serial, environment, outside);
      } else if (outside.toSend.length === 0 && outside.acknowledged.size >= MESSAGES && dice < 0.9) {
        await rest();
      } else if (dice < 0.02 && outside.dropped.length < 3) {
        const text = `note ${serial}`;
        await step(() => {
          if (!world.canSave("inbox/note.json")) return;
          outside.dropped.push(text);
          drop(`inbox/note-${serial}.json`, JSON.stringify({ kind: "message", text }));
        });
      } else if (dice < 0.03 && outside.cancels < 4 && outside.seenTasks.size > 0) {
        const tasks = [...outside.seenTasks];
        const taskId = tasks[below(world.random, tasks.length)] ?? "";
        outside.cancels++;
        const id = `c-${serial}`;
        const command = { kind: "cancel" as const, id, at: at(), taskId };
        await tolerating(environment, async () => {
          await createSigned(fs, TOKEN, command);
          outside.commands.add(id);
        });
      } else if (dice < 0.034 && outside.restartCommands < 2) {
        outside.restartCommands++;
        const id = `r-${serial}`;
        const command = { kind: "restart" as const, id, at: at() };
        await tolerating(environment, async () => {
          await createSigned(fs, TOKEN, command);
          outside.commands.add(id);
        });
      } else if (dice < 0.042 && outside.interjections < INTERJECTIONS) {
        outside.interjections++;
        await interject(serial, environment, outside);
      } else if (dice < 0.046 && outside.triggerCommands < TRIGGER_COMMANDS) {
        outside.triggerCommands++;
        await commandForTrigger(serial, environment, outside);
      } else if (dice < 0.047 || (world.isCalm && outside.isAtCeiling)) {
        await step(() => {
          outside.isAtCeiling = !world.isCalm && !outside.isAtCeiling;
        });
      } else if (dice < 0.05 && !world.isCalm) {
        await step(() => outside.stamps.set(pick(WATCHED_PATHS, world), dice < 0.048 ? "" : `seen ${serial}`));
      } else if (dice < 0.056) {
        const dirs = ["inbox", "worker/queue", "planner/results", "worker/running", "triggers"];
        const dir = dirs[below(world.random, dirs.length)];
        await step(() => drop(`${dir}/junk-${serial}.json`, '{"half'));
      } else if (dice < 0.075 && outside.scribbles.length < SCRIBBLES) {
        await step(() => scribble(`mine ${serial}`, world, outside));
      } else if (improves && dice < 0.085 && outside.improveCommands < IMPROVE_COMMANDS) {
        outside.improveCommands++;
        const id = `improve-${String(serial).padStart(8, "0")}`;
        await tolerating(environment, async () => {
          await createSigned(fs, TOKEN, { kind: "improve", id, at: at() });
          outside.commands.add(id);
        });
      } else if (dice < 0.1 && takesNotes && outside.noteCommands < NOTE_COMMANDS) {
        outside.noteCommands++;
        await commandForNote(serial, environment, outside);
      } else if (asks && dice > 0.96 && !world.isCalm && outside.revokes < REVOKES) {
        await revoke(serial, environment, outside);
      } else await rest();
    }
  };
}

/**
 * A person adds a line to a file of memory, or begins one there, and saves it durably. Not in the instant between two
 * operations on names that docs/memory.md names: then nothing could keep both what is put there and what they save.
 */
function scribble(line: string, world: World, outside: Outside): void {
  const { disk, random } = world;
  const files = ["memory", "memory/summary"].flatMap((dir) => disk.visibleNames(dir).map((name) => `${dir}/${name}`));
  const path =
    files[below(random, files.length + 1)] ?? `memory/${new Date(world.now()).toISOString().slice(0, 10)}.md`;
  if (disk.isBeingReplaced(path) || !world.canSave(path)) return;
  disk.create(path, `${disk.read(path) ?? ""}${line}\n`, world.now());
  disk.syncContent(path);
  disk.syncDir(directoryOf(path));
  outside.scribbles.push(line);
}

function pick<T>(of: readonly T[], world: World): T {
  const one = of[below(world.random, of.length)];
  if (one === undefined) throw new Error("nothing to pick from");
  return one;
}

/** The triggers that are on disk, by their ids. */
function triggersOn({ disk }: World): string[] {
  const ids = disk.names("triggers").flatMap((name) => {
    const text = disk.read(`triggers/${name}`) ?? "";
    return text.includes('"type":"link"') ? [] : (/^(.+)\.v\d+\.json$/.exec(name)?.[1] ?? []);
  });
  return [...new Set(ids)];
}

/** While a budget is used up, only what the user says is answered. */
function ceilingOf({ isAtCeiling }: Outside, nowMs: number): Ceiling | null {
  if (!isAtCeiling) return null;
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const spent = { tokens: 1_000, costUsd: 0 };
  const resumesAt = new Date(nowMs + DAY_SEC * 1_000).toISOString();
  return { scope: "day", period: day, limit: { tokens: 1_000 }, spent, reserved: NO_SPENDING, resumesAt };
}

/** The questions that are open on disk. */
export function questionsOn({ disk }: World): Question[] {
  return disk.names("questions").flatMap((name) => {
    const text = disk.read(`questions/${name}`) ?? "";
    return text.includes('"half') ? [] : [Question.parse(JSON.parse(text))];
  });
}

/** Does the person see it, and is no answer to it on its way? */
export function isNoticed({ id: questionId, at }: Question, { disk, isCalm }: World): boolean {
  if (!isCalm && Date.parse(at) % UNNOTICED_EVERY === 0) return false;
  const answers = disk.names("inbox").filter((name) => name.startsWith("a-"));
  const isOnItsWay = answers.some((name) => disk.read(`inbox/${name}`)?.includes(`"${questionId}"`));
  return !isOnItsWay && disk.info(archivePath(questionId)) === null;
}

/** Answers with an option or with something else; the same question may be answered again before that is seen. */
export async function answerQuestion(
  { id: questionId, options }: Question,
  serial: number,
  environment: Environment,
  outside: Outside,
): Promise<void> {
  const { fs, world, nowMs } = environment;
  const isOption = options.length > 0 && (world.isCalm || world.random() < 0.8);
  const answer = isOption ? pick(options, world) : `rather ${serial}`;
  const id = `a-${String(serial).padStart(8, "0")}`;
  const command = { kind: "answer" as const, id, at: new Date(nowMs()).toISOString(), questionId, answer };
  await tolerating(environment, async () => {
    await createSigned(fs, TOKEN, command);
    outside.commands.add(id);
  });
}

/** An order for a trigger that comes to its end: the person deletes what still stands when all is calm. */
function inventWhen(world: World, nowMs: number): When {
  const { random } = world;
  const missed = pick(["latest", "all", "none"] as const, world);
  const dice = random();
  // A jump of weeks makes up for a handful of days, not for a hundred minutes: there would be no end of work.
  const interval = missed === "all" ? DAY_SEC * (15 + below(random, 10)) : 20 + below(random, 120);
  if (dice < 0.4) return { type: "recurring", schedule: { interval }, missed };
  if (dice < 0.6) return { type: "scheduled", runAt: new Date(nowMs + below(random, 200_000)).toISOString(), missed };
  const file: Condition = { type: "file_changed", params: { path: pick(WATCHED_PATHS, world) } };
  const flag: Condition = { type: "file_exists", params: { path: pick(WATCHED_PATHS, world) } };
  const asked: Condition = { type: "llm_eval", params: { prompt: "is it time?" } };
  const condition = pick<Condition>(
    [
      file,
      flag,
      { type: "not", condition: flag },
      { type: "and", conditions: [flag, asked] },
      { type: "or", conditions: [file, asked] },
    ],
    world,
  );
  return { type: "conditional", condition, cooldown: below(random, 60) };
}

/** Makes a trigger, or changes, pauses, runs or deletes one that there is, or was. */
async function commandForTrigger(serial: number, environment: Environment, outside: Outside): Promise<void> {
  const { fs, world, nowMs } = environment;
  const at = new Date(nowMs()).toISOString();
  const known = [...outside.triggers];
  const dice = world.random();
  const hex = String(serial).padStart(8, "0");
  await tolerating(environment, async () => {
    if (known.length === 0 || dice < 0.5) {
      const id = `put-${hex}`;
      const target = pick(["teller", "planner", "worker"] as const, world);
      const definition = { order: { prompt: `do ${serial}`, target }, when: inventWhen(world, nowMs()) };
      const command = { kind: "trigger-put" as const, id, at, definition };
      await createSigned(fs, TOKEN, command);
      outside.triggers.add(triggerIdOf(id));
      outside.commands.add(id);
      return;
    }
    const triggerId = pick(known, world);
    if (dice < 0.65) {
      const id = `run-${hex}`;
      const command = { kind: "trigger-run" as const, id, at, triggerId };
      await createSigned(fs, TOKEN, command);
      outside.commands.add(id);
    } else if (dice < 0.9) {
      const id = `patch-${hex}`;
      const patch = world.random() < 0.7 ? { paused: world.random() < 0.5 } : { order: { prompt: `rather ${serial}` } };
      const command = { kind: "trigger-patch" as const, id, at, triggerId, patch };
      await createSigned(fs, TOKEN, command);
      outside.commands.add(id);
    } else await deleteTrigger(triggerId, serial, environment, outside);
  });
}

async function deleteTrigger(
  triggerId: string,
  serial: number,
  environment: Environment,
  outside: Outside,
): Promise<void> {
  const { fs, nowMs } = environment;
  const id = `delete-${String(serial).padStart(8, "0")}`;
  const command = { kind: "trigger-delete" as const, id, at: new Date(nowMs()).toISOString(), triggerId };
  await tolerating(environment, async () => {
    await createSigned(fs, TOKEN, command);
    outside.commands.add(id);
  });
}

/** Has something remembered, does something to the backlog, or takes back what was changed, perhaps once more. */
async function commandForNote(serial: number, environment: Environment, outside: Outside): Promise<void> {
  const { fs, world, nowMs } = environment;
  const at = new Date(nowMs()).toISOString();
  const hex = String(serial).padStart(8, "0");
  const dice = world.random();
  const changes = world.disk.names(CHANGES).map((name) => name.replace(/\.json$/, ""));
  await tolerating(environment, async () => {
    if (changes.length > 0 && dice < 0.5) {
      const id = `undo-${hex}`;
      const command = { kind: "undo" as const, id, at, changeId: pick(changes, world) };
      await createSigned(fs, TOKEN, command);
      outside.commands.add(id);
    } else if (dice < 0.75) {
      const id = `memory-${hex}`;
      const where = pick(
        [{ longTerm: true }, { longTerm: false }, { longTerm: true, target: "profile" }] as const,
        world,
      );
      const command = { kind: "memory-add" as const, id, at, content: `I said ${serial}`, ...where };
      await createSigned(fs, TOKEN, command);
      outside.commands.add(id);
    } else {
      const id = `backlog-${hex}`;
      const op = pick(["add", "done", "remove"] as const, world);
      const item = op === "add" ? `thing ${serial}` : String(1 + below(world.random, 2));
      const command = { kind: "backlog-edit" as const, id, at, op, item };
      await createSigned(fs, TOKEN, command);
      outside.commands.add(id);
    }
  });
}

/** Says something to what runs, stops it and wants it anew, or begins a new conversation; to a task by its name, or to whatever runs. */
async function interject(serial: number, environment: Environment, outside: Outside): Promise<void> {
  const { fs, world, nowMs } = environment;
  const at = new Date(nowMs()).toISOString();
  const tasks = [...outside.seenTasks];
  const named = world.random() < 0.4 ? tasks[below(world.random, tasks.length)] : undefined;
  const dice = world.random();
  const target = named === undefined ? {} : { taskId: named };
  await tolerating(environment, async () => {
    if (dice < 0.6) {
      const id = `s-${serial}`;
      await createSigned(fs, TOKEN, { kind: "steer", id, at, text: `rather ${serial}`, ...target });
      outside.steers.add(id);
      outside.commands.add(id);
    } else if (dice < 0.85) {
      const id = `stop-${serial}`;
      await createSigned(fs, TOKEN, { kind: "stop", id, at, ...target });
      outside.commands.add(id);
      // A task that was stopped may be wanted all the same.
      const anew = `retry-${serial}`;
      await createSigned(fs, TOKEN, { kind: "retry", id: anew, at });
      outside.commands.add(anew);
    } else {
      const id = `clear-${serial}`;
      const command = { kind: "clear" as const, id, at };
      await createSigned(fs, TOKEN, command);
      outside.clears.add(id);
      outside.commands.add(id);
    }
  });
}

/** Takes back something that is allowed for good, perhaps once more. */
async function revoke(serial: number, environment: Environment, outside: Outside): Promise<void> {
  const { fs, world, nowMs, rest } = environment;
  const allowed = allowedOn(world.disk);
  if (allowed.length === 0) return rest();
  outside.revokes++;
  const id = `revoke-${String(serial).padStart(8, "0")}`;
  const approvalId = pick(allowed, world);
  await tolerating(environment, async () => {
    await createSigned(fs, TOKEN, { kind: "revoke", id, at: new Date(nowMs()).toISOString(), approvalId });
    outside.commands.add(id);
  });
}

export function supervisor(outside: Outside, shape: Shape): Program {
  return async (environment) => {
    const { world, process, fs, nowMs, isAlive, rest, step } = environment;
    const usageLog = outside.purse?.open();
    // A gateway that begins shows what this window has, and is compared with one that has been there for long.
    const windowKept = shape.hasPage ? HISTORY_MESSAGES_MAX : BOUNDS.windowKept;
    const options: SupervisorOptions = {
      fs,
      token: TOKEN,
      nowMs,
      isAlive,
      lock: shape.documentLocks ? world.lockOf(environment) : (_path, work) => work(),
      audit: () => undefined,
      onError: (error, action) => {
        const isExpected = world.isOfDisk(error) || error instanceof DocumentBusy;
        if (!isExpected) world.violate(`${action.type} failed: ${String(error)}`);
      },
      restart: () =>
        step(() => {
          outside.restarts++;
          world.restart();
        }),
      rereadMs: 30_000,
      world: {
        stampsOf: (paths) => step(() => new Map(paths.map((path) => [path, outside.stamps.get(path) ?? ""]))),
        timeZone: "UTC",
        selfImprove: () => {
          const isEnabled = shape.improves === true && !world.isCalm;
          return { isEnabled, lacks: null, idleSec: IDLE_SEC, limit: {}, startedMs: 0 };
        },
        memory: new MemoryWatch({ fs, bounds: BOUNDS, nowMs, canSummarize: () => true }),
        spending: () => {
          const ceiling =
            usageLog && outside.purse ? outside.purse.ceiling(usageLog, context.cache) : ceilingOf(outside, nowMs());
          return { ceiling, spentByTrigger: () => NO_SPENDING };
        },
      },
    };
    const context: WatchedSupervisor = new WatchedSupervisor(options, (what) => world.violate(what));
    process.hear = (dir, name) => context.hear(dir, name);
    await loading(environment, () => context.load());
    for (;;) {
      await tolerating(environment, async () => {
        const actions = await context.tick(world.random() < LOOK_AT_ALL_CHANCE);
        if (world.random() < 0.05) await writeHistory(fs, context.cache.archiveIndex, windowKept);
        if (world.random() < COMPACT_CHANCE)
          await world.besideQuiet(() => compactArchive(fs, context.cache.archiveIndex, nowMs(), COMPACT_DAYS));
        await outside.attachments?.sweep(context.cache, environment);
        if (actions === 0) await rest();
      });
    }
  };
}

/** Now and then the pool is told to stop: it hands its runs back and ends, and another process takes its place. */
function pool(outside: Outside, shape: Shape): Program {
  return async (environment) => {
    const { world, process, fs, nowMs, isAlive, excuseOf, rest } = environment;
    const usageLog = outside.purse?.open();
    const context: Pool = new Pool({
      fs,
      token: TOKEN,
      identity: process.identity,
      isAlive,
      excuseOf,
      nowMs,
      limits: () => ({ concurrency: CONCURRENCY, retryDelaySec: RETRY_DELAY_SEC }),
      admit: (candidates) => {
        checkDispatch(context, candidates, CONCURRENCY, nowMs(), (what) => world.violate(what));
        return [...candidates];
      },
      allot: (candidates) =>
        usageLog && outside.purse ? outside.purse.allot(candidates, usageLog, context.cache, process) : [...candidates],
      run: (candidate, steering, signal) =>
        run(candidate, steering, signal, environment, outside, shape, context.cache),
      onRoom: () => undefined,
      endEarlier: (candidate) => endEarlier(candidate, environment, outside),
      audit: () => undefined,
      onError: (error) => {
        if (!world.isOfDisk(error)) world.violate(`publishing failed: ${String(error)}`);
      },
      pause: rest,
    });
    process.hear = (dir, name) => context.hear(dir, name);
    await loading(environment, () => context.load());
    while (world.random() > STOP_CHANCE) {
      await tolerating(environment, () => context.tick(world.random() < LOOK_AT_ALL_CHANCE ? "all" : "heard"));
      await rest();
    }
    await context.drain();
    return world.leave(process);
  };
}

async function endEarlier({ task }: Candidate, { step }: Environment, outside: Outside): Promise<void> {
  await step(() => undefined);
  await step(() => {
    for (const child of outside.children) if (child.task === task.id) outside.children.delete(child);
  });
}

async function run(
  candidate: Allotted,
  steering: Steering,
  signal: AbortSignal,
  environment: Environment,
  outside: Outside,
  { greedyNth }: Shape,
  cache: StateCache,
): Promise<RunOutcome> {
  const { fs, world, process, step } = environment;
  const { task, attempt } = candidate;
  const child: Child = { task: task.id, attempt, role: task.role, owner: process };
  await step(() => {
    world.quiet = 0;
    outside.seenTasks.add(task.id);
    if (outside.seenTasks.size === greedyNth) outside.greedy ??= task;
    const since = outageOf(candidate.outages)?.since;
    const isNews = since !== undefined && task.turn !== undefined && !outside.told.has(task.id);
    if (isNews) outside.told.set(task.id, { since, isContested: isBeingStopped(task.id, world) });
    inspectStart(candidate, process, world, outside);
    outside.purse?.begin(candidate, process);
    outside.approvals?.begin(task, attempt);
    outside.children.add(child);
    outside.executions.set(task.id, (outside.executions.get(task.id) ?? 0) + 1);
  });
  const isGreedy = isSameTask(task, outside.greedy);
  const steps = below(world.random, RUN_STEPS) + (isGreedy ? GREEDY_STEPS : 0);
  for (let left = steps; left > 0 && !signal.aborted; left--)
    await step(() => (world.random() < 0.2 ? steering.take() : undefined));
  if (isGreedy && !signal.aborted) return world.leave(process);
  const asks = await askedBy(task, cache, signal, environment, outside);
  const outcome = await step(() => {
    outside.children.delete(child);
    if (asks !== null && !signal.aborted) return waiting(asks, steering);
    return { ...invent(candidate, signal.aborted, world, outside), steers: [...steering.taken] };
  });
  const { purse } = outside;
  if (purse === undefined) return outcome;
  const usage = outcome.status === "done" || world.random() < 0.5 ? purse.cost(candidate) : outcome.usage;
  // The line is known by the number of the attempt, which no other may have after it.
  await keepClaim(candidate, fs).catch((error: unknown) => {
    if (!world.isOfDisk(error)) throw error;
  });
  await step(() => purse.end(candidate, { outcome: { ...outcome, usage }, isBegun: true, isFree: false, tools: null }));
  return { ...outcome, usage };
}

/** The call that a run ends with. A disk that fails ends it as well. */
async function askedBy(
  task: Task,
  cache: StateCache,
  signal: AbortSignal,
  environment: Environment,
  { approvals }: Outside,
): Promise<AskedCall | null> {
  let asked: AskedCall | null = null;
  if (approvals !== undefined)
    await tolerating(environment, async () => {
      asked = await approvals.make(task, cache, signal, environment);
    });
  return asked;
}

/** As a run ends whose call needs a yes. */
function waiting(asks: AskedCall, { taken }: Steering): RunOutcome {
  const failure = {
    status: "failed",
    failureReason: "needs_approval",
    error: "waits for a yes",
    retryable: true,
  } as const;
  const said = { resultType: "text", result: null, effects: [], steers: [...taken] } as const;
  return { ...failure, ...said, effects: [], asks, usage: NO_USAGE, provider: "simulated" };
}

/** The same task, and not another that was given its id after a power loss had taken it, unsynced, out of its queue? */
export function isSameTask(a: Task, b: Task | undefined): boolean {
  return a.id === b?.id && a.createdAt === b.createdAt;
}

/** Is there a stop that finds this task, or that has found it? */
function isBeingStopped(taskId: string, { disk }: World): boolean {
  const isStop = (name: string) => name.startsWith("stop-");
  const found = (name: string) => (disk.read(`archive/${name}`) ?? "").includes(`"taskId":"${taskId}"`);
  return disk.names("inbox").some(isStop) || disk.names("archive").filter(isStop).some(found);
}

/** Checks what must hold when a run begins, whatever happened before. */
function inspectStart(candidate: Candidate, owner: Process, world: World, outside: Outside): void {
  const { task, attempt } = candidate;
  const { disk } = world;
  for (const other of outside.children) {
    if (other.task === task.id && !hasOutcome(candidate, world)) world.violate(`two live executions of ${task.id}`);
  }
  for (const other of outside.children)
    if (isOtherImprovement(task.id, other.task) && !isArchived(other.task, world))
      world.violate(`${task.id} was begun beside ${other.task}`);
  const lane = [...outside.children].filter((child) => child.owner === owner && child.role === task.role);
  if (lane.length >= CONCURRENCY[task.role])
    world.violate(`more than ${CONCURRENCY[task.role]} of ${task.role} at once`);
  const claimedAt = disk.bornAt(claimPath(task.role, task.id, attempt));
  const isOlder = (path: string) => disk.bornAt(path) > 0 && disk.bornAt(path) < claimedAt;
  if ([task.id, ...ancestorsOf(task.id)].some((id) => isOlder(archivePath(cancelMark(id)))))
    world.violate(`${task.id} was started after it had been cancelled`);
  if (isOlder(resultPath(task.role, task.id)) || isOlder(archivePath(task.id)))
    world.violate(`${task.id} was started after it had an outcome`);
  const { onInterrupt } = task;
  if (candidate.interrupted && onInterrupt === "fail") world.violate(`${task.id} ran again, and must not`);
  const isPermitted = disk.info(archivePath(`${task.id}.a${lastCutOff(task, world)}.again`)) !== null;
  const isFolded = disk.names("archive/folded").length > 0;
  if (candidate.interrupted && onInterrupt === "ask" && !isPermitted && !isFolded)
    world.violate(`${task.id} ran again, and nobody had said so`);
  if (candidate.earlier.length > 1) world.violate(`${task.id} was tried again after two failures`);
  inspectCompany(candidate, owner, world, outside);
}

/** The number of the last attempt that was cut off, as its own record says; 0 for none. */
function lastCutOff({ id, role }: Task, { disk }: World): number {
  const cutOff = disk.names(runningOf(role)).filter((name) => {
    const isFailed = name.startsWith(`${id}.a`) && name.endsWith(".failed.json");
    return isFailed && disk.read(`${runningOf(role)}/${name}`)?.includes('"failureReason":"interrupted"');
  });
  return Math.max(0, ...cutOff.map((name) => Number.parseInt(name.slice(`${id}.a`.length), 10)));
}

/** SPEC C5: work that is a suspect begins alone, and nothing begins beside it but a turn, of which a record tells. */
function inspectCompany({ task, attempt }: Candidate, owner: Process, world: World, outside: Outside): void {
  const { disk } = world;
  const isTurn = task.role === "teller";
  const isAlone = (role: Role, id: string, number: number) =>
    disk.read(claimPath(role, id, number))?.includes('"alone":true') === true;
  const deaths = disk
    .names(runningOf(task.role))
    .filter((name) => name.startsWith(`${task.id}.a`))
    .filter((name) => /"death":"(alone|shared)"/.test(disk.read(`${runningOf(task.role)}/${name}`) ?? "")).length;
  if (!isTurn && deaths >= SUSPECT_DEATHS && !isAlone(task.role, task.id, attempt))
    world.violate(`${task.id} has shared ${deaths} deaths, and began as others do`);
  for (const other of outside.children) {
    if (other.owner !== owner || other.task === task.id || isOver(other.role, other.task, world)) continue;
    if (isAlone(task.role, task.id, attempt)) world.violate(`${task.id} began alone, beside ${other.task}`);
    if (!isAlone(other.role, other.task, other.attempt)) continue;
    if (!isTurn || disk.info(joinedPath(other.role, other.task, other.attempt)) === null)
      world.violate(`${task.id} began beside ${other.task}, which runs alone`);
  }
}

/** A pool has died and no other process with it: each attempt that it had claimed and not ended shares that death. */
function noteDeath(pid: number, world: World, outside: Outside): void {
  const { disk } = world;
  const open = Role.options.flatMap((role) =>
    disk.names(runningOf(role)).flatMap((name) => {
      const [, id = "", attempt = ""] = /^(.+)\.a(\d+)\.json$/.exec(name) ?? [];
      const isOpen = disk.info(`${runningOf(role)}/${id}.a${attempt}.failed.json`) === null && !isOver(role, id, world);
      const claim = disk.read(`${runningOf(role)}/${name}`) ?? "";
      return id !== "" && isOpen && claim.includes(`"owner":{"pid":${pid},`) ? [id] : [];
    }),
  );
  for (const id of open)
    outside.deaths.set(id, [...(outside.deaths.get(id) ?? []), open.length === 1 ? "alone" : "shared"]);
}

function hasOutcome({ task }: Candidate, world: World): boolean {
  return isOver(task.role, task.id, world);
}

/** Is it settled? Since then it may have been compacted into a month, whose first line names all that it holds. */
function isArchived(taskId: string, { disk }: World): boolean {
  const idsIn = (fold: string) => firstLineOf(disk.read(`${COMPACTED}/${fold}`, Number.MAX_SAFE_INTEGER) ?? "");
  const isFolded = () => disk.names(COMPACTED).some((fold) => idsIn(fold).includes(`"${taskId}"`));
  return disk.info(archivePath(taskId)) !== null || isFolded();
}

function firstLineOf(text: string): string {
  return text.slice(0, text.indexOf("\n"));
}

function isOver(role: Role, id: string, world: World): boolean {
  return world.disk.info(resultPath(role, id)) !== null || isArchived(id, world);
}

/** A model may call tools in any number and order, fail for good or for now, and say something else each time it is asked. */
function invent({ task }: Candidate, aborted: boolean, world: World, outside: Outside): RunOutcome {
  const { random } = world;
  const common = { usage: NO_USAGE, provider: "simulated", steers: [] };
  const dice = random();
  if (aborted) return failed("killed", false);
  if (task.rollUp === undefined && random() < OUTAGE_CHANCE) return { ...failed("provider", true), isOutage: true };
  if (isImprovement(task)) {
    if (dice < 0.1) return failed("error", false);
    return { ...common, status: "done", retryable: false, ...inventStep(task, random), effects: [] };
  }
  if (task.evaluation !== undefined) {
    if (dice < 0.2) return { ...failed("error", false), resultType: "verdicts" };
    const verdicts = task.evaluation.map(({ id }) => ({ id, result: random() < 0.6 }));
    return { ...common, status: "done", retryable: false, resultType: "verdicts", result: verdicts, effects: [] };
  }
  if (task.rollUp !== undefined) {
    if (dice < 0.2 && !world.isCalm) return { ...failed("error", false), resultType: "summary" };
    const summary = dice < 0.25 && !world.isCalm ? " " : `summary of ${task.rollUp.period} by ${task.id}`;
    const result = { summary, keyPoints: [] };
    return { ...common, status: "done", retryable: false, resultType: "summary", result, effects: [] };
  }
  if (task.role === "teller") {
    const effects: Effect[] = [{ type: "reply", text: `reply ${random()}` }];
    if (dice < 0.1) return { ...failed("provider", false), effects };
    if (task.turn?.messages.length && random() < 0.7) effects.push({ type: "delegate", prompt: `plan ${random()}` });
    if (random() < 0.4) effects.push({ type: "remember", content: `fact ${random()}`, longTerm: true });
    if (random() < 0.2) effects.push({ type: "update_backlog", op: "add", item: `item ${random()}` });
    if (random() < 0.1) effects.push(...schedule(undefined));
    if (random() < 0.1)
      effects.push({ type: "ask_user", question: `which ${random()}?`, timeoutSec: 1 + below(random, 400) });
    if (random() < 0.02) effects.push({ type: "restart_server" });
    const tasks = [...outside.seenTasks];
    const victim = tasks[below(random, tasks.length)];
    if (random() < 0.1 && victim !== undefined) effects.push({ type: "cancel_task", id: victim });
    if (dice > 0.95) effects.push({ type: "compress_context", summary: `summary by ${task.id}` });
    // Of what it reports, or of any other task: that may not have ended, or have a summary.
    const summed = dice < 0.3 ? (task.turn?.results[0]?.id ?? victim) : undefined;
    if (summed !== undefined)
      effects.push({ type: "summarize_task_result", taskId: summed, summary: `gist by ${task.id}` });
    return { ...common, status: "done", retryable: false, resultType: "turn", result: {}, effects };
  }
  if (dice < 0.15) return failed("timeout", true);
  if (dice < 0.25) return failed("error", false);
  if (task.role === "worker")
    return {
      ...common,
      status: "done",
      retryable: false,
      resultType: "text",
      result: { text: `out ${random()}` },
      effects: [],
    };
  const effects: Effect[] = [];
  for (let k = 0; k < below(random, 4); k++) {
    const earlier = childId(task.id, below(random, k));
    const isLink = k > 0 && random() < 0.6;
    effects.push({
      type: "delegate",
      prompt: `work ${random()}`,
      ...(random() < 0.2 && { onInterrupt: random() < 0.5 ? ("ask" as const) : ("fail" as const) }),
      ...(isLink && {
        condition: { type: random() < 0.85 ? "task_done" : "task_failed", params: { taskId: earlier } },
      }),
    });
  }
  const tasks = effects.map((_, k) => childId(task.id, k));
  if (random() < 0.15) effects.push(...schedule(pick(["worker", "planner", "teller"] as const, world)));
  return { ...common, status: "done", retryable: false, resultType: "plan", result: { tasks }, effects };

  function schedule(target: Target | undefined): Effect[] {
    if (outside.schedules >= SCHEDULES || world.isCalm) return [];
    outside.schedules++;
    const nowMs = Date.parse(task.createdAt);
    return [{ type: "schedule", order: { prompt: `later ${random()}`, target }, when: inventWhen(world, nowMs) }];
  }

  function failed(failureReason: "timeout" | "error" | "killed" | "provider", retryable: boolean): RunOutcome {
    const resultType = task.role === "teller" ? "turn" : task.role === "planner" ? "plan" : "text";
    return {
      ...common,
      status: "failed",
      failureReason,
      error: "simulated",
      retryable,
      resultType,
      result: null,
      effects: [],
    };
  }
}
