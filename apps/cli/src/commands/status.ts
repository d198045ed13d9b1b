/**
 * Says in a few lines who runs, who answers, what is being done, what comes next and what the owner should look at. Where
 * the gateway is down it says what the state directory knows, and ends with the exit code of what does not run.
 */

import { existsSync } from "node:fs";
import { momentText } from "@mimikit/core/schedule/trigger-words";
import { triggerSummary } from "@mimikit/core/views/board";
import { dayOf, type Usage } from "@mimikit/protocol/base/usage";
import { sentence } from "@mimikit/protocol/texts/coded";
import type { BudgetState, Status, TaskSummary } from "@mimikit/protocol/wire/api";
import { whyUnwritable } from "@mimikit/runtime/home/home";
import { silentSecOf } from "@mimikit/runtime/process/heartbeat";
import { rolesOf } from "@mimikit/runtime/process/roles-of";
import { unreadableDocuments } from "@mimikit/store/documents/unreadable-documents";
import { UsageLog } from "@mimikit/store/views/usage-log";
import { command } from "../arguments/command.ts";
import { nameIn, t, told } from "../i18n/language.ts";
import { durationIn } from "../i18n/words.ts";
import { answeredText, connectHint } from "../instance/answerers.ts";
import { connect, mayPass } from "../instance/client.ts";
import { shortId, withDisk, withState } from "../instance/state.ts";
import { openTasks } from "../instance/task-list.ts";
import { personZoneHere } from "../io/person-zone.ts";
import { currentPlace } from "../io/place.ts";
import { padded, plainLine, printJson, printLine, printTable, styled } from "../io/print.ts";
import { livingRoles } from "../processes/instance.ts";

const USD_DIGITS = 4;
/** Tasks that are named; the others are counted. */
const NAMED_MAX = 5;
const LABEL_COLUMNS = 11;

export const status = command({
  usage: "status",
  summary: "processes, models, current work and next triggers",
  examples: [
    ["mimikit status", "exit code 3 where it does not run; waiting work is still shown"],
    ["mimikit status --json", "the same as GET /api/status"],
  ],
  async run({ json }) {
    try {
      const client = connect();
      const answer = await client.status();
      if (json) printJson({ url: client.url, ...answer });
      else show(client.url, answer, await withState(async (state) => openTasks(state)));
    } catch (error) {
      // The reason follows on stderr.
      if (mayPass(error) && existsSync(currentPlace().home)) await showFiles(json);
      throw error;
    }
  },
});

function show(url: string, answer: Status, open: readonly TaskSummary[]): void {
  const { version, ready, startedAt, workDir, passedOver, processes } = answer;
  const { counts, next, usage, tools, problems } = answer;
  printLine(
    `${styled("bold", "Mimikit")} ${version}  ${ready ? styled("green", t("ready")) : styled("red", t("not ready"))}  ${url}`,
  );
  const since = durationIn(Math.max(0, Math.floor((Date.now() - Date.parse(startedAt)) / 1_000)));
  say(t("works in"), workDir);
  say(
    t("processes"),
    `${Object.entries(answer.pools === undefined ? processes : { ...processes, dispatcher: answer.pools.process })
      .map(([role, { pid, alive, silentSec, deaths }]) => {
        if (!alive) return styled("red", t("{role} DOWN", { role }));
        const died =
          deaths === undefined
            ? ""
            : ` ${styled("yellow", t("(died {count} times within an hour)", { count: deaths }))}`;
        return silentSec === undefined
          ? `${role} ${pid}${died}`
          : styled("red", t("{role} {pid} hangs", { role, pid: pid ?? "" }));
      })
      .join(t(", "))}  ${styled("dim", t("for {since}", { since }))}`,
  );
  if (answer.channels !== undefined) say(t("channels"), channelsText(answer.channels));
  if (answer.pools !== undefined) sayMachines(answer.pools.each);
  say(t("model"), `${answeredText(answer)}${connectHint(...Object.values(answer.providers))}`);
  if (passedOver.length > 0)
    say("", styled("dim", t("skipped by auto: {passedOver}", { passedOver: passedOver.map(told).join("; ") })));
  sayTasks(open);
  const waiting = [
    [counts.inbox, t("{inbox} in the inbox", { inbox: counts.inbox })],
    [counts.quarantine, t("{count} set aside", { count: counts.quarantine })],
  ] as const;
  const counted = waiting.flatMap(([count, said]) => (count === 0 ? [] : [said]));
  if (counted.length > 0) say(t("waits"), counted.join(t(", ")));
  say(t("triggers"), next === null ? triggersText(counts.triggers) : nextText(counts.triggers, next));
  say(t("today"), usageText(usage.today));
  showBudget(t("today"), usage.budget.day);
  showBudget(t("this month"), usage.budget.month);
  showTools(tools);
  if (counts.questions > 0) sayQuestions(counts.questions);
  showProblems(problems);
}

