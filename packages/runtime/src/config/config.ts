/**
 * Every setting, in one schema: for the file, for the environment, for `doctor` and for the documentation. A bad setting
 * never stops a running system: it is reported, and the last good one stays in force (docs/configuration.md).
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { TIMEOUT_SEC_MAX } from "@mimikit/protocol/base/fields";
import { BadJson, describeIssues, parseJson, parseRecord } from "@mimikit/protocol/base/json";
import { ROLES } from "@mimikit/protocol/base/role";
import { Price } from "@mimikit/protocol/base/usage";
import { CHECKS_MAX } from "@mimikit/protocol/records/improvement";
import { hasCode } from "@mimikit/store/disk/error-code";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { isAdopted, NOT_ADOPTED } from "../home/adoption.ts";
import type { Environment } from "../home/home.ts";
import { replaceFile } from "../home/replace-file.ts";

export const CONFIG_FILE = "config.yaml";
const LAST_GOOD_FILE = "config.last-good.json";
export const CONFIG_FILE_BYTES_MAX = 65_536;
export const CONFIG_ALIASES_MAX = 20;
const TOKENS_MAX = 1_000_000_000_000;
const DOLLARS_MAX = 1_000_000_000;
const RESERVE_TOKENS_MAX = 100_000_000;

/** The providers, in the order in which `auto` takes them. */
export const PROVIDERS = ["openai", "codex", "claude", "offline"] as const;
export const ProviderId = z.enum(PROVIDERS);
export type ProviderId = z.infer<typeof ProviderId>;
export const ProviderName = z.enum(["auto", ...PROVIDERS]);
export type ProviderName = z.infer<typeof ProviderName>;

/** Who answers when nobody before them can be reached, in this order. */
const fallback = () => z.array(ProviderId).max(PROVIDERS.length);

const cooldown = (sec: number) => z.number().int().min(1).max(3_600).default(sec);

const modelName = () => z.string().trim().min(1).max(200).optional();

const cliSilence = () =>
  z
    .number()
    .int()
    .min(1)
    .max(3_600)
    .default(300)
    .describe("Seconds that the CLI may be silent while none of its tools runs.");

/** What may be spent; what is not set is not limited. */
const limits = (of: string) =>
  z
    .strictObject({
      tokens: z.number().int().min(1).max(TOKENS_MAX).optional().describe(`Tokens that ${of}, in and out.`),
      costUsd: z.number().positive().max(DOLLARS_MAX).optional().describe(`US dollars that ${of}.`),
    })
    .prefault({});

const reserve = (tokens: number, what: string) =>
  z
    .number()
    .int()
    .min(0)
    .max(RESERVE_TOKENS_MAX)
    .default(tokens)
    .describe(`Tokens that ${what} counts for until it has said what it took.`);

const timeout = (sec: number, what: string) =>
  z.number().int().min(1).max(TIMEOUT_SEC_MAX).default(sec).describe(`Seconds that ${what} may take.`);

