/** Shows what Mimikit asks, and answers it. Reads and writes the state directory itself, so it works with everything down. */
import type { QuestionView } from "@mimikit/protocol/wire/api";
import { command, commandGroup } from "../arguments/command.ts";
import { readText } from "../arguments/text-argument.ts";
import { t } from "../i18n/language.ts";
import { found, withState } from "../instance/state.ts";
import { ask } from "../instance/write-command.ts";
import { plainLine, plainText, printJson, printLine, styled } from "../io/print.ts";
import { answerMeant, questionText } from "../terminal/question-text.ts";

const list = command({
  usage: "list",
  summary: "the open questions, with their options by number",
  examples: [["mimikit questions list", "mimikit questions alone is the same"]],
  async run({ json }) {
    const open = await withState(async (state) => state.questions);
    if (json) printJson({ questions: open });
    else printQuestions(open);
  },
});

const answer = command({
  usage: "answer <id> [text..]",
  summary: "answer a question",
  examples: [
    ["mimikit questions answer t-000042.1 2", "the second option"],
    ["mimikit questions answer t-000042.0.a1.approve y", "yes, once; n is no"],
    ["mimikit questions answer t-000042.1 the one in Frankfurt", "in your own words"],
  ],
  takesText: true,
  options: (yargs) =>
    yargs
      .positional("id", { type: "string", demandOption: true, describe: "the question, or the beginning of its id" })
      .positional("text", {
        type: "string",
        array: true,
        describe: "the number of an option, y or n, or your own words; - reads them from the pipe",
      }),
  async run({ json, id, text: words }) {
    const typed = await readText(words, `questions answer ${id}`);
    const { home, question } = await withState(async (state) => ({
      home: state.home,
      question: found(id, state.questions, "open question"),
    }));
    const meant = answerMeant(question, typed);
    const asked = await ask(home, { kind: "answer", questionId: question.id, answer: meant });
    if (json) printJson({ ...asked, questionId: question.id, answer: meant });
    else
      printLine(
        asked.outcome === null
          ? t("{meant} (queued; it is applied when Mimikit runs)", { meant })
          : `${question.id}: ${plainText(meant)}`,
      );
  },
});

export const questions = commandGroup({
  name: "questions",
  summary: "questions that Mimikit asks you: list and answer them",
  subCommands: [list, answer],
  alone: list,
});

function printQuestions(open: readonly QuestionView[]): void {
  if (open.length === 0) printLine(t("there are no open questions"));
  open.forEach((question, i) => {
    if (i > 0) printLine();
    printLine(styled("bold", plainLine(question.id)));
    printLine(questionText(question, Date.now()));
  });
}
