/** An order for a trigger as it is typed: options, in the words of people, become the one flat order that all doors share. */
import { definitionOf, patchOf, problemOf } from "@mimikit/core/triggers/triggers";
import { BadJson, parseJson } from "@mimikit/protocol/base/json";
import { TARGETS } from "@mimikit/protocol/base/kind";
import { Role } from "@mimikit/protocol/base/role";
import type { Trigger } from "@mimikit/protocol/records/trigger";
import { issuesOf } from "@mimikit/protocol/texts/issues";
import {
  Missed,
  TriggerChange,
  type TriggerDefinition,
  TriggerInput,
  type TriggerPatch,
  type When,
} from "@mimikit/protocol/triggers/trigger-order";
import type { Argv } from "yargs";
import type { z } from "zod";
import { t, told } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { personZoneHere } from "../io/person-zone.ts";
import type { CommonOptions } from "./command.ts";

const UNIT_SEC = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const DURATION = /^(\d+(?:\.\d+)?)\s*([smhd]?)$/;

/** `90`, `90s`, `10m`, `2h`, `1d`, `1.5h` in seconds; null for anything else. */
export function secondsOf(text: string): number | null {
  const [, count, unit = ""] = DURATION.exec(text.trim()) ?? [];
  return count === undefined ? null : Number(count) * UNIT_SEC[(unit || "s") as keyof typeof UNIT_SEC];
}

export function orderOptions<T extends CommonOptions>(yargs: Argv<T>) {
  return yargs
    .option("prompt", { alias: "p", type: "string", describe: "the prompt, instead of words at the end" })
    .option("every", { type: "string", describe: "when: at this interval, 30s, 10m, 2h, 1d" })
    .option("cron", { type: "string", describe: "when: second minute hour day month weekday" })
    .option("timezone", { type: "string", describe: "the time zone of --cron; that of this terminal if not given" })
    .option("at", { type: "string", describe: "when: once, like 2026-12-01T09:00:00+08:00" })
    .option("when", { type: "string", describe: "when: a condition as JSON" })
    .option("when-file-changes", { type: "string", describe: "when: a file of this path or glob changes" })
    .option("when-file-exists", { type: "string", describe: "when: this file exists" })
    .option("cooldown", { type: "string", describe: "conditions: the shortest time between two firings" })
    .option("stable-for", { type: "string", describe: "conditions: how long it must hold before it fires" })
    .option("settle", { type: "string", describe: "--when-file-changes: how long a file must be unchanged (2s)" })
    .option("missed", { choices: Missed.options, describe: "schedules: which missed moments run later (latest)" })
    .option("title", { type: "string", describe: "a title for lists" })
    .option("target", {
      choices: Role.options,
      describe: t("the role that gets it: teller (if not given), {others}", {
        others: TARGETS.slice(1).join(t(" or ")),
      }),
    })
    .option("pool", {
      type: "string",
      describe: "the machine, or the label of machines, that runs it: mimikit pools",
    })
    .option("priority", { type: "number", describe: "0 to 10, 5 if not given" })
    .option("timeout", { type: "string", describe: "how long each run may take" })
    .option("on-interrupt", {
      choices: ["rerun", "fail", "ask"] as const,
      describe: "what to do after a crash during a run",
    })
    .option("budget-tokens", { type: "number", describe: "tokens it may use in a day" })
    .option("budget-usd", { type: "number", describe: "US dollars it may cost in a day" });
}

/** The options that say when: one of them. */
const WHEN_OPTIONS = ["every", "cron", "at", "when", "when-file-changes", "when-file-exists"] as const;

/** The options of an order as yargs gives them. */
export type OrderOptions = Awaited<ReturnType<typeof orderOptions<CommonOptions>>["argv"]>;

/** The whole order. @throws Failure (usage) with the correct form. */
export function definitionFrom(options: OrderOptions, words: string, nowMs: number): TriggerDefinition {
  if ((options.prompt ?? words) === "")
    throw new Failure("usage", t("the prompt is missing: write it at the end, or after --prompt"));
  if (saidOf(WHEN_OPTIONS, options).length === 0)
    throw new Failure(
      "usage",
      t("a time or a condition is missing: use one of {options}", {
        options: WHEN_OPTIONS.map(optionText).join(", "),
      }),
    );
  const definition = definitionOf(checked(TriggerInput, saidIn(options, words)), personZoneHere());
  return possible(definition, nowMs);
}