export const Config = z.strictObject({
  host: z.string().min(1).max(255).default("127.0.0.1").describe("The address that the gateway listens on."),
  port: z.number().int().min(1).max(65_535).default(8787).describe("The port that the gateway listens on."),
  allowedHosts: z
    .array(z.string().min(1).max(255))
    .max(64)
    .default([])
    .describe("Host names beyond the loopback under which the gateway answers. A host that is not loopback needs one."),
  provider: ProviderName.default("auto").describe(
    "Who answers; auto takes the first that can: openai, codex, claude, else the offline engine.",
  ),
  providers: z
    .strictObject({
      teller: ProviderName.optional().describe("Who answers for the Teller, if not `provider`."),
      planner: ProviderName.optional().describe("Who answers for the Planner, if not `provider`."),
      worker: ProviderName.optional().describe("Who answers for the Workers, if not `provider`."),
      reviewer: ProviderName.optional().describe("Who answers for the Reviewer, if not `provider`."),
    })
    .prefault({})
    .describe("Exceptions from `provider`, by role."),
  fallback: fallback().default([]).describe("Who answers, in this order, when nobody before them can be reached."),
  fallbacks: z
    .strictObject({
      teller: fallback().optional().describe("Who stands in for the Teller's provider, if not `fallback`."),
      planner: fallback().optional().describe("Who stands in for the Planner's provider, if not `fallback`."),
      worker: fallback().optional().describe("Who stands in for the Workers' provider, if not `fallback`."),
      reviewer: fallback().optional().describe("Who stands in for the Reviewer's provider, if not `fallback`."),
    })
    .prefault({})
    .describe("Exceptions from `fallback`, by role."),
  circuit: z
    .strictObject({
      cooldownSec: cooldown(5).describe("Seconds that a provider is left alone when it cannot be reached."),
      cooldownMaxSec: cooldown(60).describe("Seconds that they grow to at most, while it still cannot be reached."),
    })
    .prefault({})
    .describe("How a provider that cannot be reached is tried again."),
  prices: z
    .record(z.string().min(1).max(200), Price)
    .default({})
    .describe(
      "What the tokens of a model cost, by its name: `input`, `cached` and `output` in US dollars for a million; a variable holds it as JSON.",
    ),
  model: modelName().describe("The model that a model endpoint is asked for, by the name it has there."),
  models: z
    .strictObject({
      teller: modelName().describe("The model of the Teller, if not `model`."),
      planner: modelName().describe("The model of the Planner, if not `model`."),
      worker: modelName().describe("The model of the Workers, if not `model`."),
      reviewer: modelName().describe("The model of the Reviewer, if not `model`."),
    })
    .prefault({})
    .describe("Exceptions from `model`, by role."),
  openai: z
    .strictObject({
      baseUrl: z
        .url({ protocol: /^https?$/ })
        .max(2_048)
        .optional()
        .describe("A Chat Completions endpoint, up to and with its `/v1`; with a key alone it is OpenAI's."),
      contextWindow: z
        .number()
        .int()
        .min(4_096)
        .max(10_000_000)
        .optional()
        .describe(
          "Tokens that the model can hold, what it is sent and what it answers together; 16384 if not set, or what is known of the model.",
        ),
      reservedOutput: z
        .number()
        .int()
        .min(256)
        .max(1_000_000)
        .default(2_048)
        .describe("Tokens of the window that are kept free for an answer."),
      toolCalls: z
        .boolean()
        .default(true)
        .describe("Whether the model can call tools. One that cannot is told to write tags at the end of its answers."),
      vision: z
        .boolean()
        .optional()
        .describe("Whether the model can see pictures; found out if not set: see attachments.md."),
      audio: z.boolean().optional().describe("Whether the model can hear recordings; found out if not set."),
      firstByteSec: z
        .number()
        .int()
        .min(1)
        .max(300)
        .default(120)
        .describe("Seconds that the endpoint may take to begin an answer."),
      idleSec: z.number().int().min(1).max(300).default(60).describe("Seconds that it may be silent within an answer."),
    })
    .prefault({})
    .describe("The endpoint of the `openai` provider. Its key is only ever in the environment: OPENAI_API_KEY."),
  codex: z
    .strictObject({
      baseUrl: z
        .url({ protocol: /^https?$/ })
        .max(2_048)
        .optional()
        .describe(
          "An endpoint that speaks OpenAI's Responses, up to and with its `/v1`; with a key alone it is OpenAI's.",
        ),
      network: z.boolean().default(true).describe("Whether the commands of a Worker on codex reach the network."),
      idleSec: cliSilence(),
    })
    .prefault({})
    .describe("The `codex` provider. Its key is only ever in the environment: OPENAI_API_KEY."),
  claude: z
    .strictObject({
      baseUrl: z
        .url({ protocol: /^https?$/ })
        .max(2_048)
        .optional()
        .describe("An endpoint that speaks Anthropic's Messages, up to and without its `/v1`; Anthropic's if not set."),
      idleSec: cliSilence(),
    })
    .prefault({})
    .describe("The `claude` provider. Its key is only ever in the environment: ANTHROPIC_API_KEY."),
  sandbox: z
    .enum(["auto", "off", "required"])
    .default("auto")
    .describe(
      "Whether the shell of a Worker is kept from the state directory: `auto` does it where bubblewrap works, `required` runs no shell without it.",
    ),
  maxConcurrency: z.number().int().min(1).max(32).default(3).describe("How many Worker tasks run at once."),
  timeoutSec: z
    .strictObject({
      teller: timeout(180, "a turn of the Teller"),
      planner: timeout(600, "a plan"),
      worker: timeout(600, "a Worker's task, where the task does not say otherwise,"),
      evaluation: timeout(120, "a batch of semantic conditions"),
      reviewer: timeout(300, "a review of a change of its own"),
    })
    .prefault({})
    .describe("Time limits, by role."),
  budget: z
    .strictObject({
      day: limits("may be spent in a day of the server's calendar").describe("The budget of a day."),
      month: limits("may be spent in a month").describe("The budget of a month."),
      task: limits("one plan, piece of work or batch of conditions may take, all its attempts together").describe(
        "The budget of one task.",
      ),
      reserve: z
        .strictObject({
          teller: reserve(20_000, "a running turn of the Teller"),
          planner: reserve(50_000, "a running plan"),
          worker: reserve(100_000, "a running Worker's task"),
          reviewer: reserve(50_000, "a running review"),
        })
        .prefault({})
        .describe("What is reserved for a run before it begins, by role."),
    })
    .prefault({})
    .describe("What may be spent; see budgets.md."),
  selfImprove: z
    .strictObject({
      enabled: z
        .boolean()
        .default(false)
        .describe("Whether it looks for something to improve in the workspace when nobody needs it; it spends money."),
      idleSec: z
        .number()
        .int()
        .min(60)
        .max(86_400)
        .default(300)
        .describe("Seconds of quiet before it looks; they double whenever a look came to nothing, up to a day."),
      budget: limits("self-improvement may spend in a day").describe("The budget of self-improvement."),
      checks: z
        .array(z.string().min(1).max(1_000))
        .max(CHECKS_MAX)
        .optional()
        .describe("Shell commands that a change is checked with; the `test` script of package.json if not set."),
      checkSec: z
        .number()
        .int()
        .min(1)
        .max(TIMEOUT_SEC_MAX)
        .default(600)
        .describe("Seconds that one of these commands may take."),
      merge: z
        .boolean()
        .default(false)
        .describe("Whether a change that passed is also merged, where nothing of the user's own is in the way."),
    })
    .prefault({})
    .describe("Self-improvement; see self-improvement.md."),
  retryDelaySec: z
    .number()
    .int()
    .min(0)
    .max(86_400)
    .default(60)
    .describe("Seconds before a task that failed for a passing reason is tried once more."),
  tickMs: z.number().int().min(50).max(60_000).default(1_000).describe("Milliseconds between two looks at the state."),
  rereadSec: z
    .number()
    .int()
    .min(1)
    .max(3_600)
    .default(30)
    .describe("Seconds between two complete readings of the state, the safety net under file notifications."),
  runsKeepDays: z
    .number()
    .int()
    .min(0)
    .max(3_650)
    .default(7)
    .describe("Days that the scratch folder of a run is kept."),
  archiveFoldDays: z
    .number()
    .int()
    .min(30)
    .max(3_650)
    .default(30)
    .describe("Days after which an archived record is folded into its month's file."),
  logLevel: z
    .enum(["error", "warn", "info", "debug"])
    .default("info")
    .describe("The least important messages still logged."),
});
export type Config = z.infer<typeof Config>;
type ConfigInput = z.input<typeof Config>;

