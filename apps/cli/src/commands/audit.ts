/**
 * Shows the audit log: its newest lines, the state at a moment in the past, and whether the chains are intact. It reads
 * the files itself, so it works with everything down.
 */

import { existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { Actor, type AuditLine } from "@mimikit/protocol/records/audit";
import { AUDIT_ENTRIES_MAX } from "@mimikit/protocol/wire/api";
import { parsePosition, readAfter, readBefore, readWholeTrail } from "@mimikit/runtime/audit/audit-trail";
import { linesText, type Verified } from "@mimikit/runtime/audit/verify-audit";
import { ACTORS } from "@mimikit/runtime/process/role-record";
import { hasChannels, hasPools } from "@mimikit/runtime/process/roles-of";
import type { Argv } from "yargs";
import { type CommonOptions, command, commandGroup } from "../arguments/command.ts";
import { type Replayed, replay } from "../backup/replay.ts";
import { verifyWithArchive } from "../checks/verify-with-archive.ts";
import { nameIn, t, told } from "../i18n/language.ts";
import { clockText, momentText } from "../i18n/moments.ts";
import { type State, withState } from "../instance/state.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, plainText, printJson, printLine, printTable, styled } from "../io/print.ts";
import { logLineText } from "../terminal/log-line.ts";

const LINES_DEFAULT = 30;
const POLL_MS = 500;
const HASH_CHARS_SHOWN = 16;
/** Turns before the moment in which the last reply, and what was answered, is looked for. */
const TURNS_READ_MAX = 200;

/** Facts that no file shows. */
const UNKNOWABLE =
  "No file can show whether someone with the token rewrote all of them, or put the whole state directory back to an earlier state. To detect that, note the heads elsewhere, and compare.";

const tailCommand = command({
  usage: "tail",
  summary: "the newest lines",
  examples: [
    ["mimikit audit tail -f", "and new ones as they come, until Ctrl-C"],
    ["mimikit audit tail -n 500 --actor supervisor --json", "as one JSON document"],
  ],
  options: (yargs) =>
    actorOption(yargs)
      .option("lines", {
        alias: "n",
        type: "number",
        default: LINES_DEFAULT,
        describe: t("how many, at most {max}", { max: AUDIT_ENTRIES_MAX }),
      })
      .option("follow", {
        alias: "f",
        type: "boolean",
        default: false,
        describe: "print new lines as they come; with --json one document a line",
      }),
  run: ({ json, lines, follow, actor: actors = [...ACTORS] }) =>
    tail(homeWithState(), { json, count: lines, follow, actors }),
});

const verifyCommand = command({
  usage: "verify",
  summary: "verify the hash chains, and find missing lines",
  examples: [["mimikit audit verify", "exit code 1 if a chain is broken"]],
  options: actorOption,
  async run({ json, actor: actors = [...ACTORS] }) {
    homeWithState();
    await verify(json, actors);
  },
});

const replayCommand = command({
  usage: "replay",
  summary: "the state at a moment in the past",
  examples: [["mimikit audit replay --at 2026-11-22T09:30", "the open tasks, questions and replies of that moment"]],
  options: (yargs) =>
    yargs.option("at", { type: "string", describe: "the moment, ISO 8601; without a zone it is local time" }),
  run: ({ json, at }) => goBack(homeWithState(), json, at),
});

export const audit = commandGroup({
  name: "audit",
  summary: "the audit log: show, verify and replay it",
  subCommands: [tailCommand, verifyCommand, replayCommand],
});

function actorOption(yargs: Argv<CommonOptions>) {
  return yargs.option("actor", { choices: Actor.options, array: true, describe: "only lines of these processes" });
}

/** @throws Failure if there is no state directory. */
function homeWithState(): string {
  const { home } = currentPlace();
  if (!existsSync(home))
    throw new Failure("failed", t("there is no state directory {home}:  mimikit up  makes it", { home }));
  return home;
}

async function tail(
  home: string,
  { json, count, follow, actors }: { json: boolean; count: number; follow: boolean; actors: Actor[] },
): Promise<void> {
  if (!Number.isInteger(count) || count < 1 || count > AUDIT_ENTRIES_MAX)
    throw new Failure("usage", t("--lines is a whole number from 1 to {max}", { max: AUDIT_ENTRIES_MAX }));
  let page = readBefore(home, null, count, actors);
  if (json && !follow) {
    printJson(page);
    return;
  }
  const show = (line: AuditLine) => printLine(json ? JSON.stringify(line) : logLineText(line, true));
  if (page.entries.length === 0 && !follow) printLine(t("nothing was done yet"));
  for (;;) {
    for (const line of page.entries) show(line);
    if (!follow) return;
    if (page.entries.length === 0) await wait(POLL_MS);
    const position = parsePosition(page.next);
    if (position === null) throw new Error(`${page.next} is no position`);
    page = readAfter(home, position, AUDIT_ENTRIES_MAX, actors);
  }
}

async function verify(json: boolean, actors: Actor[]): Promise<void> {
  const { chains: all, turns, missing } = await withState(verifyWithArchive);
  // Where no channel, or no pool, is set up there is no process that could have logged anything.
  const isAbsent = ({ actor, lines, breaks }: Verified) =>
    lines + breaks === 0 &&
    ((actor === "channels" && !hasChannels(currentPlace().home, process.env)) ||
      (actor === "dispatcher" && !hasPools(currentPlace().home, process.env)));
  const chains = all.filter((chain) => actors.includes(chain.actor) && !isAbsent(chain));
  const missed = actors.includes("supervisor") ? missing : [];
  const unproven = chains.filter(isUnproven).length;
  const breaks = chains.reduce((sum, chain) => sum + chain.breaks, missed.length);
  if (json)
    printJson({ ok: breaks + unproven === 0, chains, archive: { turns, missing: missed }, unknown: UNKNOWABLE });
  else {
    showChains(chains);
    if (actors.includes("supervisor")) showArchive(turns, missed);
    printLine(t(UNKNOWABLE));
  }
  if (breaks > 0)
    throw new Failure(
      "failed",
      breaks === 1
        ? t("the audit log is broken in 1 place")
        : t("the audit log is broken in {breaks} places", { breaks }),
    );
  if (unproven > 0)
    throw new Failure(
      "failed",
      t("the audit log is signed with another token, so nothing was proven; mimikit up continues it with this one"),
    );
}

function showChains(chains: readonly Verified[]): void {
  printTable(
    ["chain", "files", "lines", "torn", "breaks", "head"],
    chains.map(({ actor, files, from, to, torn, breaks, head }) => [
      actor,
      String(files),
      to === 0 ? t("none") : t("{from} to {to}", { from, to }),
      String(torn),
      String(breaks),
      head.slice(0, HASH_CHARS_SHOWN),
    ]),
    "",
  );
  for (const { problems, breaks } of chains) {
    for (const problem of problems) showProblem(told(problem));
    if (breaks > problems.length) printLine(`  ${t("and {more} more", { more: breaks - problems.length })}`);
  }
  for (const chain of chains) if (chain.breaks === 0) for (const line of soundness(chain)) printLine(line);
}

const showProblem = (problem: string) => printLine(`${styled("red", "✗")} ${plainLine(problem)}`);

/** Is there no line that the token of now proves, though all of them are keyed? */
function isUnproven({ otherToken, to }: Verified): boolean {
  return otherToken !== null && otherToken.to === to;
}

/** From where to where a chain is whole, and what of that is proven. */
function soundness(chain: Verified): string[] {
  const { actor, lines, from, fromAt, to, toAt, unkeyed, otherToken, witnessedTo } = chain;
  const warning = styled("yellow", "!");
  if (lines === 0) return [`${warning} ${t("{actor}: there is no line to verify", { actor })}`];
  const found = [
    `${styled("green", "✓")} ${t("{actor}: whole from line {from} ({fromAt}) to line {to} ({toAt})", { actor, from, fromAt, to, toAt })}`,
  ];
  if (unkeyed !== null)
    found.push(
      `${warning} ${t("{actor}: {lines}, until {until}, predate signing: anyone with write access could have rewritten them", { actor, lines: told(linesText(unkeyed)), until: unkeyed.toAt })}`,
    );
  if (otherToken !== null)
    found.push(
      `${warning} ${t("{actor}: {lines}, until {until}, are signed with another token: only that token can show whether they were changed", { actor, lines: told(linesText(otherToken)), until: otherToken.toAt })}`,
    );
  const unseen = to - Math.max(witnessedTo, from - 1);
  if (unseen > 0)
    found.push(
      `  ${t("no other process has witnessed the last {unseen} of them yet, or knows whether more followed", { unseen })}`,
    );
  return found;
}

function showArchive(turns: number, missing: readonly string[]): void {
  for (const problem of missing) showProblem(told(problem));
  if (missing.length === 0 && turns > 0)
    printLine(
      `${styled("green", "✓")} ${t("archive: {turns} completed turns and the tasks they report are in the log", { turns })}`,
    );
}

async function goBack(home: string, json: boolean, at: string | undefined): Promise<void> {
  const moment = at === undefined ? Number.NaN : Date.parse(at);
  if (Number.isNaN(moment))
    throw new Failure(
      "usage",
      t("say the moment: mimikit audit replay --at 2026-11-22T09:30 (or with a zone, …T09:30Z)"),
    );
  const lines = readWholeTrail(home);
  const [first] = lines;
  if (first === undefined) throw new Failure("failed", t("nothing was done yet"));
  if (Date.parse(first.timestamp) > moment)
    throw new Failure(
      "failed",
      t("the audit log begins at {timestamp}: earlier states are no longer known", {
        timestamp: first.timestamp,
      }),
    );
  const then = replay(lines, new Date(moment).toISOString());
  const said = await withState((state) => lookUp(state, then));
  const whole = { ...then, tasks: said.tasks, unanswered: said.unanswered, lastReply: said.lastReply };
  if (json) printJson(whole);
  else show(whole);
}

interface Told extends Replayed {
  /** Messages that no turn had answered, by id. */
  unanswered: string[];
  lastReply: { turn: string; at: string; text: string } | null;
}

/** Completes it out of the archive: messages answered, the last reply, and tasks that ended though a crash lost the line of it. */
async function lookUp(
  { cache: { archiveIndex } }: State,
  then: Replayed,
): Promise<Pick<Told, "tasks" | "unanswered" | "lastReply">> {
  const answered = new Set<string>();
  const reported = new Set<string>();
  let lastReply: Told["lastReply"] = null;
  let readSince = then.at;
  for (const id of then.turns.slice(-TURNS_READ_MAX).reverse()) {
    const turn = await archiveIndex.readResult(id);
    if (turn === null) continue;
    readSince = turn.completedAt;
    for (const message of turn.task.turn?.messages ?? []) answered.add(message.id);
    for (const report of turn.task.turn?.results ?? []) reported.add(report.id);
    const reply = turn.effects.find((effect) => effect.type === "reply");
    if (lastReply === null && reply?.type === "reply") lastReply = { turn: id, at: turn.completedAt, text: reply.text };
  }
  const isReadWhole = then.turns.length <= TURNS_READ_MAX;
  const tasks: Replayed["tasks"] = [];
  for (const task of then.tasks) {
    if (task.state === "ended" && (reported.has(task.id) || (!isReadWhole && task.since < readSince))) continue;
    const result = await archiveIndex.readResult(task.id);
    if (result !== null && result.completedAt <= then.at && task.state !== "ended") continue;
    const title = task.title ?? result?.task.title;
    const role = task.role ?? result?.task.role;
    tasks.push({ ...task, ...(title !== undefined && { title }), ...(role !== undefined && { role }) });
  }
  return { tasks, unanswered: then.accepted.filter((id) => !answered.has(id)), lastReply };
}

function show({ at, last, processes, tasks, questions, triggers, unanswered, lastReply, lines }: Told): void {
  printLine(styled("bold", t("At {moment}", { moment: momentText(at) })));
  printLine(
    t("{lines} lines before it{last}", {
      lines,
      last:
        last === null
          ? ""
          : t(", the last one {event} at {timestamp}", { event: last.event, timestamp: last.timestamp }),
    }),
  );
  printLine(
    Object.entries(processes)
      .map(([role, state]) => `${role} ${nameIn(state)}`)
      .join(" · "),
  );
  printLine();
  printTable(
    ["task", "role", "state", "since", "try", "title"],
    tasks.map(({ id, role, state, since, attempts, outcome, title }) => [
      id,
      role ?? "–",
      outcome ?? nameIn(state),
      clockText(since),
      String(attempts),
      title ?? "",
    ]),
    t("no task was open"),
  );
  printLine();
  if (unanswered.length > 0) printLine(t("not answered yet: {unanswered}", { unanswered: unanswered.join(", ") }));
  if (questions.length > 0) printLine(t("asked: {questions}", { questions: questions.join(", ") }));
  if (triggers.length > 0) printLine(t("triggers: {triggers}", { triggers: triggers.join(", ") }));
  if (lastReply === null) printLine(t("nothing had been replied yet"));
  else
    printLine(
      t("last reply ({turn}, {moment}):\n{text}", {
        turn: lastReply.turn,
        moment: momentText(lastReply.at),
        text: plainText(lastReply.text),
      }),
    );
}
