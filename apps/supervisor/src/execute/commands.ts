/** Carries out commands: the effect, or the decision that it follows from, is durable before the command is removed. */

import type { Action } from "@mimikit/core/base/action";
import { messageOf } from "@mimikit/core/tasks/target";
import { brokenOff } from "@mimikit/core/views/notices";
import { turnNumber } from "@mimikit/protocol/base/id";
import { RECORD_BYTES_MAX } from "@mimikit/protocol/base/json";
import { Signal } from "@mimikit/protocol/base/signal";
import { CommandOutcome } from "@mimikit/protocol/records/archive";
import { REPLY_CHARS_MAX } from "@mimikit/protocol/records/effect";
import { InboxCommand } from "@mimikit/protocol/records/inbox";
import type { Result } from "@mimikit/protocol/records/result";
import { removeDropped } from "@mimikit/store/disk/dropped-file";
import { directoryOf } from "@mimikit/store/disk/file-system";
import { createRecord } from "@mimikit/store/disk/record";
import { inboxPath, QUARANTINE, signalPath } from "@mimikit/store/disk/state";
import { readShown } from "@mimikit/store/views/shown-text";
import { archive, createMessage, drop, type ExecContext } from "./exec-context.ts";
import { finish, markCancelled } from "./tasks.ts";
import { recordChange } from "./triggers.ts";

export async function adopt(path: string, command: InboxCommand, context: ExecContext): Promise<void> {
  const { fs, archiveIndex, audit } = context;
  if (
    !(await archiveIndex.confirm(command.id)) &&
    (await createRecord(fs, InboxCommand, inboxPath(command.id), command))
  )
    audit({ event: "wish_adopted", detail: { path, id: command.id, kind: command.kind } });
  await archiveIndex.makeDurable();
  await removeDropped(path, command.id, fs);
}

/** The beginning of a damaged file is kept, so that a file of any length costs no more than this: 4 MiB, as a record at most has. */
const QUARANTINED_BYTES_MAX = RECORD_BYTES_MAX;

/**
 * Moves a damaged file to quarantine. If a whole record has taken its name meanwhile, that record is put back.
 * @param inode of the damaged file.
 */
export async function quarantine(
  path: string,
  reason: string,
  inode: number,
  { fs, nowMs, audit }: ExecContext,
): Promise<void> {
  // The path is in the name, so that files of one name in several directories do not meet here.
  const name = `${QUARANTINE}/${nowMs()}-${path.replaceAll("/", "-")}`;
  let aside = name;
  for (let n = 2; await fs.exists(aside); n++) aside = `${name}.${n}`;
  if (!(await fs.rename(path, aside))) return;
  if ((await fs.info(aside))?.inode === inode) {
    audit({ event: "quarantined", detail: { path, reason, aside } });
    return fs.shorten(aside, QUARANTINED_BYTES_MAX);
  }
  await fs.link(aside, path);
  await fs.syncDir(directoryOf(path));
  await fs.unlink(aside);
}

export async function cancel(
  { command, taskId, outcome, change }: Extract<Action, { type: "cancel" }>,
  context: ExecContext,
): Promise<void> {
  await recordChange(change, context);
  if (taskId !== null) await markCancelled(taskId, command.at, context);
  const record: CommandOutcome = { kind: "wish", id: command.id, at: command.at, wish: command, outcome };
  if (await archive(record, CommandOutcome, context))
    context.audit({ event: "cancel_answered", taskId: command.taskId, detail: { outcome } });
  await drop(inboxPath(command.id), context);
}

/** The decision is archived before anything follows from it; a later caller follows the decision that is there. */
async function decide(
  { command, taskId, outcome }: Extract<Action, { type: "steer" | "stop" }>,
  context: ExecContext,
): Promise<boolean> {
  const record: CommandOutcome = {
    kind: "wish",
    id: command.id,
    at: command.at,
    wish: command,
    outcome,
    ...(taskId && { taskId }),
  };
  if (await archive(record, CommandOutcome, context)) {
    context.audit({ event: `${command.kind}_answered`, ...(taskId && { taskId }), detail: { outcome } });
    return true;
  }
  const decided = await context.archiveIndex.read(command.id);
  return decided === null || !("wish" in decided) || (decided.taskId ?? null) === taskId;
}

export async function steer(action: Extract<Action, { type: "steer" }>, context: ExecContext): Promise<void> {
  const { command, taskId } = action;
  // Another supervisor saw another task: the next look finds what it decided.
  if (!(await decide(action, context))) return;
  const { id, at, text, via } = command;
  if (taskId === null) await createMessage(messageOf(command), context);
  else {
    const signal = { id, at, text, taskId, ...(via !== undefined && { via }) };
    await createRecord(context.fs, Signal, signalPath(id), signal);
  }
  await drop(inboxPath(id), context);
}

export async function tellLater(
  { signal, message }: Extract<Action, { type: "unheard" }>,
  context: ExecContext,
): Promise<void> {
  await createMessage(message, context);
  await context.fs.unlink(signalPath(signal.id));
}

export async function stop(action: Extract<Action, { type: "stop" }>, context: ExecContext): Promise<void> {
  const { command, taskId, result } = action;
  if (!(await decide(action, context))) return;
  if (result !== null) await finish(await keepingShown(result, context), context);
  else if (taskId !== null && turnNumber(taskId) === 0) await markCancelled(taskId, command.at, context);
  await drop(inboxPath(command.id), context);
}

/** The shown part of the reply when it was stopped stays in it (docs/steering.md). */
async function keepingShown(result: Result, { fs }: ExecContext): Promise<Result> {
  const shown = await readShown(fs, result.id);
  const effects = result.effects.map((effect) =>
    effect.type === "reply" ? { ...effect, ...brokenOff(shown, effect.text, REPLY_CHARS_MAX) } : effect,
  );
  return { ...result, effects };
}

/** The answer is durable before the command goes. */
export async function answerCommand(
  { command, outcome }: Extract<Action, { type: "answer-command" }>,
  context: ExecContext,
): Promise<void> {
  const record: CommandOutcome = { kind: "wish", id: command.id, at: command.at, wish: command, outcome };
  if (await archive(record, CommandOutcome, context))
    context.audit({ event: `${command.kind}_answered`, detail: { id: command.id, outcome } });
  await drop(inboxPath(command.id), context);
}

export async function restart(
  command: Extract<InboxCommand, { kind: "restart" }>,
  context: ExecContext,
): Promise<void> {
  const record: CommandOutcome = { kind: "wish", id: command.id, at: command.at, wish: command, outcome: "restarted" };
  const isFirst = await archive(record, CommandOutcome, context);
  await drop(inboxPath(command.id), context);
  if (!isFirst) return;
  context.audit({ event: "restart" });
  await context.restart();
}
