/** Sends a message and waits until everything that it started is answered: progress on stderr, the answer on stdout. */
import type { QuestionView, TaskSummary } from "@mimikit/protocol/api";
import { attachFiles, attachOption, namesOf } from "../attach-files.ts";
import { awaitAnswer } from "../await-answer.ts";
import { command } from "../command.ts";
import { Failure } from "../failure.ts";
import { freshKey } from "../hand-over.ts";
import { plainLine, plainText, printJson, printLine, printProgress } from "../print.ts";
import { questionText } from "../question-text.ts";
import { terminalMarkdown } from "../terminal-markdown.ts";
import { readText, textArgument } from "../text-argument.ts";

const TIMEOUT_SEC_DEFAULT = 1_800;

export const ask = command({
  usage: "ask [text..]",
  summary: "send a message and wait for the whole answer",
  examples: [
    ["mimikit ask 'run `ls` then `wc -l README.md`'", "prints the replies in order; progress goes to stderr"],
    ["mimikit ask --attach shot.png what does this show", "with a picture, a recording, a PDF or a text"],
    ["git diff | mimikit ask", "what comes through the pipe is the message"],
    ["mimikit ask --timeout 60 --json status", "one JSON document; exit code 4 after a minute"],
  ],
  options: (yargs) =>
    attachOption(textArgument(yargs)).option("timeout", {
      type: "number",
      default: TIMEOUT_SEC_DEFAULT,
      describe: "seconds to wait for the answer",
    }),
  async run({ json, text: words, timeout, attach }) {
    if (!(timeout > 0)) throw new Failure("usage", "--timeout is a number of seconds above 0");
    const attachments = await attachFiles(attach);
    const text = await readText(words, "ask", namesOf(attachments));
    const titles = new Map<string, string>();
    const key = freshKey();
    let replies = 0;
    const outcome = await awaitAnswer(
      (client) => client.send(text, key, { attachments }),
      {
        onReply(reply) {
          const text = process.stdout.isTTY ? terminalMarkdown(reply.text) : plainText(reply.text);
          if (!json) printLine(`${replies++ > 0 ? "\n" : ""}${text}`);
        },
        onNotice: (notice) => printProgress(`! ${plainLine(notice.text)}`),
        onQuestion: (question) => printProgress(`? ${plainLine(question.question)}  ${howToAnswer(question)}`),
        onTask(task) {
          titles.set(task.id, task.title);
          printProgress(`· ${describe(task)}`);
        },
        onProgress: (taskId, step) =>
          printProgress(`  ${plainLine(titles.get(taskId) ?? "thinking")}: ${plainLine(step)}`),
        onDelta: () => undefined,
      },
      AbortSignal.timeout(timeout * 1_000),
    );
    if (json) {
      const tasks = outcome.tasks.map(({ id, role, title, state, failureReason }) => ({
        id,
        role,
        title,
        state,
        failureReason,
      }));
      const answered = outcome.replies.map(({ id, at, text, taskIds }) => ({ id, at, text, taskIds }));
      printJson({
        id: outcome.id,
        complete: outcome.state === "complete",
        answer: answered.at(-1)?.text ?? null,
        replies: answered,
        tasks,
        questions: outcome.questions,
      });
    } else {
      for (const question of outcome.questions)
        printLine(`\n? ${questionText(question, Date.now())}\n  ${howToAnswer(question)}`);
    }
    if (outcome.state !== "complete") {
      throw new Failure(
        "timedOut",
        `no complete answer within ${timeout} s; it goes on: see  mimikit tasks  and  mimikit chat`,
      );
    }
  },
});

function describe({ id, role, title, state, failureReason }: TaskSummary): string {
  return `${id} ${role} ${state}${failureReason === undefined ? "" : ` (${failureReason})`}  ${plainLine(title)}`;
}

function howToAnswer({ id }: QuestionView): string {
  return `mimikit questions answer ${plainLine(id)} <answer>`;
}
