/**
 * Standing triggers: what will happen, when and why, and how that is changed. It reads and writes the state directory
 * itself, so it works with everything down; an order is checked before anything is written.
 */

import { durationText, momentText, whenText } from "@mimikit/core/schedule/trigger-words";
import { aheadOfClock } from "@mimikit/core/triggers/ahead-of-clock";
import { explainTrigger } from "@mimikit/core/triggers/explain";
import { triggerIdOf } from "@mimikit/core/triggers/of-command";
import { simulateTriggers } from "@mimikit/core/triggers/simulate";
import { triggerSummary } from "@mimikit/core/views/board";
import type { Past, Standing } from "@mimikit/protocol/records/trigger";
import { triggerFacts } from "@mimikit/runtime/workspace/trigger-facts";
import { WorkspaceFiles } from "@mimikit/runtime/workspace/workspace-files";
import type { Said } from "@mimikit/store/disk/create-wish";
import { meanCost } from "@mimikit/store/views/mean-cost";
import { UsageBook } from "@mimikit/store/views/usage-book";
import { z } from "zod";
import { actions, command } from "../arguments/command.ts";
import { wordsOf } from "../arguments/text-argument.ts";
import {
  definitionFrom,
  ORDER_OPTIONS,
  type OrderOptions,
  orderOptions,
  patchFrom,
  saidOf,
  secondsOf,
  terminalZone,
} from "../arguments/trigger-options.ts";
import { connect, mayPass } from "../instance/client.ts";
import { assertTasksKnown, found, type State, shortId, withState } from "../instance/state.ts";
import { type Asked, ask } from "../instance/write-wish.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, plainText, printJson, printLine, printTable, styled } from "../io/print.ts";
import { explanationTree } from "../terminal/explanation-tree.ts";
import { printSimulation } from "../terminal/simulation-text.ts";

const ACTIONS = [
  "list",
  "show",
  "add",
  "change",
  "pause",
  "resume",
  "anew",
  "run",
  "delete",
  "explain",
  "simulate",
] as const;
const SIMULATED_DEFAULT = "7d";
const SIMULATED_SEC_MAX = 366 * 86_400;
const FIRINGS_LISTED = 50;

export const triggers = command({
  usage: "triggers [action] [words..]",
  summary: "what starts by itself: list, add, change, pause, run, explain, simulate",
  examples: [
    ["mimikit triggers", "what stands, the next first"],
    ["mimikit triggers add --every 2h 'run `npm test`'", "each two hours from now on"],
    ["mimikit triggers add --cron '0 0 9 * * 1-5' --title standup 'write the standup notes'", "at 9 on weekdays, here"],
    ["mimikit triggers add --at 2026-12-24T18:00:00+01:00 'remind me of the presents'", "once"],
    ["mimikit triggers add --when-file-changes 'src/**/*.ts' --cooldown 5m 'run `npm test`'", "by a condition"],
    ["mimikit triggers add --when-file-exists maintenance --stable-for 10m 'say so'", "when it holds for long enough"],
    ["mimikit triggers change 3fa29c01 --every 4h", "the beginning of an id will do, or the title"],
    ["mimikit triggers pause standup", "resume goes on; what passed meanwhile is skipped"],
    ["mimikit triggers anew", "after a clock that was ahead: those that wait for it count from now"],
    ["mimikit triggers explain 3fa29c01", "why it fires, or why not"],
    ["mimikit triggers simulate --to 30d", "every coming firing, with nothing run"],
  ],
  options: (yargs) =>
    orderOptions(
      yargs
        .positional("action", actions(...ACTIONS))
        .positional("words", {
          type: "string",
          array: true,
          describe: "the trigger, by its title or its id, then what is to be done (add: only that)",
        })
        .option("from", { type: "string", describe: "simulate: from when, ISO 8601 or 2h from now; now if not given" })
        .option("to", { type: "string", describe: `simulate: until when; ${SIMULATED_DEFAULT} if not given` })
        .option("limit", {
          type: "number",
          default: FIRINGS_LISTED,
          describe: "simulate: how many firings are listed",
        }),
    ),
  async run(options) {
    const { json, action } = options;
    const words = wordsOf(options.words);
    if (action !== "add" && action !== "change") assertNoOrder(action, options);
    if (action === "list") await list(json);
    else if (action === "add") await add(options, words.join(" ").trim());
    else if (action === "simulate") await simulate(options, words[0]);
    else {
      const [given, ...rest] = words;
      if (given === undefined && action === "anew") return allAnew(json);
      if (given === undefined) throw new Failure("usage", `say which trigger: mimikit triggers ${action} <id>`);
      if (rest.length > 0 && action !== "change")
        throw new Failure("usage", `one id is enough: mimikit triggers ${action} ${given}`);
      if (action === "show") await show(given, json);
      else if (action === "explain") await explain(given, json);
      else await change(action, given, json, (trigger) => changeIn(action, trigger, options, rest.join(" ").trim()));
    }
  },
});

type Change = "change" | "pause" | "resume" | "anew" | "run" | "delete";