/** The changes of a trigger. @throws Failure (usage) with the correct form. */
export function patchFrom(options: OrderOptions, words: string, type: Trigger["type"], nowMs: number): TriggerPatch {
  const said = saidIn(options, words);
  if (Object.keys(said).length === 0)
    throw new Failure("usage", t("name what to change:  mimikit triggers change --help  lists the options"));
  return possible(patchOf(checked(TriggerChange, said), type, personZoneHere()), nowMs);
}

function possible<T extends { when?: When | undefined }>(order: T | { problem: string }, nowMs: number): T {
  if ("problem" in order) throw new Failure("usage", order.problem);
  const problem = order.when === undefined ? null : problemOf(order.when, nowMs);
  if (problem !== null) throw new Failure("usage", problem);
  return order;
}

function saidIn(options: OrderOptions, words: string): object {
  const { prompt, cron, at, missed, title, target, pool, priority, budgetTokens, budgetUsd, onInterrupt } = options;
  if (prompt !== undefined && words !== "")
    throw new Failure("usage", t("give one prompt: at the end, or after --prompt"));
  const times = saidOf(WHEN_OPTIONS, options);
  if (times.length > 1)
    throw new Failure(
      "usage",
      t("use one of {times}: --when combines conditions with and, or and not", {
        times: times.map(optionText).join(" and "),
      }),
    );
  const text = prompt ?? (words === "" ? undefined : words);
  const budget = { tokens: budgetTokens, costUsd: budgetUsd };
  const said = {
    prompt: text,
    interval: duration("--every", options.every),
    cron,
    timezone: options.timezone ?? (cron === undefined ? undefined : personZoneHere()),
    runAt: at,
    condition: conditionOf(options),
    cooldown: duration("--cooldown", options.cooldown),
    stableFor: duration("--stable-for", options.stableFor),
    missed,
    title,
    target,
    pool,
    priority,
    timeoutSec: duration("--timeout", options.timeout),
    onInterrupt,
    budget: budgetTokens === undefined && budgetUsd === undefined ? undefined : budget,
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}

/** Those of `names` that were typed. They are kept by the names that they have in code. */
function saidOf(names: readonly string[], options: Readonly<Record<string, unknown>>): string[] {
  const keyOf = (name: string) => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return names.filter((name) => options[keyOf(name)] !== undefined);
}

function optionText(name: string): string {
  return `--${name}`;
}

function duration(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = secondsOf(text);
  if (seconds === null) throw new Failure("usage", t("{option} is a duration like 30s, 10m, 2h or 1d", { option }));
  return seconds;
}

function conditionOf({ when, whenFileChanges, whenFileExists, settle }: OrderOptions): unknown {
  const settleSec = duration("--settle", settle);
  if (settleSec !== undefined && whenFileChanges === undefined)
    throw new Failure("usage", t("--settle is for --when-file-changes: in --when it is settleSec of file_changed"));
  if (whenFileChanges !== undefined)
    return { type: "file_changed", params: { path: whenFileChanges, ...(settleSec !== undefined && { settleSec }) } };
  if (whenFileExists !== undefined) return { type: "file_exists", params: { path: whenFileExists } };
  if (when === undefined) return undefined;
  try {
    return parseJson(when);
  } catch (error) {
    if (error instanceof BadJson) throw new Failure("usage", `--when: ${error.message}`);
    throw error;
  }
}

/** The option of each field of an order. */
const OPTION_OF: Record<string, string> = {
  interval: "--every",
  runAt: "--at",
  condition: "--when",
  stableFor: "--stable-for",
  timeoutSec: "--timeout",
  onInterrupt: "--on-interrupt",
  tokens: "--budget-tokens",
  costUsd: "--budget-usd",
};

/** Their bounds are in seconds, whatever unit was typed. */
const SECONDS = new Set(["interval", "cooldown", "stableFor", "timeoutSec"]);

/** @throws Failure (usage) that names the option and, in a condition, the place in it. */
function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = issuesOf(result.error);
  const [field = "", ...rest] = (issue?.path ?? []).map(String).filter((part) => part !== "budget");
  const option = OPTION_OF[field] ?? `--${field}`;
  const wrong = issue === undefined ? t("invalid value") : told(issue.message);
  const bound = issue?.code === "too_small" ? issue.minimum : issue?.code === "too_big" ? issue.maximum : undefined;
  const inSeconds = Number(bound) === 1 ? t("{wrong} second", { wrong }) : t("{wrong} seconds", { wrong });
  const problem = bound !== undefined && SECONDS.has(field) ? inSeconds : wrong;
  throw new Failure(
    "usage",
    rest.length === 0
      ? `${option}: ${problem}`
      : t("{option} at {place}: {problem}", { option, place: rest.join("."), problem }),
  );
}
