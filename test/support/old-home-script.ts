/**
 * The scripted model of the homes in test/fixtures, while they were made and when they go on. It reads orders as the offline
 * engine does, so that whatever one of them has begun, the other can end.
 */
import { section } from "./main-job.ts";
import type { Answer, ModelRequest, Script, ScriptedCall } from "./model-server.ts";

const call = (name: string, args: object): ScriptedCall => ({ name, args });

/** More calls in one answer are not made. */
const CALLS_AT_ONCE = 3;

/** The Teller's calls when it gets these words. */
const WORDS: Readonly<Record<string, readonly ScriptedCall[]>> = {
  "ask me": [call("ask_user", { question: "Which port?", options: ["80", "8080"], default: "80" })],
  "which region": [call("ask_user", { question: "Which region?", default: "eu" })],
  "restart yourself": [call("restart_server", {})],
  "keep all of it": [
    call("remember", { content: "The harbour is blue.", longTerm: true }),
    call("remember", { content: "The lighthouse was painted.", longTerm: false }),
    call("remember", { content: "Speaks of ships.", longTerm: true, target: "persona" }),
    call("remember", { content: "Sails on Sundays.", longTerm: true, target: "profile" }),
    call("update_backlog", { op: "add", item: "mend the sail" }),
    call("notify", { title: "Harbour", text: "All of it is kept." }),
  ],
  "which of two": [call("delegate", { title: "one of two", prompt: "which of two" })],
  "every year": [call("delegate", { title: "every year", prompt: "every year" })],
  "compress it": [call("compress_context", { summary: "They spoke of a harbour." })],
  "remind me": [
    call("schedule", { prompt: "water the plants", title: "plants", runAt: "2099-06-01T08:00:00Z", missed: "latest" }),
  ],
};

/** The Planner's additions to the order of a command that has such a word in it. */
const MANNERS: Readonly<Record<string, object>> = {
  asked: { onInterrupt: "ask" },
  retried: { timeoutSec: 20 },
  skilled: { skill: "release-notes" },
};

/** The orders in a text: of each the commands of its steps. */
function ordersIn(text: string): string[][][] {
  return [...text.matchAll(/run `[^`\n]+`(?: (?:then|and) `[^`\n]+`)*/g)].map(([order]) =>
    order.split(" then ").map((step) => [...step.matchAll(/`([^`]+)`/g)].map(([, command]) => command ?? "")),
  );
}

const orderOf = (steps: string[][]) =>
  `run ${steps.map((step) => step.map((each) => `\`${each}\``).join(" and ")).join(" then ")}`;

function teller(request: ModelRequest): Answer {
  const [inputs = "", events = "", results = ""] = ["inputs", "events", "results"].map((name) =>
    section(name, request),
  );
  const orders = ordersIn(`${inputs}\n${events}`);
  const words = Object.entries(WORDS).flatMap(([word, calls]) => (inputs.includes(word) ? calls : []));
  const cancelled = /forget ([\w.-]+)/.exec(inputs)?.[1];
  const summed = /sum up ([\w.-]+)/.exec(inputs)?.[1];
  const wanted = [
    ...orders.map((steps) => call("delegate", { title: steps.flat()[0], prompt: orderOf(steps) })),
    ...words,
    ...(cancelled === undefined ? [] : [call("cancel_task", { id: cancelled })]),
    ...(summed === undefined ? [] : [call("summarize_task_result", { taskId: summed, summary: "It counted." })]),
  ];
  const made = request.results.length;
  if (made < wanted.length) return { calls: wanted.slice(made, made + CALLS_AT_ONCE) };
  const parts = [
    inputs === "" ? "" : "Noted.",
    results === "" ? "" : `This came of it:\n\n${results}`,
    events === "" ? "" : `Heard:\n\n${events}`,
  ];
  return { say: parts.filter((part) => part !== "").join("\n\n") };
}

function planner(request: ModelRequest): Answer {
  const prompt = section("request", request);
  const { results } = request;
  if (prompt.includes("which of two")) return { say: "There are two. Which of them is it?" };
  if (prompt.includes("every year"))
    return results.length === 0
      ? { calls: [call("schedule", { prompt: "run `echo yearly`", title: "every year", interval: 31_536_000 })] }
      : { say: "" };
  // The title may be another order, cut off.
  const steps = ordersIn(prompt).at(-1) ?? [];
  const flat = steps.flatMap((step, n) => step.map((command) => ({ command, n })));
  const next = flat[results.length];
  if (next === undefined) return { say: "" };
  const ids = results.map((result) => /\bt-[\d.]+\d|\btrg-[\w.-]+\d/.exec(result)?.[0]);
  const before = flat.findLastIndex(({ n }, i) => i < results.length && n < next.n);
  const manner = Object.entries(MANNERS).find(([word]) => next.command.includes(word))?.[1];
  const condition = { type: "task_done", params: { taskId: ids[before] } };
  return {
    calls: [
      call("delegate", {
        title: next.command,
        prompt: `run \`${next.command}\``,
        ...(before >= 0 && { condition }),
        ...manner,
      }),
    ],
  };
}

/** The finding of a look; the work appends a line to CHANGES.md. */
const FINDS = { found: true, kind: "docs", title: "note the change", prompt: "Write it down.", why: "Nobody has." };

function worker(request: ModelRequest): Answer {
  const conditions = [...section("conditions", request).matchAll(/^- id: (c\d+)$/gm)];
  if (conditions.length > 0) return { say: JSON.stringify(conditions.map(([, id]) => ({ id, result: true }))) };
  if (section("sources", request) !== "") return { say: "- The harbour was spoken of." };
  const task = section("task", request);
  if (task === "") return { say: JSON.stringify(FINDS) };
  const isDone = request.results.length > 0;
  if (task.includes(FINDS.prompt))
    return isDone ? { say: "It is written down." } : { calls: [{ shell: "echo noted >> CHANGES.md" }] };
  const command = /run `([^`]+)`/.exec(task)?.[1] ?? ":";
  if (!isDone) return { calls: [{ shell: command }] };
  return { say: /\bexit [1-9]/.test(command) ? '{"status": "failed", "error": "it ended badly"}' : `Done: ${command}` };
}

/** The request's own text, without parts that are only shown along with it. */
export function askedIn(request: ModelRequest): string {
  const names = ["inputs", "request", "conditions", "sources", "task", "finding"];
  return names.map((name) => section(name, request)).join("\n");
}

/** @param isHeld the model never answers such a request. @param passes what the Reviewer thinks of a change. */
export function oldHomeScript(
  isHeld: (request: ModelRequest) => boolean = () => false,
  passes: () => boolean = () => true,
): Script {
  const unlessHeld = (answer: (request: ModelRequest) => Answer) => (request: ModelRequest) =>
    isHeld(request) ? { hang: true as const } : answer(request);
  return {
    teller: unlessHeld(teller),
    planner: unlessHeld(planner),
    worker: unlessHeld(worker),
    reviewer: unlessHeld(() => ({ say: JSON.stringify({ pass: passes(), reasons: ["It was looked at."] }) })),
  };
}
