/** The reply to one message, as a view of the conversation. */
import { outageId, turnOfReply } from "@mimikit/core/views/history";
import { rootOf, turnNumber } from "@mimikit/protocol/base/id";
import { NO_USAGE, type Usage } from "@mimikit/protocol/base/usage";
import type { ChatMessage } from "@mimikit/protocol/wire/api";

export interface Reply {
  /** When it was given. */
  at: string;
  /** Its words, then its questions. */
  text: string;
  usage: Usage;
}

/** How far the answer to a message has come. */
export type Course =
  /** There is no such message in the window that is kept. */
  | { state: "unknown" }
  /** It waits; `turn` is the one that has taken it up, `outage` says why its provider cannot be reached. */
  | { state: "waiting"; turn: string | undefined; outage: string | undefined }
  | { state: "answered"; reply: Reply };

/** @param messages the conversation, oldest first. */
export function courseOf(id: string, messages: readonly ChatMessage[]): Course {
  const at = messages.findLastIndex((message) => isOrWas(id, message));
  const message = messages[at];
  if (message === undefined) return { state: "unknown" };
  if (message.pending) {
    const turn = message.toTaskId;
    const outage = turn === undefined ? undefined : messages.find((each) => each.id === outageId(turn))?.text;
    return { state: "waiting", turn, outage };
  }
  // A turn is applied as a whole: all that it said stands behind the message.
  const said = messages.slice(at + 1).filter(({ role }) => role === "assistant");
  const turn = said.map(turnOf).find((each) => each !== undefined);
  const own = said.filter((each) => turn !== undefined && turnOf(each) === turn);
  return {
    state: "answered",
    reply: {
      at: own[0]?.at ?? message.at,
      text: own.map(({ text }) => text).join("\n\n"),
      usage: own.find(({ usage }) => usage !== undefined)?.usage ?? NO_USAGE,
    },
  };
}

/** An edited message stands in the place of its earlier versions. */
function isOrWas(id: string, { id: own, versions = [] }: ChatMessage): boolean {
  return own === id || versions.some((each) => each.id === id);
}

/** The turn that something was said in: a reply, or a question of the Teller's. */
function turnOf({ id }: ChatMessage): string | undefined {
  const root = turnOfReply(id) ?? rootOf(id);
  return turnNumber(root) > 0 ? root : undefined;
}