/** Shows the status out of the state directory when no gateway answers. */
async function showFiles(json: boolean): Promise<void> {
  const { home } = currentPlace();
  const living = livingRoles(home);
  const roles = rolesOf(home, process.env);
  const processes = Object.fromEntries(
    roles.map((role) => [
      role,
      {
        pid: living.get(role)?.pid,
        alive: living.has(role),
        silentSec: living.has(role) ? silentSecOf(home, role) : undefined,
      },
    ]),
  );
  const today = new UsageLog(home).readDay(dayOf(Date.now())).total;
  const known = await withState(async (state) => ({
    open: openTasks(state),
    inbox: state.cache.inbox.size,
    questions: state.questions.length,
    triggers: [...state.triggers.values()].map(triggerSummary),
  }));
  const unwritable = whyUnwritable(home);
  const problems = unwritable === null ? [] : [unwritable];
  for (const { path, reason, stopsTasks } of await withDisk(home, unreadableDocuments))
    problems.push(sentence(stopsTasks ? "rules_unreadable" : "document_unreadable", { path, detail: reason }));
  for (const [role, { silentSec }] of Object.entries(processes))
    if (silentSec !== undefined)
      problems.push(t("{role} has not responded for {silentSec} s:  mimikit restart", { role, silentSec }));
  const [soonest] = known.triggers
    .flatMap(({ id, next }) => (next === null ? [] : [{ triggerId: id, at: next }]))
    .sort((a, b) => (a.at < b.at ? -1 : 1));
  const counts = { inbox: known.inbox, questions: known.questions, triggers: known.triggers.length };
  if (json) {
    const tasks = known.open.map(({ id, role, title, state }) => ({ id, role, title, state }));
    printJson({ ready: false, home, processes, counts, tasks, next: soonest ?? null, usage: { today }, problems });
    return;
  }
  const machines = roles.includes("dispatcher") ? await machinesOf() : [];
  printLine(`${styled("bold", "Mimikit")}  ${styled("red", stateText(living))}`);
  say(t("state"), home);
  say(
    t("processes"),
    roles.map((role) => `${role} ${living.has(role) ? living.get(role)?.pid : t("DOWN")}`).join(t(", ")),
  );
  sayMachines(machines);
  sayTasks(known.open);
  if (counts.inbox > 0) say(t("waits"), t("{inbox} in the inbox", { inbox: counts.inbox }));
  say(t("triggers"), soonest === undefined ? triggersText(counts.triggers) : nextText(counts.triggers, soonest));
  say(t("today"), usageText(today));
  if (counts.questions > 0) sayQuestions(counts.questions);
  showProblems(problems);
}

/** Loaded only where an engine is set up. */
async function machinesOf(): Promise<Machines> {
  const { describeMachines } = await import("@mimikit/runtime/pools/registry");
  return withState(({ fs, cache }) => describeMachines(fs, cache, Date.now()));
}

type Machines = NonNullable<Status["pools"]>["each"];

/** A line for each machine, where there are any. */
function sayMachines(machines: Machines): void {
  for (const [i, { name, labels, state, since, seenAt, tasks = [] }] of machines.entries()) {
    const called = labels.length === 0 ? name : `${name} (${labels.join(", ")})`;
    const runs =
      tasks.length === 0
        ? ""
        : t(", runs {tasks}", { tasks: tasks.map(({ id, title }) => `${shortId(id)} ${title}`).join("; ") });
    const how =
      state === "there"
        ? since === undefined
          ? t("connected")
          : t("connected since {moment}", { moment: momentText(Date.parse(since), personZoneHere()) })
        : state === "invited"
          ? t("has not joined yet")
          : styled(
              "yellow",
              t("last seen {moment}", {
                moment: seenAt === undefined ? t("never") : momentText(Date.parse(seenAt), personZoneHere()),
              }),
            );
    say(i === 0 ? t("machines") : "", plainLine(`${called} ${how}${runs}`));
  }
}

function channelsText({ process: { alive, pid }, each }: NonNullable<Status["channels"]>): string {
  if (!alive) return styled("red", t("DOWN"));
  const states = Object.entries(each).map(([name, { state, waiting }]) =>
    plainLine(`${name} ${nameIn(state)}${waiting > 0 ? t(", {waiting} wait", { waiting }) : ""}`),
  );
  return [...states, styled("dim", t("process {pid}", { pid: pid ?? "" }))].join("; ");
}

