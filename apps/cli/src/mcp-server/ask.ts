/** The tool `ask`: says something to Mimikit and waits for the answer, as `mimikit ask` does. */
import { MESSAGE_CHARS_MAX } from "@mimikit/protocol/base/fields";
import type { ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import { awaitAnswer, type Listener } from "../instance/await-answer.ts";
import { freshKey, handOver } from "../instance/hand-over.ts";
import type { MessageOutcome } from "../instance/outcome.ts";
import { adoptedHome } from "../io/place.ts";
import { type AddTool, answered, CallId } from "./tool-answer.ts";

/** Clients give up on a call after a minute, if nothing else is set. */
const WAIT_SEC_DEFAULT = 50;
const WAIT_SEC_MAX = 1_800;

const Answer = z.object({
  id: z.string(),
  state: z.enum(["complete", "working", "waiting", "asking"]),
  replies: z.array(z.object({ id: z.string(), at: z.string(), text: z.string() })),
  tasks: z.array(z.object({ id: z.string(), title: z.string(), state: z.string() })),
  questions: z.array(z.object({ id: z.string(), question: z.string(), options: z.array(z.string()) })),
});
type Answer = z.infer<typeof Answer>;

export const addAsk: AddTool = (server) => {
  server.registerTool(
    "ask",
    {
      title: "Ask Mimikit",
      description:
        "Say something to Mimikit, the user's own assistant, and wait for the whole answer, work that it starts included. It knows " +
        "the user, remembers, runs commands in its workspace, schedules. If the answer is not complete in time the work goes on: " +
        "call ask again with the same id to wait for the rest.",
      inputSchema: z.object({
        text: z.string().min(1).max(MESSAGE_CHARS_MAX),
        id: CallId,
        waitSec: z
          .number()
          .min(1)
          .max(WAIT_SEC_MAX)
          .default(WAIT_SEC_DEFAULT)
          .describe("seconds to wait for the whole answer"),
      }),
      outputSchema: Answer,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    },
    async ({ text, id = freshKey(), waitSec }, context) => {
      adoptedHome();
      const signal = AbortSignal.any([context.mcpReq.signal, AbortSignal.timeout(waitSec * 1_000)]);
      const hand = async () => (await handOver({ kind: "message", text }, `mcp ask ${id}`)).id;
      const outcome = await awaitAnswer(hand, listenerOf(context), { signal, isAttended: false });
      const answer = answerOf(id, outcome);
      return answered(answer, textOf(answer));
    },
  );
};

function answerOf(id: string, { state, replies, tasks, questions }: MessageOutcome): Answer {
  return {
    id,
    state: state === "settled" ? "working" : state,
    replies: replies.map(({ id, at, text }) => ({ id, at, text })),
    tasks: tasks.map(({ id, title, state }) => ({ id, title, state })),
    questions: questions.map(({ id, question, options }) => ({ id, question, options })),
  };
}

function textOf({ id, state, replies, questions }: Answer): string {
  const asked = questions.map(
    ({ id, question, options }) =>
      `It asks the user: ${[question, ...options.map((option) => `- ${option}`)].join("\n")}\n(answered with: mimikit questions answer ${id} <answer>)`,
  );
  const open =
    state === "working" || state === "waiting"
      ? [
          `The answer is not complete yet, and goes on by itself. Call ask with id ${id} and the same text to wait for the rest.`,
        ]
      : [];
  return [...replies.map(({ text }) => text), ...asked, ...open].join("\n\n");
}

/** Tells a client that wants to know how far it is. */
function listenerOf({ mcpReq: { _meta, notify } }: ServerContext): Listener {
  const progressToken = _meta?.progressToken;
  let progress = 0;
  const tell = (message: string) => {
    if (progressToken === undefined) return;
    // A client that has gone away needs to know nothing more.
    notify({
      method: "notifications/progress",
      params: { progressToken, progress: ++progress, message },
    }).catch(() => undefined);
  };
  return {
    onReply: ({ text }) => tell(text),
    onNotice: ({ text }) => tell(text),
    onQuestion: ({ question }) => tell(question),
    onTask: ({ title, state }) => tell(`${title}: ${state}`),
    onProgress: (_taskId, step) => tell(step),
  };
}
