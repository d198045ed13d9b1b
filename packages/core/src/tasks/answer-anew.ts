/**
 * Second thoughts: the last thing that the user said is answered again, as it was said or in other words
 * (docs/file-protocol.md#the-life-of-a-second-thought). The earlier reply stays in the archive as a version of it.
 */
import { ancestorsOf } from "@mimikit/protocol/base/id";
import type { Message, RetryCommand } from "@mimikit/protocol/records/inbox";
import type { Result } from "@mimikit/protocol/records/result";
import type { TurnInput } from "@mimikit/protocol/records/task";
import { openDependents, openResults, openTasks, openTriggers, type Snapshot } from "../base/snapshot.ts";
import { answerMessageOf } from "../views/history.ts";

/** Does this turn answer the user, or is it where the conversation began again? */
export function hasUserWords({ messages, events, clear }: TurnInput): boolean {
  return messages.length > 0 || clear !== undefined || events.some((event) => answerMessageOf(event) !== null);
}

/** Why the last reply cannot be given again as this command wants it; null where it can. */
export function retryRefusal({ turnId, edit }: RetryCommand, snapshot: Snapshot): string | null {
  const last = snapshot.lastAnswer;
  const input = last?.task.turn;
  if (last === null || input === undefined || input.clear !== undefined) return "there is no reply yet";
  if (turnId !== undefined && turnId !== last.id)
    return "it was answered again, or you have sent another message since";
  if (edit !== undefined && input.messages.at(-1)?.id !== edit.messageId)
    return "only your last message can be changed";
  const going = [
    ...openTasks(snapshot).map(({ id, title }) => ({ id, title })),
    ...openDependents(snapshot).map(({ id, task }) => ({ id, title: task.title })),
    ...openResults(snapshot).map(({ id, task }) => ({ id, title: task.title })),
    ...openTriggers(snapshot).map(({ id, title }) => ({ id, title })),
    ...[...snapshot.questions.values()]
      .filter(({ id }) => !snapshot.isArchived(id))
      .map(({ id, question }) => ({ id, title: question })),
  ].find(({ id }) => ancestorsOf(id).includes(last.id));
  return going === undefined ? null : `"${going.title}" (${going.id}) came of it and is not over: end it first`;
}

/** The input of the new turn: everything that the last one answered, with the last message reworded if the command has other words. */
export function inputAgain(command: RetryCommand, { task }: Result): TurnInput {
  const { messages = [], events = [], results = [] } = task.turn ?? {};
  const again = { ...command, turnId: task.id };
  return {
    messages: command.edit === undefined ? messages : edited(command, command.edit.text, messages),
    events,
    results,
    again,
  };
}

/** The id of the message that stands for the one that was said before. */
export function editedId(command: Pick<RetryCommand, "id">): string {
  return `m-${command.id}`;
}

function edited(command: RetryCommand, text: string, messages: readonly Message[]): Message[] {
  const last = messages.at(-1);
  if (last === undefined) return [];
  const { mac: _mac, answerBy: _answerBy, ...said } = last;
  return [...messages.slice(0, -1), { ...said, id: editedId(command), at: command.at, text }];
}
