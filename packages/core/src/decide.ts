/**
 * The one function that decides every move: from what is on disk and the time, to what is done next. It looks at
 * states, never at events, so a restart is just another tick and there is no recovery code.
 */
import type { Action } from "./base/action.ts";
import type { Snapshot } from "./base/snapshot.ts";
import { again } from "./rules/again.ts";
import { announce } from "./rules/announce.ts";
import { approve } from "./rules/approve.ts";
import { cancel } from "./rules/cancel.ts";
import { change } from "./rules/change.ts";
import { evaluate } from "./rules/evaluate.ts";
import { fire } from "./rules/fire.ts";
import { giveUp } from "./rules/give-up.ts";
import { improve } from "./rules/improve.ts";
import { noteDown } from "./rules/note-down.ts";
import { prune } from "./rules/prune.ts";
import { questions } from "./rules/questions.ts";
import { receive } from "./rules/receive.ts";
import { refuseRetry } from "./rules/refuse-retry.ts";
import { remember } from "./rules/remember.ts";
import { rescue } from "./rules/rescue.ts";
import { restart } from "./rules/restart.ts";
import { settle } from "./rules/settle.ts";
import { stand } from "./rules/stand.ts";
import { steer } from "./rules/steer.ts";
import { stop } from "./rules/stop.ts";
import { undo } from "./rules/undo.ts";
import { wake } from "./rules/wake.ts";
import { warn } from "./rules/warn.ts";

/** The order of work in a tick (SPEC A4; commands first, docs/file-protocol.md#the-life-of-a-task). */
const RULES: readonly ((snapshot: Snapshot, nowMs: number) => Action[])[] = [
  receive,
  cancel,
  stop,
  steer,
  noteDown,
  again,
  announce,
  rescue,
  giveUp,
  approve,
  settle,
  questions,
  change,
  undo,
  fire,
  stand,
  evaluate,
  remember,
  warn,
  refuseRetry,
  wake,
  improve,
  prune,
  restart,
];

/** @param nowMs wall clock, milliseconds since the epoch. */
export function decide(snapshot: Snapshot, nowMs: number): Action[] {
  return RULES.flatMap((rule) => rule(snapshot, nowMs));
}
