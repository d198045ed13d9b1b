/** Does a request under a known key ask for what its first one did? Those whose command is completed from the state are compared here. */
import { isSame } from "@mimikit/core/tasks/question";
import { definitionOf, patchOf } from "@mimikit/core/triggers/triggers";
import { replyId } from "@mimikit/core/views/history";
import type { AttachedFile } from "@mimikit/protocol/base/attachment";
import type { TriggerChange, TriggerInput } from "@mimikit/protocol/triggers/trigger-order";
import type { InputBody, RetryBody } from "@mimikit/protocol/wire/api";
import { type Command, isSameCommand } from "@mimikit/store/disk/same-command";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";

const TRIGGER_TYPES = ["recurring", "scheduled", "conditional"] as const;

/** The message of a request. */
export function messageOf(input: InputBody, attachments: AttachedFile[]) {
  const { text, client, quote, answerBy, pool, mode = answerBy || pool !== undefined ? "next" : undefined } = input;
  return {
    kind: "message" as const,
    text,
    ...(client !== undefined && { client }),
    ...(quote !== undefined && { quote }),
    ...(mode !== undefined && { mode }),
    ...(attachments.length > 0 && { attachments }),
    ...(answerBy !== undefined && { answerBy }),
    ...(pool !== undefined && { pool }),
  };
}

/** @param input names its files by their ids: what is known of them follows from these. */
export function isSameMessage(first: Command, input: InputBody): boolean {
  const files = (input.attachments ?? []).map((file) => ({ bytes: 1, type: "text/plain" as const, ...file }));
  return isSameCommand(first, messageOf(input, files));
}

export function isSameAnswer(first: Command, questionId: string, answer: string): boolean {
  // One of the options was kept as the question has it.
  return first.kind === "answer" && first.questionId === questionId && isSame(first.answer, answer);
}

/** @param timeZone of times that name none; the owner's zone may have been another one when the first request came. */
export function isSameOrder(first: Command, input: TriggerInput, timeZone: string): boolean {
  return zonesOf(first, timeZone).some((zone) => {
    const definition = definitionOf(input, zone);
    return !("problem" in definition) && isSameCommand(first, { kind: "trigger-put", definition });
  });
}

export function isSameChange(first: Command, triggerId: string, change: TriggerChange, timeZone: string): boolean {
  // The trigger, which knows its type, may be gone by now.
  return TRIGGER_TYPES.some((type) =>
    zonesOf(first, timeZone).some((zone) => {
      const patch = patchOf(change, type, zone);
      return !("problem" in patch) && isSameCommand(first, { kind: "trigger-patch", triggerId, patch });
    }),
  );
}

/** The zones that times without one may have been given in: the one of now, and those that the first command names. */
function zonesOf(first: Command, timeZone: string): string[] {
  const named: string[] = [];
  JSON.stringify(first, (key, value) => {
    if (key === "timezone" && typeof value === "string") named.push(value);
    return value;
  });
  return [...new Set([timeZone, ...named])];
}

/** A request that names no message means the last one, as the first did. */
export async function isSameRetry(
  first: Command,
  { messageId, text, answerBy }: RetryBody,
  { archiveIndex }: StateCache,
): Promise<boolean> {
  if (first.kind !== "retry") return false;
  const { turnId, edit } = first;
  const said = { kind: "retry" as const, ...(answerBy !== undefined && { answerBy }) };
  const words = text !== undefined && { edit: { messageId: edit?.messageId ?? "m-unknown", text } };
  if (!isSameCommand(first, { ...said, ...words })) return false;
  if (messageId === undefined || turnId === undefined) return true;
  const turn = (await archiveIndex.readResult(turnId))?.task.turn;
  const meant = [replyId(turnId), edit?.messageId, ...(turn?.messages ?? []).map(({ id }) => id)];
  return turn === undefined || meant.includes(messageId);
}