function usageText({ inputTokens, cachedTokens, outputTokens, costUsd }: Usage): string {
  const cached = cachedTokens > 0 ? t(" ({cachedTokens} of them cached)", { cachedTokens }) : "";
  const cost = costUsd.toFixed(USD_DIGITS);
  return t("{inputTokens} tokens in{cached}, {outputTokens} out, {cost} USD", {
    inputTokens,
    cached,
    outputTokens,
    cost,
  });
}

function showProblems(problems: readonly string[]): void {
  for (const problem of problems) printLine(`${styled("yellow", "!")} ${plainLine(told(problem))}`);
}

/** Without a gateway, the other processes may still do the work. */
function stateText(living: ReturnType<typeof livingRoles>): string {
  if (living.size === 0) return t("not running");
  const gateway = living.has("gateway") ? t("the gateway does not answer") : t("the gateway is down");
  return living.has("supervisor") ? t("{gateway}; messages are still processed", { gateway }) : gateway;
}

function say(label: string, text: string): void {
  printLine(`  ${styled("dim", padded(label, LABEL_COLUMNS))}${text}`);
}

/** Names the running tasks, up to a bound, and counts the others. */
function sayTasks(open: readonly TaskSummary[]): void {
  const running = open.filter(({ state }) => state === "running");
  if (running.length === 0) say(t("works on"), t("nothing"));
  running.slice(0, NAMED_MAX).forEach(({ id, title, startedAt }, i) => {
    const sec = startedAt === undefined ? 0 : Math.max(0, Math.floor((Date.now() - Date.parse(startedAt)) / 1_000));
    say(i === 0 ? t("works on") : "", `${plainLine(title)}  ${styled("dim", `${id}, ${durationIn(sec)}`)}`);
  });
  const more = running.length - Math.min(running.length, NAMED_MAX);
  const queued = open.filter(({ state }) => state === "queued").length;
  const waiting = open.filter(({ state }) => state === "waiting").length;
  const others = [
    t("{count} more run", { count: more }),
    t("{count} queued", { count: queued }),
    t("{count} waiting for others", { count: waiting }),
  ];
  const counted = [more, queued, waiting].flatMap((count, i) => (count === 0 ? [] : (others[i] ?? [])));
  if (counted.length > 0) say("", t("{counted}:  mimikit tasks", { counted: counted.join(t(", ")) }));
}

function triggersText(count: number): string {
  return count === 0 ? t("none") : String(count);
}

function nextText(count: number, next: NonNullable<Status["next"]>): string {
  return t("{count}, next trigger {id} at {moment}", {
    count,
    id: shortId(next.triggerId),
    moment: momentText(Date.parse(next.at), personZoneHere()),
  });
}

function sayQuestions(count: number): void {
  printLine(
    `${styled("yellow", "?")} ${t("it asks you {what}:  mimikit questions", { what: count === 1 ? t("something") : t("{count} things", { count }) })}`,
  );
}

/** Shows the limit of a period and how much of it is used; nothing if there is no limit. */
function showBudget(period: string, budget: BudgetState | null): void {
  if (budget === null) return;
  const { limit, spent, reserved, isReached, resumesAt } = budget;
  const parts = [
    limit.tokens === undefined
      ? []
      : [t("{used} of {limit} tokens", { used: spent.tokens + reserved.tokens, limit: limit.tokens })],
    limit.costUsd === undefined
      ? []
      : [
          t("{used} of {limit} USD", {
            used: (spent.costUsd + reserved.costUsd).toFixed(USD_DIGITS),
            limit: limit.costUsd.toFixed(USD_DIGITS),
          }),
        ],
  ].flat();
  const state = isReached
    ? styled("red", t(", used up until {moment}", { moment: momentText(Date.parse(resumesAt), personZoneHere()) }))
    : "";
  say("", t("budget {period}: {parts}{state}", { period, parts: parts.join(t(", ")), state }));
}

function showTools(tools: Status["tools"]): void {
  const rows = Object.entries(tools).map(([tool, { calls, failed, meanMs }]) => [
    tool,
    String(calls),
    percentOf(calls - failed, calls),
    `${meanMs} ms`,
  ]);
  if (rows.length === 0) return;
  printLine();
  printTable(["tool", "calls today", "succeeded", "mean"], rows, "");
  printLine();
}

function percentOf(part: number, whole: number): string {
  return `${Math.round((100 * part) / Math.max(1, whole))} %`;
}