export interface LoadedConfig {
  config: Config;
  /** What is wrong, one line each: where, what is allowed, and what is in force instead. Empty when all is well. */
  problems: string[];
}

/**
 * The settings of a state directory: defaults, then `config.yaml`, then the environment. Never throws for what somebody
 * wrote: a bad file leaves the last good file in force, a bad variable counts as not set.
 */
export function loadConfig(home: string, env: Environment): LoadedConfig {
  const problems: string[] = [];
  const fromFile = believedFile(home, env, problems);
  const withEnvironment = applyEnvironment(fromFile, env, problems);
  return { config: Config.parse(withEnvironment), problems };
}

/** A setting as it is in force. */
export interface Setting {
  field: ConfigField;
  /** undefined where nothing is set and there is no default. */
  value: unknown;
  source: "default" | "file" | "environment";
  /** The variable that it comes from. */
  variable?: string;
}

/** Every setting in the order of the schema, as `loadConfig` makes them, and where each comes from. */
export function loadSettings(home: string, env: Environment): Setting[] {
  const fromFile = believedFile(home, env, []);
  const { config } = loadConfig(home, env);
  return CONFIG_FIELDS.map((field) => {
    const value = valueAt(config, field.path);
    const variable = variableSet(field, env);
    if (variable !== undefined && readVariable(env[variable] ?? "", field.schema).success)
      return { field, value, source: "environment", variable };
    return { field, value, source: valueAt(fromFile, field.path) === undefined ? "default" : "file" };
  });
}

