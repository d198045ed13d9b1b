/**
 * Sends a message and waits until everything that it started is answered: progress on stderr, the answer on stdout,
 * and how it ended in the exit code. Needs no gateway: the supervisor and the worker pool do the work.
 */

import { reasonWords } from "@mimikit/core/views/notices";
import { commandFor, problemWords } from "@mimikit/core/views/problem-words";
import { Archived } from "@mimikit/protocol/records/archive";
import type { Result } from "@mimikit/protocol/records/result";
import type { TaskSummary } from "@mimikit/protocol/wire/api";
import { PROCESS_ROLES } from "@mimikit/runtime/process/role-record";
import { readRecord } from "@mimikit/store/disk/record";
import { archivePath } from "@mimikit/store/disk/state";
import { attachOption } from "../arguments/attach-files.ts";
import { command } from "../arguments/command.ts";
import { readMessage, textArgument } from "../arguments/text-argument.ts";
import { speaksChinese, t } from "../i18n/language.ts";
import { awaitAnswer } from "../instance/await-answer.ts";
import { freshKey, handOver, withFiles } from "../instance/hand-over.ts";
import { type MessageOutcome, turnOf } from "../instance/outcome.ts";
import { withDisk } from "../instance/state.ts";
import { Failure } from "../io/failure.ts";
import { adoptedHome, currentPlace } from "../io/place.ts";
import { plainLine, plainText, printJson, printLine, printProgress } from "../io/print.ts";
import { assertPool } from "../pools/named-pools.ts";
import { livingRoles, runningText } from "../processes/instance.ts";
import { AnswerPrompt } from "../terminal/answer-prompt.ts";
import { howToAnswer, questionText } from "../terminal/question-text.ts";
import { terminalMarkdown } from "../terminal/terminal-markdown.ts";

const TIMEOUT_SEC_DEFAULT = 1_800;

