/** Questions at the command line: what is asked is shown, and an answer is a signed record, also with everything down. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InboxCommand } from "@mimikit/protocol/records/inbox";
import { Question } from "@mimikit/protocol/records/question";
import type { QuestionView } from "@mimikit/protocol/wire/api";
import { prepareHome, readToken } from "@mimikit/runtime/home/home";
import { openDisk } from "@mimikit/store/disk/disk";
import { createRecord } from "@mimikit/store/disk/record";
import { isSigned } from "@mimikit/store/disk/sign";
import { questionPath } from "@mimikit/store/disk/state";
import { describe, expect, onTestFinished, test } from "vitest";
import { OpenQuestions } from "../../../apps/cli/src/instance/open-questions.ts";
import { answerMeant, questionText } from "../../../apps/cli/src/terminal/question-text.ts";
import { type CliPlace, runCli } from "../run-cli.ts";

const HOUR_MS = 3_600_000;

function questionOf(id: string, more: Partial<Question> = {}): Question {
  const at = new Date();
  return {
    id,
    at: at.toISOString(),
    expiresAt: new Date(at.getTime() + HOUR_MS).toISOString(),
    question: "Which region?",
    options: ["EU", "US"],
    purpose: { type: "teller" },
    traceId: "t-000001",
    ...more,
  };
}

/** A state directory in which nothing runs, with these questions in it. */
async function asking(...questions: Question[]): Promise<CliPlace> {
  const dir = mkdtempSync(join(tmpdir(), "mimikit-cli-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const at = { home: join(dir, "home"), workDir: join(dir, "work") };
  mkdirSync(at.workDir);
  prepareHome(at.home);
  const fs = openDisk(at.home, "test-1-1");
  for (const question of questions) await createRecord(fs, Question, questionPath(question.id), question);
  return at;
}

function inboxOf({ home }: CliPlace): InboxCommand[] {
  const names = readdirSync(join(home, "inbox"));
  return names.map((name) => InboxCommand.parse(JSON.parse(readFileSync(join(home, "inbox", name), "utf8"))));
}

test("the open questions are listed with their options by number, and what happens without an answer", async () => {
  const at = await asking(questionOf("t-000001.1", { default: "EU" }));
  const { code, out } = await runCli(at, ["questions"]);
  expect(code).toBe(0);
  expect(out).toMatch(
    /^t-000001\.1\nWhich region\?\n {2}1 {2}EU\n {2}2 {2}US\n {2}\((1 h|59 min \d+ s) left, then EU\)\n$/,
  );
  const json = JSON.parse((await runCli(at, ["questions", "--json"])).out);
  expect(json).toMatchObject({ questions: [{ id: "t-000001.1", options: ["EU", "US"], isChoice: false }] });
  expect((await runCli(await asking(), ["questions"])).out).toBe("there are no open questions\n");
});

test.each([
  { words: ["2"], answer: "US" },
  { words: ["the", "one", "in", "-", "Frankfurt"], answer: "the one in - Frankfurt" },
])("the answer $words is a signed record, and is no longer asked for", async ({ words, answer }) => {
  const at = await asking(questionOf("t-000001.1"));
  const { code, out } = await runCli(at, ["questions", "answer", "--json", "t-000001", ...words]);
  expect(code).toBe(0);
  const [command] = inboxOf(at);
  expect(JSON.parse(out)).toEqual({ id: command?.id, outcome: null, questionId: "t-000001.1", answer });
  expect(command).toMatchObject({ kind: "answer", questionId: "t-000001.1", answer });
  expect(command !== undefined && isSigned(readToken(at.home), command)).toBe(true);
  expect((await runCli(at, ["questions"])).out).toBe("there are no open questions\n");
  const again = await runCli(at, ["questions", "answer", "t-000001.1", "1"]);
  expect([again.code, again.error]).toEqual([
    1,
    "mimikit: there is no open question t-000001.1:  mimikit questions  lists them\n",
  ]);
  expect(inboxOf(at)).toHaveLength(1);
});

test("where only an option can be the answer, anything else is refused and nothing is sent", async () => {
  const purpose = { type: "go_on", failedId: "t-000001.0.0" } as const;
  const at = await asking(questionOf("t-000001.0.0.go-on", { purpose, options: ["go on", "stop"] }));
  const wrong = await runCli(at, ["questions", "answer", "t-000001.0.0.go-on", "perhaps"]);
  expect([wrong.code, wrong.error]).toEqual([2, "mimikit: answer with one of: go on, stop\n"]);
  expect(inboxOf(at)).toEqual([]);
  expect((await runCli(at, ["questions", "answer", "t-000001.0.0.go-on", "Go", "ON"])).code).toBe(0);
  expect(inboxOf(at)).toMatchObject([{ answer: "go on" }]);
});

describe("what was typed", () => {
  const asked = { options: ["EU", "US"], isChoice: false };

  test.each([
    ["1", "EU"],
    ["us", "US"],
    ["3", "3"],
    ["0", "0"],
    ["1.5", "1.5"],
    [" Asia ", "Asia"],
  ])("%j means %j", (typed, answer) => {
    expect(answerMeant(asked, typed)).toBe(answer);
  });

  test("that is an option itself is no number of another", () => {
    const replicas = { options: ["1", "3", "5"], isChoice: true };
    expect(answerMeant(replicas, "3")).toBe("3");
    expect(answerMeant(replicas, "2")).toBe("3");
    for (const typed of ["1e0", "0x2", "+2", "4"])
      expect(() => answerMeant(replicas, typed)).toThrow("answer with one of");
  });

  describe("to an approval", () => {
    const approval = { options: ["yes, once", "yes, for this task", "always npm install", "no"], isChoice: true };

    test.each([
      ["y", "yes, once"],
      [" YES ", "yes, once"],
      ["n", "no"],
      ["No", "no"],
      ["3", "always npm install"],
      ["yes, for this task", "yes, for this task"],
    ])("%j means %j", (typed, answer) => {
      expect(answerMeant(approval, typed)).toBe(answer);
    });

    test.each(["yes, always", "always", "ye", "yn", "y y", "5"])("%j means nothing", (typed) => {
      expect(() => answerMeant(approval, typed)).toThrow("answer with one of");
    });

    test("in Chinese takes the same letters", () => {
      const chinese = { options: ["允许一次", "本任务内允许", "不允许"], isChoice: true };
      expect(["y", "n"].map((typed) => answerMeant(chinese, typed))).toEqual(["允许一次", "不允许"]);
    });
  });

  test("is y or n, and means no option, where a question takes any words", () => {
    expect(["y", "no"].map((typed) => answerMeant(asked, typed))).toEqual(["y", "no"]);
  });

  test("is refused without commanding the terminal", () => {
    const options = ["yes", "a\u001b[2Jb"];
    expect(() => answerMeant({ options, isChoice: true }, "x")).toThrow("answer with one of: yes, a[2Jb");
  });

  test("is an answer only if there is something", () => {
    expect(() => answerMeant(asked, " ")).toThrow("say the answer");
  });
});

test("a question cannot command the terminal", () => {
  const asked = { ...questionOf("t-000001.1", { question: "a\u001b[2Jb", options: ["c\u0007\nd"] }), isChoice: false };
  expect(questionText(asked, Date.now())).toContain("a[2Jb\n  1  c d\n");
});

describe("in the chat", () => {
  const view = (id: string): QuestionView => {
    const { purpose: _purpose, traceId: _traceId, ...rest } = questionOf(id);
    return { ...rest, isChoice: false };
  };
  const frame = (id: string, isOpen: boolean) =>
    ({ type: "question", cursor: "1", data: { ...view(id), isOpen } }) as const;

  test("the oldest open question is the one that a line answers, until it is closed or put aside", () => {
    const questions = new OpenQuestions();
    expect(questions.current).toBeNull();
    expect(questions.hear(frame("t-000001.1", true)).asked).toHaveLength(1);
    expect(questions.hear(frame("t-000001.2", true)).asked).toHaveLength(1);
    expect(questions.current?.id).toBe("t-000001.1");
    questions.putAside("t-000001.1");
    expect(questions.current?.id).toBe("t-000001.2");
    questions.takeUp("t-000001.1");
    expect(questions.current?.id).toBe("t-000001.1");
    expect(questions.hear(frame("t-000001.1", false)).over).toHaveLength(1);
    expect(questions.current?.id).toBe("t-000001.2");
  });

  test("a question is news once, also when the connection begins anew, and its end only if it was waited for", () => {
    const questions = new OpenQuestions();
    expect(questions.hear(frame("t-000001.1", true)).asked).toHaveLength(1);
    expect(questions.hear(frame("t-000001.1", true)).asked).toEqual([]);
    questions.putAside("t-000001.1");
    expect(questions.hear(frame("t-000001.1", false)).over).toEqual([]);
    expect(questions.hear(frame("t-000001.1", false)).over).toEqual([]);
  });
});