function valueAt(record: unknown, path: readonly string[]): unknown {
  return path.reduce((value, key) => (isGroup(value) ? value[key] : undefined), record);
}

/** A field of the schema that is not a group: its place in the file and the variables that set it. */
export interface ConfigField {
  path: readonly string[];
  /** The first one that is set wins. */
  variables: readonly string[];
  schema: z.ZodType;
}

/** Names for users, beside those that are made of the path (docs/configuration.md). */
const OTHER_VARIABLES: Record<string, string> = {
  "openai.baseUrl": "OPENAI_BASE_URL",
  ...Object.fromEntries(
    ROLES.flatMap((role) => [
      [`providers.${role}`, `MIMIKIT_PROVIDER_${role.toUpperCase()}`],
      [`fallbacks.${role}`, `MIMIKIT_FALLBACK_${role.toUpperCase()}`],
      [`models.${role}`, `MIMIKIT_MODEL_${role.toUpperCase()}`],
    ]),
  ),
};

/** Every field, in the order of the schema. */
export const CONFIG_FIELDS: readonly ConfigField[] = fieldsOf(Config, []);

function fieldsOf(schema: z.ZodObject, path: readonly string[]): ConfigField[] {
  return Object.entries(schema.shape).flatMap(([key, field]): ConfigField[] => {
    const inner = field instanceof z.ZodPrefault ? field.unwrap() : field;
    const here = [...path, key];
    if (inner instanceof z.ZodObject) return fieldsOf(inner, here);
    return [{ path: here, variables: variablesOf(here), schema: field as z.ZodType }];
  });
}

/** `timeoutSec.worker` → MIMIKIT_TIMEOUT_SEC_WORKER; some have another name too, which comes first. */
function variablesOf(path: readonly string[]): string[] {
  const capitals = path.map((key) => key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());
  const other = OTHER_VARIABLES[path.join(".")];
  return [...(other === undefined ? [] : [other]), `MIMIKIT_${capitals.join("_")}`];
}

/** A stranger's file must not name the endpoint that is sent this user's key. */
function believedFile(home: string, env: Environment, problems: string[]): ConfigInput {
  if (isAdopted(home, env)) return readConfigFile(home, problems);
  problems.push(NOT_ADOPTED);
  return {};
}

/** Everything that config.yaml sets, whether it is believed or not: `openai.baseUrl` and its value. Nothing where it is not good. */
export function settingsInFile(home: string): { name: string; value: unknown }[] {
  const input = readConfigFile(home, []);
  return CONFIG_FIELDS.flatMap(({ path }) => {
    const value = valueAt(input, path);
    return value === undefined ? [] : [{ name: path.join("."), value }];
  });
}

function readConfigFile(home: string, problems: string[]): ConfigInput {
  let input: ConfigInput;
  try {
    input = parseConfigFile(join(home, CONFIG_FILE));
  } catch (error) {
    const lastGood = readLastGood(home, problems);
    const instead = lastGood === null ? "the defaults are in force" : "the last good file is in force";
    problems.push(`${CONFIG_FILE}: ${messageOf(error)}; ${instead}`);
    return lastGood ?? {};
  }
  rememberLastGood(home, input, problems);
  return input;
}

/** Throws with the place and the reason. A missing or empty file sets nothing. */
function parseConfigFile(path: string): ConfigInput {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return {};
    throw error;
  }
  let text: string;
  try {
    const info = fstatSync(file);
    if (!info.isFile()) throw new Error("not a regular file");
    if (info.size > CONFIG_FILE_BYTES_MAX) throw new Error(`longer than ${CONFIG_FILE_BYTES_MAX} bytes`);
    text = readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
  return parseConfig(text);
}

