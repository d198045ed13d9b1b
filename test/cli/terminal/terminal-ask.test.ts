/** Questions in `mimikit ask`: at a terminal they are answered there; without one it says how. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { turnId } from "@mimikit/protocol/base/id";
import { InboxCommand } from "@mimikit/protocol/records/inbox";
import type { Question } from "@mimikit/protocol/records/question";
import { openDisk } from "@mimikit/store/disk/disk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, queue, settleTurn, taskOf } from "../../http-gateway/records.ts";
import { Instance } from "../../support/instance.ts";
import { runCli } from "../run-cli.ts";
import { hasTerminals, openTerminal, type Terminal } from "../terminal.ts";

const CTRL_C = "\u0003";

let served: Instance;
let turns = 0;
beforeAll(async () => {
  served = await Instance.start({ roles: ["gateway"] });
  await served.until("the gateway answers", () => served.api("/api/status"));
});
afterAll(() => served.dispose());

function inbox(): InboxCommand[] {
  const names = readdirSync(join(served.home, "inbox"));
  return names.map((name) => InboxCommand.parse(JSON.parse(readFileSync(join(served.home, "inbox", name), "utf8"))));
}

/** The answers that were given to a question. */
function answersTo({ id }: Question): string[] {
  return inbox().flatMap((command) => (command.kind === "answer" && command.questionId === id ? [command.answer] : []));
}

const disk = () => openDisk(served.home, "test-1-1");

/** Replies to the message that waits, and leaves its work open. @returns the id of the turn. */
async function reply(): Promise<string> {
  const message = await served.until("the message", () => inbox().find(({ kind }) => kind === "message"));
  const turn = turnId(++turns);
  await queue(disk(), taskOf(`${turn}.0`));
  await settleTurn(disk(), turns, [message.id], `On it: ${turn}.`);
  return turn;
}

/** `mimikit ask` at a terminal, with its first reply. */
async function startAsk(): Promise<{ terminal: Terminal; turn: string }> {
  const terminal = openTerminal(served, ["ask", "please"]);
  const turn = await reply();
  await terminal.shows(`On it: ${turn}.`);
  return { terminal, turn };
}

function approvalOf(turn: string): Promise<Question> {
  return ask(disk(), `${turn}.0.a1.approve`, {
    question: '"Lint" wants to use bash:\n\n```\nnpm install\u001b[2J eslint\necho done\n```\n\nin /w. Allow it?',
    options: ["yes, once", "yes, for this task", "always npm install", "no"],
    purpose: { type: "approve", taskId: `${turn}.0`, attempt: 1 },
  });
}

describe.skipIf(!hasTerminals)("at a terminal", () => {
  test("an approval is shown with all of its command, takes nothing but its answers, and y is the yes that holds once", async () => {
    const { terminal, turn } = await startAsk();
    const question = await approvalOf(turn);
    await terminal.shows("npm install[2J eslint");
    await terminal.shows("echo done");
    await terminal.shows("1  yes, once");
    await terminal.shows("y for 1 or n for 4; Ctrl-C leaves it open");
    await terminal.shows("answer › ");
    terminal.type("\r");
    await terminal.shows("answer › ");
    terminal.type("always\r");
    await terminal.shows("answer with one of: yes, once, yes, for this task, always npm install, no");
    await terminal.shows("answer › ");
    terminal.type("y\r");
    await terminal.shows("✓ yes, once");
    expect(answersTo(question)).toEqual(["yes, once"]);
  });

  test("what was typed before a question was shown never answers it", async () => {
    const { terminal, turn } = await startAsk();
    terminal.type("1\r2\ry\r1 typed ahead");
    await terminal.shows("typed ahead");
    const question = await approvalOf(turn);
    await terminal.shows("answer › ");
    terminal.type("n\r");
    await terminal.shows("✓ no");
    expect(answersTo(question)).toEqual(["no"]);
  });

  test("two questions are asked one after the other, and what follows the answer to the first is none to the second", async () => {
    const { terminal, turn } = await startAsk();
    const region = await ask(disk(), `${turn}.1`, { question: "Which region?", options: ["EU", "US"] });
    await terminal.shows("a number, or your own words");
    await terminal.shows("answer › ");
    const name = await ask(disk(), `${turn}.2`, { at: "2026-11-21T12:00:01.000Z", question: "Which name?" });
    terminal.type("2\rMax\r");
    await terminal.shows("✓ US");
    await terminal.shows("? Which name?");
    await terminal.shows("answer › ");
    terminal.type("the blue one\r");
    await terminal.shows("✓ the blue one");
    expect([answersTo(region), answersTo(name)]).toEqual([["US"], ["the blue one"]]);
  });

  test("what goes on meanwhile is shown above the line that is being typed", async () => {
    const { terminal, turn } = await startAsk();
    const question = await ask(disk(), `${turn}.1`, { question: "Which region?", options: ["EU", "US"] });
    await terminal.shows("answer › ");
    terminal.type("A");
    await terminal.shows("A");
    await queue(disk(), taskOf(`${turn}.3`, { title: "dig" }));
    await terminal.shows("queued  dig");
    await terminal.shows("answer › A");
    terminal.type("sia\r");
    await terminal.shows("✓ Asia");
    expect(answersTo(question)).toEqual(["Asia"]);
  });

  test("Ctrl-C leaves the question open and says how to answer it later, with exit code 5", async () => {
    const { terminal, turn } = await startAsk();
    const question = await approvalOf(turn);
    await terminal.shows("answer › ");
    terminal.type(`1${CTRL_C}`);
    await terminal.shows(
      `it stays open, and the work goes on. Answer it later:  mimikit questions answer ${question.id}`,
    );
    expect(await terminal.ended()).toBe(5);
    expect(answersTo(question)).toEqual([]);
  });
});

test("without a terminal it says once on stderr what is asked, with its options, and how it is answered", async () => {
  const said = runCli(served, ["ask", "please"]);
  const turn = await reply();
  const question = await ask(disk(), `${turn}.1`, {
    question: "Which region?",
    options: ["EU", "US"],
    purpose: { type: "teller" },
  });
  // Only an answer goes on with it.
  await ask(disk(), `${turn}.0.a1.approve`, {
    purpose: { type: "approve", taskId: `${turn}.0`, attempt: 1 },
    options: ["yes, once", "no"],
  });
  const { code, error } = await said;
  expect(code).toBe(5);
  expect(error.split("? Which region?\n  1  EU\n  2  US\n")).toHaveLength(2);
  expect(error).toContain(`\n  mimikit questions answer ${question.id} <answer>\n`);
});
