/**
 * Comes over from another assistant: conversations, memories and schedules of its export. All of it is shown first, and can be
 * taken back as a whole. It reads and writes the state directory itself, so it works with everything down.
 */

import { resolve } from "node:path";
import { momentText } from "@mimikit/core/schedule/trigger-words";
import { simulateTriggers } from "@mimikit/core/triggers/simulate";
import { triggerOf } from "@mimikit/core/triggers/triggers";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { openHome } from "@mimikit/runtime/home/adoption";
import { command } from "../arguments/command.ts";
import { t, told } from "../i18n/language.ts";
import { whenIn } from "../i18n/words.ts";
import { bringIn, importsOf, type Plan, planImport, takeBack } from "../import/bring-in.ts";
import {
  type Brought,
  type BroughtSchedule,
  COUNTED,
  type ImportSource,
  SOURCE_NAMES,
  SOURCES,
} from "../import/brought.ts";
import { openExport } from "../import/export-files.ts";
import { asCalled } from "../io/as-called.ts";
import { confirm } from "../io/confirm.ts";
import { Failure } from "../io/failure.ts";
import { personZoneHere } from "../io/person-zone.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printJson, printLine, printTable, styled } from "../io/print.ts";
import { printSimulation } from "../terminal/simulation-text.ts";

const SHOWN_MAX = 10;
const SHOWN_CHARS = 100;
const PREVIEW_MS = 7 * 86_400_000;
const DAY_CHARS = "2026-11-25".length;

export const importCommand = command({
  usage: "import [source] [file]",
  summary: "come over from ChatGPT, Claude or OpenClaw: conversations, memories, schedules",
  examples: [
    ["mimikit import chatgpt export.zip", "shows what would come, and asks"],
    ["mimikit import claude export.zip --dry-run", "shows it, and changes nothing; so does --json without --yes"],
    ["mimikit import openclaw ~/.openclaw --yes", "for scripts"],
    ["mimikit import", "the imports so far"],
    ["mimikit import --undo chatgpt-3fa29c01", "takes all of that back; the beginning of an id will do"],
  ],
  epilogue:
    "Conversations are found by  mimikit history search  and by models that look into what was said; nothing answers them. The same file once more adds only what is new.",
  options: (yargs) =>
    yargs
      .positional("source", { choices: SOURCES, describe: "where it comes from" })
      .positional("file", { type: "string", describe: "the export: a zip, a folder, or one file of it" })
      .option("dry-run", { type: "boolean", default: false, describe: "show it, and change nothing" })
      .option("yes", { alias: "y", type: "boolean", default: false, describe: "without asking" })
      .option("undo", { type: "string", describe: "take an import back" }),
  async run({ json, source, file, dryRun, yes, undo }) {
    const { home } = currentPlace();
    if (undo !== undefined) {
      if (source !== undefined) throw new Failure("usage", t("--undo takes the id of an import, and no file"));
      return undoIt(home, undo, json);
    }
    if (source === undefined) return list(home, json);
    if (file === undefined) throw new Failure("usage", t("say which file: mimikit import {source} <file>", { source }));
    const brought = await read(source, resolve(file));
    // An import may come before the first start.
    const isTrial = dryRun || (json && !yes);
    if (!isTrial) openHome(home, process.env);
    const plan = await planImport(source, brought);
    if (!json) show(brought, plan, file);
    const isNothing = plan.lines.length + plan.commands.length === 0;
    if (isTrial || isNothing) {
      if (json) printJson({ ...summary(brought, plan), imported: false });
      else printLine(isNothing ? t("there is nothing new in it") : t("nothing was changed"));
      return;
    }
    if (!yes && !(await confirm(t("Bring this in?"), `mimikit import ${source} ${file} --yes`)))
      throw new Failure("failed", t("nothing was changed"));
    const done = await bringIn(home, plan);
    if (json) return printJson({ ...summary(brought, plan), ...done, imported: true });
    for (const reason of done.refused) printLine(styled("yellow", `! ${plainLine(told(reason))}`));
    const later = done.waits ? t(" (memories and schedules are taken up when Mimikit runs)") : "";
    printLine(
      t("imported as {id}{later}; revert it with  mimikit import --undo {id}", {
        id: done.id,
        later,
      }),
    );
  },
});

async function read(source: ImportSource, path: string): Promise<Brought> {
  const files = await openExport(path);
  try {
    const brought = await readOf(source, files);
    const { conversations, memories, schedules, passedOver } = brought;
    if (conversations.length + memories.length + schedules.length + passedOver.length === 0)
      throw new Failure(
        "failed",
        t("{path} holds nothing that {source} exports: see docs/import.md for what to name", {
          path,
          source: SOURCE_NAMES[source],
        }),
      );
    return brought;
  } finally {
    await files.close();
  }
}

async function readOf(source: ImportSource, files: Awaited<ReturnType<typeof openExport>>): Promise<Brought> {
  switch (source) {
    case "chatgpt":
      return (await import("../import/chatgpt.ts")).readChatGpt(files);
    case "claude":
      return (await import("../import/claude.ts")).readClaude(files);
    case "openclaw":
      return (await import("../import/openclaw.ts")).readOpenClaw(files, personZoneHere(), Date.now());
  }
}