/** Throws with the place and the reason. */
function parseConfig(text: string): ConfigInput {
  const value: unknown = parseYaml(text, { maxAliasCount: CONFIG_ALIASES_MAX, logLevel: "error" }) ?? {};
  const checked = Config.safeParse(value);
  if (!checked.success) throw new Error(describeIssues(checked.error));
  return value as ConfigInput;
}

/** What is wrong with the text of a `config.yaml`, in one line; null where it is good. */
export function problemOfConfig(text: string): string | null {
  try {
    parseConfig(text);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** What the text of a `config.yaml` sets, by the topmost names; nothing where it is not good. */
export function settingsIn(text: string): Record<string, unknown> {
  return problemOfConfig(text) === null ? { ...parseConfig(text) } : {};
}

function readLastGood(home: string, problems: string[]): ConfigInput | null {
  try {
    return parseRecord(Config, readFileSync(join(home, LAST_GOOD_FILE), "utf8"));
  } catch (error) {
    if (!hasCode(error, "ENOENT")) problems.push(`${LAST_GOOD_FILE}: ${messageOf(error)}`);
    return null;
  }
}

function rememberLastGood(home: string, input: ConfigInput, problems: string[]): void {
  const path = join(home, LAST_GOOD_FILE);
  const text = `${JSON.stringify(input, null, 2)}\n`;
  try {
    if (readFileSync(path, "utf8") === text) return;
  } catch (error) {
    // Nothing was ever set: nothing to remember. Any other reason is cured by writing the file, or told by it.
    if (hasCode(error, "ENOENT") && Object.keys(input).length === 0) return;
  }
  try {
    replaceFile(path, text);
  } catch (error) {
    problems.push(
      `${LAST_GOOD_FILE}: ${messageOf(error)}; a later mistake in ${CONFIG_FILE} cannot fall back to this file`,
    );
  }
}

function applyEnvironment(input: ConfigInput, env: Environment, problems: string[]): ConfigInput {
  let result: Record<string, unknown> = { ...input };
  for (const field of CONFIG_FIELDS) {
    const { path, schema } = field;
    const variable = variableSet(field, env);
    if (variable === undefined) continue;
    const checked = readVariable(env[variable] ?? "", schema);
    if (checked.success) result = withValue(result, path, checked.data);
    else problems.push(`${variable}: ${describeIssues(checked.error).replace(/^record: /, "")}; it is ignored`);
  }
  return result;
}

/** The variable that sets a field; an empty one sets nothing. */
function variableSet({ variables }: ConfigField, env: Environment): string | undefined {
  return variables.find((name) => env[name] !== undefined && env[name] !== "");
}

/** A variable is text: a list is separated by commas, a table is JSON, and what reads as a number is one where one is wanted. */
function readVariable(text: string, schema: z.ZodType) {
  const kind = schema instanceof z.ZodDefault || schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (kind instanceof z.ZodRecord) return schema.safeParse(readJson(text));
  if (kind instanceof z.ZodArray) {
    const parts = text.split(",").map((part) => part.trim());
    return schema.safeParse(parts.filter((part) => part !== ""));
  }
  if (kind instanceof z.ZodBoolean) return schema.safeParse(text === "true" || (text === "false" ? false : text));
  const asText = schema.safeParse(text);
  return asText.success || !/^-?\d+(\.\d+)?$/.test(text) ? asText : schema.safeParse(Number(text));
}

/** What is no JSON is no table either, which the schema says. */
function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof BadJson) return text;
    throw error;
  }
}

function withValue(record: Record<string, unknown>, path: readonly string[], value: unknown): Record<string, unknown> {
  const [key, ...rest] = path;
  if (key === undefined) return record;
  if (rest.length === 0) return { ...record, [key]: value };
  const inner = record[key];
  return { ...record, [key]: withValue(isGroup(inner) ? inner : {}, rest, value) };
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function messageOf(error: unknown): string {
  if (error instanceof BadJson || error instanceof Error) {
    // The first line of many an error announces the lines that are left out here.
    return error.message.split("\n", 1)[0]?.replace(/:$/, "") ?? "unreadable";
  }
  return String(error);
}
