/**
 * The state directory as it is now, read by the command itself: the same whether Mimikit runs or not. Nothing in it is
 * changed by looking.
 */
import { existsSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { needsOf } from "@mimikit/core/conditions/index";
import { expectedTriggers } from "@mimikit/core/triggers/expected";
import { questionView } from "@mimikit/core/views/question-view";
import type { Trigger } from "@mimikit/protocol/records/trigger";
import { sentence } from "@mimikit/protocol/texts/coded";
import type { When } from "@mimikit/protocol/triggers/trigger-order";
import type { QuestionView } from "@mimikit/protocol/wire/api";
import { openHome } from "@mimikit/runtime/home/adoption";
import { type HomePlace, readToken, whyNoLinks, whyUnwritable } from "@mimikit/runtime/home/home";
import { ownIdentity } from "@mimikit/runtime/process/identity";
import { taskThatNeverWas } from "@mimikit/runtime/workspace/trigger-facts";
import { openDisk } from "@mimikit/store/disk/disk";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { TEMPORARY } from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { t, told } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { printProgress } from "../io/print.ts";

/** Digits of a trigger's id that lists show: enough to tell a thousand apart, and few enough to type. */
const SHORT_ID_CHARS = 12;
/** The command that shows the ids, for each of what they are ids of. */
const LISTED_BY = {
  task: "tasks",
  trigger: "triggers",
  "open question": "questions",
  change: "undo",
  approval: "approvals",
  device: "devices",
} as const;

export interface State {
  home: string;
  workDir: string;
  fs: FileSystem;
  cache: StateCache;
  /** Triggers that are not over, by id, with all requested changes in them. */
  triggers: ReadonlyMap<string, Trigger>;
  /** Questions that are not answered yet, the oldest first. */
  questions: readonly QuestionView[];
}

let disks = 0;

/** Opens the state directory, which must exist, and leaves nothing behind in its tmp/. */
export async function withDisk<T>(home: string, work: (fs: FileSystem) => Promise<T>): Promise<T> {
  const { pid, startTime } = ownIdentity();
  const incarnation = `cli-${pid}-${startTime}-${++disks}`;
  const fs = openDisk(home, incarnation);
  try {
    return await work(fs);
  } finally {
    // Most commands write nothing, and so have made none.
    const temporary = join(home, TEMPORARY, incarnation);
    if (existsSync(temporary)) rmdirSync(temporary);
  }
}

/** @param place the instance, if not the one that this command is about. @throws Failure where there is no state directory. */
export async function withState<T>(look: (state: State) => Promise<T>, place: HomePlace = currentPlace()): Promise<T> {
  const { home, workDir } = place;
  if (!existsSync(home))
    throw new Failure(
      "failed",
      t("there is no state directory {home}: set MIMIKIT_HOME, or start Mimikit here first", { home }),
    );
  // A directory that cannot be written, or that can hold no state, can still be read.
  if (whyUnwritable(home) === null && whyNoLinks(home) === null) openHome(home, process.env);
  return withDisk(home, async (fs) => {
    const onBadArchive = (path: string, reason: string) =>
      printProgress(`! ${t("{path} cannot be read: {reason}", { path, reason: told(reason) })}`);
    const cache = new StateCache(fs, { token: readToken(home), durable: false, onBadArchive });
    await cache.archiveIndex.load();
    await cache.refresh(Date.now(), true);
    const { triggers: allTriggers, inbox, questions, archiveIndex } = cache;
    const isArchived = (id: string) => archiveIndex.has(id);
    const commands = [...inbox.values()];
    const triggers = expectedTriggers({ triggers: allTriggers, commands, isArchived }, Date.now());
    const answered = new Set(commands.flatMap((command) => (command.kind === "answer" ? [command.questionId] : [])));
    const open = [...questions.values()].filter(({ id }) => !isArchived(id) && !answered.has(id)).map(questionView);
    return look({ home, workDir, fs, cache, triggers, questions: open.sort((a, b) => (a.at < b.at ? -1 : 1)) });
  });
}

/**
 * The one whose id is `given`, or begins with it (`trg-` may be left out), or whose title it is.
 * @param what the word for it. @throws Failure where there is none, or more than one.
 */
export function found<T extends { id: string; title?: string }>(
  given: string,
  all: Iterable<T>,
  what: keyof typeof LISTED_BY,
): T {
  const list = [...all];
  const exact = list.find(({ id }) => id === given);
  if (exact !== undefined) return exact;
  const fitting = list.filter(
    ({ id, title }) => id.startsWith(given) || id.startsWith(`trg-${given}`) || title === given,
  );
  const [first, second] = fitting;
  if (first === undefined)
    throw new Failure(
      "failed",
      t("there is no {what} {given}:  mimikit {list}  lists them", { what: t(what), given, list: LISTED_BY[what] }),
    );
  if (second !== undefined)
    throw new Failure(
      "usage",
      t("{given} means {count} of them: {fitting}", {
        given,
        count: fitting.length,
        fitting: fitting.map(({ id }) => id).join(", "),
      }),
    );
  return first;
}

/** @throws Failure (usage) for an order that waits for a task that never was: it would wait in vain. */
export async function assertTasksKnown(when: When | undefined): Promise<void> {
  if (when?.type !== "conditional" || needsOf(when.condition).tasks.length === 0) return;
  const id = await withState(({ cache }) => taskThatNeverWas(when, cache));
  if (id !== null) throw new Failure("usage", sentence("task_never_was", { id }));
}

/** As much of an id as people need to type; ids that say where they come from are shown whole. */
export function shortId(id: string): string {
  return /^trg-[0-9a-f]{32}$/.test(id) ? id.slice(0, SHORT_ID_CHARS) : id;
}