/** @throws Failure (usage): an option that would do nothing is a mistake. */
function assertNoOrder(action: string, options: OrderOptions): void {
  const [said] = saidOf(ORDER_OPTIONS, options);
  if (said !== undefined)
    throw new Failure("usage", `--${said} is for  mimikit triggers add  and  change, not ${action}`);
}

async function list(json: boolean): Promise<void> {
  const standing = await withState(async (state) => inOrder(state));
  if (json) {
    printJson({ triggers: standing.map(triggerSummary) });
    return;
  }
  const timeZone = terminalZone();
  const rows = standing.map((trigger) => {
    const { next } = triggerSummary(trigger);
    const soon = next === null ? "–" : momentText(Date.parse(next), timeZone);
    const { id, target, title } = trigger;
    return [shortId(id), trigger.paused ? "paused" : soon, whenText(trigger, timeZone), target, title];
  });
  printTable(["id", "next", "when", "for", "what"], rows, "there are no triggers");
}

/** The next first; those of which nobody knows when come last. */
function inOrder({ triggers: standing }: State): Standing[] {
  const nextOf = (trigger: Standing) => triggerSummary(trigger).next ?? "9";
  return [...standing.values()].sort((a, b) => {
    const [first, second] = [nextOf(a) + a.createdAt + a.id, nextOf(b) + b.createdAt + b.id];
    return first < second ? -1 : 1;
  });
}

async function show(given: string, json: boolean): Promise<void> {
  const trigger = await withState(async (state) => found(given, state.triggers.values(), "trigger"));
  const summary = triggerSummary(trigger);
  if (json) {
    printJson({ ...summary, prompt: trigger.prompt, onInterrupt: trigger.onInterrupt, timeoutSec: trigger.timeoutSec });
    return;
  }
  const timeZone = terminalZone();
  const { id, title, prompt, target, pool, priority, budget, recent, paused, createdAt } = trigger;
  printLine(styled("bold", `${plainLine(title)}  ${id}`));
  const next = summary.next === null ? "" : `, next ${momentText(Date.parse(summary.next), timeZone)}`;
  printLine(`${plainLine(whenText(trigger, timeZone))}${paused ? ", paused" : next}`);
  const where = pool === undefined ? "" : ` on ${pool}`;
  printLine(`for the ${target}${where}, priority ${priority}, made ${momentText(Date.parse(createdAt), timeZone)}`);
  if (trigger.type !== "conditional") printLine(`missed: ${trigger.missed}`);
  else if (trigger.cooldownSec > 0) printLine(`rests ${durationText(trigger.cooldownSec)} after each firing`);
  if (budget !== undefined) printLine(`budget a day: ${budgetText(budget)}`);
  printLine();
  printLine(plainText(prompt));
  if (recent.length === 0) return;
  printLine();
  printTable(
    ["when", "what happened", "id"],
    recent.toReversed().map((past) => pastRow(past, timeZone)),
    "",
  );
}

function budgetText({ tokens, costUsd }: NonNullable<Standing["budget"]>): string {
  const parts = [tokens === undefined ? [] : [`${tokens} tokens`], costUsd === undefined ? [] : [`${costUsd} USD`]];
  return parts.flat().join(", ");
}

function pastRow(past: Past, timeZone: string): string[] {
  if (past.outcome === "fired") return [momentText(Date.parse(past.at), timeZone), "fired", past.id];
  const [from, to] = [past.from, past.to].map((at) => momentText(Date.parse(at), timeZone));
  const count = past.count === null ? "many" : String(past.count);
  return [from === to ? `${from}` : `${from} – ${to}`, `skipped ${count}: ${past.reason}`, past.id];
}

async function add(options: OrderOptions, words: string): Promise<void> {
  const definition = definitionFrom(options, words, Date.now());
  await assertTasksKnown(definition.when);
  await assertPoolOf(definition.order.pool);
  const asked = await ask(currentPlace().home, { kind: "trigger-put", definition });
  const triggerId = triggerIdOf(asked.id);
  const next = await nextOfNew(triggerId);
  if (options.json) printJson({ ...asked, triggerId, next });
  else {
    const fires = next === null ? "" : `, next ${momentText(Date.parse(next), terminalZone())}`;
    printLine(`${triggerId}${fires}${laterText(asked)}`);
  }
}

/** Loaded only where one is named. */
async function assertPoolOf(pool: string | undefined): Promise<void> {
  if (pool === undefined) return;
  const { assertPool } = await import("../pools/named-pools.ts");
  await assertPool(pool);
}

async function nextOfNew(triggerId: string): Promise<string | null> {
  return withState(async (state) => {
    const trigger = state.triggers.get(triggerId);
    return trigger === undefined ? null : triggerSummary(trigger).next;
  });
}

async function change(what: Change, given: string, json: boolean, said: (trigger: Standing) => Said): Promise<void> {
  const { home, trigger } = await withState(async (state) => ({
    home: state.home,
    trigger: found(given, state.triggers.values(), "trigger"),
  }));
  const wish = said(trigger);
  if (wish.kind === "trigger-patch") {
    await assertTasksKnown(wish.patch.when);
    await assertPoolOf(wish.patch.order?.pool);
  }
  const asked = await ask(home, wish);
  const done = DONE[what];
  if (json) printJson({ ...asked, triggerId: trigger.id });
  else printLine(`${trigger.id}: ${done}${laterText(asked)}`);
}