export const ask = command({
  usage: "ask [text..]",
  summary: "send a message and wait for the whole answer",
  examples: [
    ["mimikit ask 'run `date` then `df -h .`'", "prints the replies in order; progress goes to stderr"],
    ["mimikit ask --attach shot.png what does this show", "with a picture, a document or any other file"],
    ["mimikit ask --pool gpu 'run `nvidia-smi`'", "the work is done on the machine of that name or label"],
    ["git diff | mimikit ask review this", "the words and the pipe; a long pipe and a binary one as a file"],
    ["git diff | mimikit ask", "the text from the pipe is the message"],
    ["mimikit ask --timeout 60 --json status", "one JSON document; exit code 4 after a minute"],
    ["mimikit ask 'run `npm test`' && echo passed", "says passed only where the work was done"],
  ],
  epilogue:
    "Exit codes: 0 everything was done, 1 a task or a reply failed, 2 wrong usage, 3 nothing runs, 4 no complete answer in time, 5 it waits for your answer. At a terminal you answer it there, and Ctrl-C leaves it open; in a script it ends at once.",
  takesText: true,
  options: (yargs) =>
    attachOption(textArgument(yargs))
      .option("timeout", {
        type: "number",
        default: TIMEOUT_SEC_DEFAULT,
        describe: "seconds to wait for the answer",
      })
      .option("pool", {
        type: "string",
        describe: "the machine, or the label of machines, where the work is done: mimikit pools",
      }),
  async run({ json, text: words, timeout, attach, pool }) {
    if (!(timeout > 0)) throw new Failure("usage", t("--timeout is a number of seconds above 0"));
    adoptedHome();
    if (pool !== undefined) await assertPool(pool);
    const where = pool === undefined ? {} : { pool, mode: "next" as const };
    const { text, files } = await readMessage(words, "ask", attach);
    const living = livingRoles(currentPlace().home);
    if (PROCESS_ROLES.some((role) => !living.has(role)) && living.size > 0) printProgress(`! ${runningText(living)}`);
    const titles = new Map<string, string>();
    const key = freshKey();
    let replies = 0;
    const prompt = !json && AnswerPrompt.isPossible() ? new AnswerPrompt() : null;
    const say = (print: () => void) => (prompt === null ? print() : prompt.above(print));
    const tell = (progress: string) => say(() => printProgress(progress));
    const signals = [AbortSignal.timeout(timeout * 1_000), ...(prompt === null ? [] : [prompt.leaving])];
    const outcome = await awaitAnswer(
      async () => (await handOver(withFiles({ kind: "message", text, ...where }, files), key)).id,
      {
        onReply(reply) {
          const text = process.stdout.isTTY ? terminalMarkdown(reply.text) : plainText(reply.text);
          if (!json) say(() => printLine(`${replies++ > 0 ? "\n" : ""}${text}`));
        },
        onNotice: (notice) => tell(`! ${plainLine(notice.text)}`),
        onQuestion(question) {
          if (prompt !== null) prompt.ask(question);
          else printProgress(`? ${questionText(question, Date.now())}\n  ${howToAnswer(question)}`);
        },
        onQuestionOver: ({ id }) => prompt?.withdraw(id),
        onTask(task) {
          titles.set(task.id, task.title);
          tell(`· ${describe(task)}`);
        },
        onProgress: (taskId, step) => tell(`  ${plainLine(titles.get(taskId) ?? t("thinking"))}: ${plainLine(step)}`),
      },
      { signal: AbortSignal.any(signals), isAttended: process.stdin.isTTY === true },
    ).finally(() => prompt?.close());
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
    } else if (prompt === null) {
      for (const question of outcome.questions)
        printLine(`\n? ${questionText(question, Date.now())}\n  ${howToAnswer(question)}`);
    }
    const left = prompt?.left ?? null;
    if (left !== null)
      throw new Failure(
        "asks",
        t("it stays open, and the work goes on. Answer it later:  {how}  (mimikit questions  lists what is open)", {
          how: howToAnswer(left),
        }),
      );
    if (outcome.state !== "complete" && outcome.state !== "asking")
      throw new Failure(
        "timedOut",
        t("no complete answer within {timeout} s; it goes on: see  mimikit tasks  and  mimikit chat", { timeout }),
      );
    const [question] = outcome.questions;
    if (question !== undefined)
      throw new Failure("asks", t("it waits for your answer: {how}", { how: howToAnswer(question) }));
    const failure = await failureOf(outcome);
    if (failure !== null) throw new Failure("failed", failure);
  },
});

/** The tasks or the reply that failed, in one line; null if everything was done. */
async function failureOf({ replies, tasks }: MessageOutcome): Promise<string | null> {
  const failed = tasks.filter(({ state }) => state === "failed" || state === "cancelled");
  if (failed.length > 0) {
    const named = failed.map(({ id, failureReason = "failed" }) => `${id} (${failureReason})`);
    return failed.length === 1
      ? t("1 task failed: {named}", { named: named.join(", ") })
      : t("{count} tasks failed: {named}", { count: failed.length, named: named.join(", ") });
  }
  return withDisk(currentPlace().home, async (fs) => {
    for (const reply of replies) {
      const turn = await readRecord(fs, Archived, archivePath(turnOf(reply)));
      if (turn !== null && "task" in turn && turn.status === "failed")
        return t("the reply failed: {reason}", { reason: whyOf(turn) });
    }
    return null;
  });
}

/** Says why there is no answer, and the command that helps. */
function whyOf({ problem, failureReason = "error" }: Result): string {
  if (problem === undefined) return reasonWords(failureReason, speaksChinese());
  return t("{what}; see  {command}", {
    what: problemWords(problem, speaksChinese()).what,
    command: commandFor(problem),
  });
}

function describe({ id, role, title, state, failureReason }: TaskSummary): string {
  return `${id} ${role} ${state}${failureReason === undefined ? "" : ` (${failureReason})`}  ${plainLine(title)}`;
}
