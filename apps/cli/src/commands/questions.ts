/** Shows what Mimikit asks, and answers it. Reads and writes the state directory itself, so it works with everything down. */
import type { QuestionView } from "@mimikit/protocol/wire/api";
import { actions, command } from "../arguments/command.ts";
import { readText } from "../arguments/text-argument.ts";
import { found, withState } from "../instance/state.ts";
import { ask } from "../instance/write-wish.ts";
import { Failure } from "../io/failure.ts";
import { plainLine, printJson, printLine, styled } from "../io/print.ts";
import { answerMeant, questionText } from "../terminal/question-text.ts";

export const questions = command({
  usage: "questions [action] [id] [text..]",
  summary: "what Mimikit asks you, and your answers",
  examples: [
    ["mimikit questions", "the open questions, with their options by number"],
    ["mimikit questions answer t-000042.1 2", "the second option"],
    ["mimikit questions answer t-000042.1 the one in Frankfurt", "an answer in your own words"],
  ],
  options: (yargs) =>
    yargs
      .positional("action", actions("list", "answer"))
      .positional("id", { type: "string", describe: "answer: the question, or the beginning of its id" })
      .positional("text", {
        type: "string",
        array: true,
        describe: "answer: the number of an option, or your own words; - reads them from the pipe",
      }),
  async run({ json, action, id, text: words }) {
    if (action === "list") {
      const open = await withState(async (state) => state.questions);
      if (json) printJson({ questions: open });
      else list(open);
      return;
    }
    if (id === undefined) throw new Failure("usage", "say which question: mimikit questions answer <id> <answer>");
    const typed = await readText(words, `questions answer ${id}`);
    const { home, question } = await withState(async (state) => ({
      home: state.home,
      question: found(id, state.questions, "open question"),
    }));
    const answer = answerMeant(question, typed);
    const asked = await ask(home, { kind: "answer", questionId: question.id, answer });
    if (json) printJson({ ...asked, questionId: question.id, answer });
    else
      printLine(
        asked.outcome === null ? `${answer} (kept; it is taken up when Mimikit runs)` : `${question.id}: ${answer}`,
      );
  },
});

function list(open: readonly QuestionView[]): void {
  if (open.length === 0) printLine("nothing is asked");
  open.forEach((question, i) => {
    if (i > 0) printLine();
    printLine(styled("bold", plainLine(question.id)));
    printLine(questionText(question, Date.now()));
  });
}