const DONE = {
  change: "changed",
  pause: "paused",
  resume: "goes on",
  anew: "counts from now",
  run: "started",
  delete: "deleted",
} as const satisfies Record<Change, string>;

/** All schedules that wait because the clock was ahead count from now. */
async function allAnew(json: boolean): Promise<void> {
  const { home, ahead } = await withState(async (state) => ({
    home: state.home,
    ahead: aheadOfClock(state.triggers.values(), Date.now()),
  }));
  const begun = [];
  for (const { id: triggerId } of ahead) {
    const asked = await ask(home, { kind: "trigger-patch", triggerId, patch: { anew: true } });
    begun.push({ ...asked, triggerId });
    if (!json) printLine(`${triggerId}: ${DONE.anew}${laterText(asked)}`);
  }
  if (json) printJson({ triggers: begun });
  else if (begun.length === 0) printLine("no trigger is ahead of the clock");
}

function changeIn(what: Change, trigger: Standing, options: OrderOptions, words: string): Said {
  const { id: triggerId } = trigger;
  if (what === "delete") return { kind: "trigger-delete", triggerId };
  if (what === "run") return { kind: "trigger-run", triggerId };
  if (what === "anew") return { kind: "trigger-patch", triggerId, patch: { anew: true } };
  if (what !== "change") return { kind: "trigger-patch", triggerId, patch: { paused: what === "pause" } };
  return { kind: "trigger-patch", triggerId, patch: patchFrom(options, words, trigger.type, Date.now()) };
}

function laterText({ outcome }: Asked): string {
  return outcome === null ? " (kept; it is taken up when Mimikit runs)" : "";
}

async function explain(given: string, json: boolean): Promise<void> {
  const { trigger, explanation } = await withState(async (state) => {
    const trigger = found(given, state.triggers.values(), "trigger");
    const files = new WorkspaceFiles({ home: state.home, workDir: await workspaceOf(state) });
    const facts = await triggerFacts(trigger, { mirror: state.mirror, files, timeZone: terminalZone() }, Date.now());
    return { trigger, explanation: explainTrigger(trigger, facts) };
  });
  if (json) {
    printJson(explanation);
    return;
  }
  printLine(`${styled("bold", plainLine(trigger.title))}  ${trigger.id}`);
  printLine(`${plainLine(whenText(trigger, terminalZone()))}`);
  printLine(plainLine(explanation.text.replace(ISO_MOMENT, localMoment)));
  if (explanation.condition === undefined) return;
  printLine();
  for (const line of explanationTree(explanation.condition)) printLine(line);
}

/** That of the running instance, which may have been started elsewhere; the one of here where nobody can be asked. */
async function workspaceOf({ workDir }: State): Promise<string> {
  try {
    return (await connect().status()).workDir;
  } catch (error) {
    if (mayPass(error)) return workDir;
    throw error;
  }
}

const ISO_MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** The same moment on the clock of whoever reads it. */
function localMoment(iso: string): string {
  return momentText(Date.parse(iso), terminalZone());
}

/** The stretch of time that is simulated, and how much of it is listed. */
interface Span {
  from: string | undefined;
  to: string | undefined;
  limit: number;
}

async function simulate(options: OrderOptions & Span, given?: string) {
  const { json, limit } = options;
  const nowMs = Date.now();
  const fromMs = options.from === undefined ? nowMs : momentIn("--from", options.from, nowMs);
  const toMs = momentIn("--to", options.to ?? SIMULATED_DEFAULT, fromMs);
  if (toMs <= fromMs) throw new Failure("usage", "--to is after --from");
  if (toMs - fromMs > SIMULATED_SEC_MAX * 1_000)
    throw new Failure("usage", `at most ${durationText(SIMULATED_SEC_MAX)} at once`);
  if (!Number.isInteger(limit) || limit < 1) throw new Failure("usage", "--limit is a whole number above 0");
  const timeZone = terminalZone();
  const simulation = await withState(async ({ home, triggers: standing }) => {
    const chosen = given === undefined ? [...standing.values()] : [found(given, standing.values(), "trigger")];
    const book = new UsageBook(home);
    const costOf = (trigger: Standing) => meanCost(trigger, book, nowMs);
    return simulateTriggers(chosen, fromMs, toMs, { timeZone, costOf });
  });
  if (json) printJson(simulation);
  else printSimulation({ simulation, timeZone, limit, shortId });
}

/** A moment, or a length of time after `sinceMs`. */
function momentIn(option: string, text: string, sinceMs: number): number {
  const seconds = secondsOf(text);
  if (seconds !== null) return sinceMs + seconds * 1_000;
  const moment = z.iso.datetime({ offset: true }).safeParse(text);
  if (!moment.success)
    throw new Failure(
      "usage",
      `${option} is a moment with its zone like 2026-12-01T09:00:00+08:00, or 2h, 7d from now`,
    );
  return Date.parse(moment.data);
}
