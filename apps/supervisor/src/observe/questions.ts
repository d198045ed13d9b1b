/** Questions as decisions need them: how they were closed, and what was said around the open ones. */

import type { Attended, Snapshot, TalkAround } from "@mimikit/core/base/snapshot";
import { needsOf } from "@mimikit/core/conditions/index";
import { chosenOption } from "@mimikit/core/tasks/chosen-option";
import {
  approveId,
  attemptToAskAbout,
  callToAskAbout,
  goOnId,
  isFailure,
  runAgainId,
} from "@mimikit/core/tasks/question";
import { rootOf, turnId, turnNumber } from "@mimikit/protocol/base/id";
import type { Report } from "@mimikit/protocol/base/report";
import type { ClosedQuestion, Question } from "@mimikit/protocol/records/question";
import type { Result } from "@mimikit/protocol/records/result";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";

/** @param outcomes of the tasks that something waits for. */
export async function closedQuestions(
  { questions, inbox, attemptFacts, archiveIndex }: StateCache,
  { dependents, tasks }: Attended,
  outcomes: ReadonlyMap<string, Report>,
): Promise<ReadonlyMap<string, ClosedQuestion>> {
  const ids = new Set([...questions.keys(), ...answersIn(inbox)]);
  for (const { condition } of dependents.values())
    for (const taskId of needsOf(condition).tasks) if (isFailure(outcomes.get(taskId))) ids.add(goOnId(taskId));
  for (const task of tasks.values()) {
    const attempts = attemptFacts.get(task.id) ?? [];
    const attempt = attemptToAskAbout(task, attempts);
    if (attempt !== undefined) ids.add(runAgainId(task.id, attempt));
    const asked = callToAskAbout(attempts);
    if (asked !== undefined) ids.add(approveId(task.id, asked.attempt));
  }
  const closed = new Map<string, ClosedQuestion>();
  for (const id of ids) {
    const record = (await archiveIndex.confirm(id)) ? await archiveIndex.read(id) : null;
    if (record !== null && "kind" in record && record.kind === "question") closed.set(id, record);
  }
  return closed;
}

function answersIn(inbox: Snapshot["inbox"]): string[] {
  return [...inbox.values()].flatMap((command) => (command.kind === "answer" ? [command.questionId] : []));
}

/** Turns after a question in which its options are still what a number is about. */
const TURNS_SINCE_MAX = 20;

/** The conversation around each open question that a pending message may answer. It is read for no others. */
export async function talkAroundQuestions({
  questions,
  inbox,
  archiveIndex,
}: StateCache): Promise<ReadonlyMap<string, TalkAround>> {
  const around = new Map<string, TalkAround>();
  const messages = [...inbox.values()].filter((command) => command.kind === "message");
  if (messages.length === 0) return around;
  for (const { id, purpose, options } of questions.values()) {
    if (purpose.type !== "teller" || archiveIndex.has(id)) continue;
    if (!messages.some(({ text }) => chosenOption(options, text) !== null)) continue;
    const talk = await talkAround(id, archiveIndex);
    if (talk !== null) around.set(id, talk);
  }
  return around;
}

async function talkAround(id: Question["id"], archiveIndex: StateCache["archiveIndex"]): Promise<TalkAround | null> {
  const asked = turnNumber(rootOf(id));
  const { settledTurn } = archiveIndex;
  if (asked === 0 || settledTurn - asked > TURNS_SINCE_MAX) return null;
  const via = (await archiveIndex.readResult(turnId(asked)))?.task.turn?.messages[0]?.via;
  const since: string[] = [];
  for (let n = asked + 1; n <= settledTurn; n++) since.push(...toldBy(await archiveIndex.readResult(turnId(n))));
  return { since, ...(via !== undefined && { via }) };
}

/** The words of a turn to the user. */
function toldBy(turn: Result | null): string[] {
  return (turn?.effects ?? []).flatMap((effect) => {
    if (effect.type === "reply" || effect.type === "notify") return [effect.text];
    return effect.type === "ask_user" ? [`${effect.question}?`] : [];
  });
}
