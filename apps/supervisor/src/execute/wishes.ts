/** Carries out commands: the effect, or the decision that it follows from, is durable before the command is removed. */

import type { Action } from "@mimikit/core/base/action";
import { messageOf } from "@mimikit/core/tasks/target";
import { brokenOff } from "@mimikit/core/views/notices";
import { turnNumber } from "@mimikit/protocol/base/id";
import { Signal } from "@mimikit/protocol/base/signal";
import { WishOutcome } from "@mimikit/protocol/records/archive";
import { REPLY_CHARS_MAX } from "@mimikit/protocol/records/effect";
import { Wish } from "@mimikit/protocol/records/inbox";
import type { Result } from "@mimikit/protocol/records/result";
import { directoryOf } from "@mimikit/store/disk/file-system";
import { createRecord } from "@mimikit/store/disk/record";
import { inboxPath, QUARANTINE, signalPath } from "@mimikit/store/disk/state";
import { readShown } from "@mimikit/store/views/shown-text";
import { archive, createMessage, drop, type Hands } from "./hands.ts";
import { finish, markCancelled } from "./tasks.ts";
import { recordChange } from "./triggers.ts";

export async function adopt(path: string, wish: Wish, hands: Hands): Promise<void> {
  const { fs, ledger, audit } = hands;
  if (!(await ledger.confirm(wish.id)) && (await createRecord(fs, Wish, inboxPath(wish.id), wish)))
    audit({ event: "wish_adopted", detail: { path, id: wish.id, kind: wish.kind } });
  await drop(path, hands);
}

/**
 * Moves a damaged file to quarantine. If a whole record has taken its name meanwhile, that record is put back.
 * @param inode of the damaged file.
 */
export async function quarantine(
  path: string,
  reason: string,
  inode: number,
  { fs, nowMs, audit }: Hands,
): Promise<void> {
  // The path is in the name, so that files of one name in several directories do not meet here.
  const name = `${QUARANTINE}/${nowMs()}-${path.replaceAll("/", "-")}`;
  let aside = name;
  for (let n = 2; await fs.exists(aside); n++) aside = `${name}.${n}`;
  if (!(await fs.rename(path, aside))) return;
  if ((await fs.info(aside))?.inode === inode) return audit({ event: "quarantined", detail: { path, reason, aside } });
  await fs.link(aside, path);
  await fs.syncDir(directoryOf(path));
  await fs.unlink(aside);
}

export async function cancel(
  { wish, taskId, outcome, change }: Extract<Action, { type: "cancel" }>,
  hands: Hands,
): Promise<void> {
  await recordChange(change, hands);
  if (taskId !== null) await markCancelled(taskId, wish.at, hands);
  const record: WishOutcome = { kind: "wish", id: wish.id, at: wish.at, wish, outcome };
  if (await archive(record, WishOutcome, hands))
    hands.audit({ event: "cancel_answered", taskId: wish.taskId, detail: { outcome } });
  await drop(inboxPath(wish.id), hands);
}

/** The decision is archived before anything follows from it; a later caller follows the decision that is there. */
async function decide(
  { wish, taskId, outcome }: Extract<Action, { type: "steer" | "stop" }>,
  hands: Hands,
): Promise<boolean> {
  const record: WishOutcome = { kind: "wish", id: wish.id, at: wish.at, wish, outcome, ...(taskId && { taskId }) };
  if (await archive(record, WishOutcome, hands)) {
    hands.audit({ event: `${wish.kind}_answered`, ...(taskId && { taskId }), detail: { outcome } });
    return true;
  }
  const decided = await hands.ledger.read(wish.id);
  return decided === null || !("wish" in decided) || (decided.taskId ?? null) === taskId;
}

export async function steer(action: Extract<Action, { type: "steer" }>, hands: Hands): Promise<void> {
  const { wish, taskId } = action;
  // Another supervisor saw another task: the next look finds what it decided.
  if (!(await decide(action, hands))) return;
  const { id, at, text, via } = wish;
  if (taskId === null) await createMessage(messageOf(wish), hands);
  else {
    const signal = { id, at, text, taskId, ...(via !== undefined && { via }) };
    await createRecord(hands.fs, Signal, signalPath(id), signal);
  }
  await drop(inboxPath(id), hands);
}

export async function tellLater(
  { signal, message }: Extract<Action, { type: "unheard" }>,
  hands: Hands,
): Promise<void> {
  await createMessage(message, hands);
  await hands.fs.unlink(signalPath(signal.id));
}

export async function stop(action: Extract<Action, { type: "stop" }>, hands: Hands): Promise<void> {
  const { wish, taskId, result } = action;
  if (!(await decide(action, hands))) return;
  if (result !== null) await finish(await keepingShown(result, hands), hands);
  else if (taskId !== null && turnNumber(taskId) === 0) await markCancelled(taskId, wish.at, hands);
  await drop(inboxPath(wish.id), hands);
}

/** The shown part of the reply when it was stopped stays in it (docs/steering.md). */
async function keepingShown(result: Result, { fs }: Hands): Promise<Result> {
  const shown = await readShown(fs, result.id);
  const effects = result.effects.map((effect) =>
    effect.type === "reply" ? { ...effect, text: brokenOff(shown, effect.text, REPLY_CHARS_MAX) } : effect,
  );
  return { ...result, effects };
}

/** The answer is durable before the command goes. */
export async function answerWish(
  { wish, outcome }: Extract<Action, { type: "answer-wish" }>,
  hands: Hands,
): Promise<void> {
  const record: WishOutcome = { kind: "wish", id: wish.id, at: wish.at, wish, outcome };
  if (await archive(record, WishOutcome, hands))
    hands.audit({ event: `${wish.kind}_answered`, detail: { id: wish.id, outcome } });
  await drop(inboxPath(wish.id), hands);
}

export async function restart(wish: Extract<Wish, { kind: "restart" }>, hands: Hands): Promise<void> {
  const record: WishOutcome = { kind: "wish", id: wish.id, at: wish.at, wish, outcome: "restarted" };
  const isFirst = await archive(record, WishOutcome, hands);
  await drop(inboxPath(wish.id), hands);
  if (!isFirst) return;
  hands.audit({ event: "restart" });
  await hands.restart();
}