function summary({ conversations, passedOver }: Brought, { id, lines, commands, known, leftOut }: Plan) {
  const count = (kind: string) => commands.filter(({ said }) => said.kind === kind).length;
  return {
    id,
    conversations: conversations.length,
    messages: lines.length,
    memories: count("memory-add"),
    schedules: count("trigger-put"),
    known,
    passedOver: [...passedOver, ...leftOut],
  };
}

/** Everything that would be new, and what would not come. */
function show(brought: Brought, plan: Plan, file: string): void {
  const { source, lines, commands } = plan;
  const { known, messages, passedOver } = summary(brought, plan);
  const before = (count: number) => (count === 0 ? "" : t(", and {count} that were brought in before", { count }));
  printLine(styled("bold", t("from {source}, {file}", { source: SOURCE_NAMES[source], file: plainLine(file) })));
  const talks = new Set(lines.map(({ conversation }) => conversation));
  const days = lines.flatMap((line) => line.messages[0]?.at.slice(0, DAY_CHARS) ?? []).sort();
  const span = days.length === 0 ? "" : t(", {from} to {to}", { from: days[0] ?? "", to: days.at(-1) ?? "" });
  printLine(
    t("{messages} in {conversations}{span}{before}", {
      messages: COUNTED.messages(messages),
      conversations: COUNTED.conversations(talks.size),
      span,
      before: before(known.messages),
    }),
  );
  const titles = new Map(lines.map(({ conversation, title }) => [conversation, title]));
  listed([...titles.values()].filter((title) => title !== ""));
  const memories = commands.flatMap(({ said }) => (said.kind === "memory-add" ? [said.content] : []));
  printLine(`${COUNTED.memories(memories.length)}${before(known.memories)}`);
  listed(memories);
  const fresh = commands.flatMap(({ said }) => (said.kind === "trigger-put" ? [said.definition] : []));
  printLine(`${COUNTED.schedules(fresh.length)}${before(known.schedules)}`);
  showSchedules(brought.schedules.filter(({ definition }) => fresh.includes(definition)));
  if (passedOver.length === 0) return;
  printLine();
  printLine(t("not brought:"));
  const reasons = [...Map.groupBy(passedOver, ({ what, reason }) => t("{what}: {reason}", { what, reason }))];
  for (const [text, same] of reasons.slice(0, SHOWN_MAX))
    printLine(`  ${plainLine(text)}${same.length > 1 ? ` ${t("({count} times)", { count: same.length })}` : ""}`);
  if (reasons.length > SHOWN_MAX)
    printLine(`  … ${t("and {more} more: --json has all of them", { more: reasons.length - SHOWN_MAX })}`);
}

function listed(texts: readonly string[]): void {
  for (const text of texts.slice(0, SHOWN_MAX)) {
    const line = plainLine(text);
    printLine(`  ${line.length > SHOWN_CHARS ? `${beginningOf(line, SHOWN_CHARS - 1)}…` : line}`);
  }
  if (texts.length > SHOWN_MAX) printLine(`  … ${t("and {more} more", { more: texts.length - SHOWN_MAX })}`);
}

/** With their words in full, because they will be followed, and with their next firings. */
function showSchedules(schedules: readonly BroughtSchedule[]): void {
  if (schedules.length === 0) return;
  const timeZone = personZoneHere();
  const nowMs = Date.now();
  const createdAt = new Date(nowMs).toISOString();
  const trials = schedules.map(({ definition }, i) =>
    triggerOf(`trg-new-${i + 1}`, definition, { createdAt, traceId: "trg-new", depth: 0, target: "teller" }),
  );
  for (const trial of trials) {
    printLine(`  ${plainLine(trial.title)}: ${plainLine(whenIn(trial, timeZone))}`);
    printLine(`    ${plainLine(trial.prompt)}`);
  }
  printLine();
  const simulation = simulateTriggers(trials, nowMs, nowMs + PREVIEW_MS, { timeZone, costOf: () => null });
  printSimulation({ simulation, timeZone, limit: SHOWN_MAX, isBounded: true, shortId: () => t("new") });
}

function list(home: string, json: boolean): void {
  const imports = importsOf(home);
  if (json) {
    printJson({ imports });
    return;
  }
  const rows = imports.map(({ id, at, messages, wishes: commands }) => [
    id,
    momentText(Date.parse(at), personZoneHere()),
    String(messages),
    String(commands.length),
  ]);
  printTable(
    ["id", "when", "messages", "memories and schedules"],
    rows,
    asCalled(t("nothing was brought in yet: mimikit import --help")),
  );
}

async function undoIt(home: string, id: string, json: boolean): Promise<void> {
  const { messages, undone, kept } = await takeBack(home, id);
  if (json) return printJson({ messages, undone, kept });
  printLine(
    t("undone: {messages}, and {undone} of its memories and schedules", {
      messages: COUNTED.messages(messages),
      undone,
    }),
  );
  for (const reason of kept)
    printLine(styled("yellow", `! ${t("stays: {reason}", { reason: plainLine(told(reason)) })}`));
}
