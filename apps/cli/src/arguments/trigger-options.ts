/** An order for a trigger as it is typed: options, in the words of people, become the one flat order that all doors share. */
import { definitionOf, patchOf, problemOf } from "@mimikit/core/triggers/triggers";
import { BadJson, parseJson } from "@mimikit/protocol/base/json";
import { TARGETS } from "@mimikit/protocol/base/kind";
import { Role } from "@mimikit/protocol/base/role";
import type { Standing } from "@mimikit/protocol/records/trigger";
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
import { Failure } from "../io/failure.ts";
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
    .option("prompt", { alias: "p", type: "string", describe: "what is to be done; or the words at the end" })
    .option("every", { type: "string", describe: "when: 30s, 10m, 2h, 1d" })
    .option("cron", { type: "string", describe: "when: second minute hour day month weekday" })
    .option("timezone", { type: "string", describe: "of the cron; that of this terminal if not given" })
    .option("at", { type: "string", describe: "when: once, like 2026-12-01T09:00:00+08:00" })
    .option("when", { type: "string", describe: "when: a condition as JSON" })
    .option("when-file-changes", { type: "string", describe: "when: a file, or any that fits this glob, changes" })
    .option("when-file-exists", { type: "string", describe: "when: a file is there" })
    .option("cooldown", { type: "string", describe: "conditions: rest this long after each firing" })
    .option("stable-for", { type: "string", describe: "conditions: fire when it has held this long without a break" })
    .option("settle", { type: "string", describe: "--when-file-changes: unchanged this long before it counts (2s)" })
    .option("missed", { choices: Missed.options, describe: "schedules: what becomes of missed moments (latest)" })
    .option("title", { type: "string", describe: "a name for lists" })
    .option("target", {
      choices: Role.options,
      describe: `who gets it: teller (if not given), ${TARGETS.slice(1).join(" or ")}`,
    })
    .option("pool", {
      type: "string",
      describe: "the machine, or the label of machines, where it is done: mimikit pools",
    })
    .option("priority", { type: "number", describe: "0 to 10, 5 if not given" })
    .option("timeout", { type: "string", describe: "how long each run may take" })
    .option("on-interrupt", { choices: ["rerun", "fail", "ask"] as const, describe: "what a crash in mid-run means" })
    .option("budget-tokens", { type: "number", describe: "tokens that it may use in a day" })
    .option("budget-usd", { type: "number", describe: "US dollars that it may cost in a day" })
    .group(ORDER_OPTIONS, "Orders (add, change):");
}

/** The options that only an order has. */
export const ORDER_OPTIONS = [
  "prompt",
  "every",
  "cron",
  "timezone",
  "at",
  "when",
  "when-file-changes",
  "when-file-exists",
  "cooldown",
  "stable-for",
  "settle",
  "missed",
  "title",
  "target",
  "pool",
  "priority",
  "timeout",
  "on-interrupt",
  "budget-tokens",
  "budget-usd",
] as const;

/** The ways of saying when: one of them. */
const WHEN_OPTIONS = [
  "every",
  "cron",
  "at",
  "when",
  "when-file-changes",
  "when-file-exists",
] as const satisfies (typeof ORDER_OPTIONS)[number][];

/** The options of an order as yargs gives them. */
export type OrderOptions = Awaited<ReturnType<typeof orderOptions<CommonOptions>>["argv"]>;

/** The whole order. @throws Failure (usage) in words that say what would be right. */
export function definitionFrom(options: OrderOptions, words: string, nowMs: number): TriggerDefinition {
  if ((options.prompt ?? words) === "") throw new Failure("usage", "say what is to be done: --prompt, or at the end");
  if (saidOf(WHEN_OPTIONS, options).length === 0)
    throw new Failure("usage", `say when, by one of ${WHEN_OPTIONS.map(optionText).join(", ")}`);
  const definition = definitionOf(checked(TriggerInput, saidIn(options, words)), terminalZone());
  return possible(definition, nowMs);
}

/** What of a trigger is to change. @throws Failure (usage) in words that say what would be right. */
export function patchFrom(options: OrderOptions, words: string, type: Standing["type"], nowMs: number): TriggerPatch {
  const said = saidIn(options, words);
  if (Object.keys(said).length === 0) throw new Failure("usage", "say what is to change: see  mimikit triggers --help");
  return possible(patchOf(checked(TriggerChange, said), type, terminalZone()), nowMs);
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
    throw new Failure("usage", "say what is to be done once: with --prompt, or at the end");
  const times = saidOf(WHEN_OPTIONS, options);
  if (times.length > 1)
    throw new Failure(
      "usage",
      `say when once, not by ${times.map(optionText).join(" and ")}: --when combines conditions with and, or and not`,
    );
  const text = prompt ?? (words === "" ? undefined : words);
  const budget = { tokens: budgetTokens, costUsd: budgetUsd };
  const said = {
    prompt: text,
    interval: duration("--every", options.every),
    cron,
    timezone: options.timezone ?? (cron === undefined ? undefined : terminalZone()),
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
export function saidOf(names: readonly string[], options: Readonly<Record<string, unknown>>): string[] {
  const keyOf = (name: string) => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return names.filter((name) => options[keyOf(name)] !== undefined);
}

function optionText(name: string): string {
  return `--${name}`;
}

/** The zone of whoever types. */
export function terminalZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function duration(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = secondsOf(text);
  if (seconds === null) throw new Failure("usage", `${option} is a length of time like 30s, 10m, 2h or 1d`);
  return seconds;
}

function conditionOf({ when, whenFileChanges, whenFileExists, settle }: OrderOptions): unknown {
  const settleSec = duration("--settle", settle);
  if (settleSec !== undefined && whenFileChanges === undefined)
    throw new Failure("usage", "--settle is for --when-file-changes: in --when it is settleSec of file_changed");
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

/** What the fields of an order are called where it is typed. */
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

/** @throws Failure (usage) that names the option and, in a condition, the place in it. */
function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const [field = "", ...rest] = (issue?.path ?? []).map(String).filter((part) => part !== "budget");
  const place = rest.length === 0 ? "" : ` at ${rest.join(".")}`;
  throw new Failure("usage", `${OPTION_OF[field] ?? `--${field}`}${place}: ${issue?.message ?? "not understood"}`);
}
