/** The settings of a state directory as they are in force: defaults, then config.yaml, then the environment. */

import { PAUSABLE, type Pausable } from "@mimikit/protocol/base/kind";
import { sentence } from "@mimikit/protocol/texts/coded";
import { describeIssues } from "@mimikit/protocol/texts/issues";
import { isAdopted, NOT_ADOPTED } from "../home/adoption.ts";
import type { Environment } from "../home/home.ts";
import { proxyRules } from "../network/proxy-rules.ts";
import { CONFIG_FILE, readConfigFile } from "./config-file.ts";
import { CONFIG_FIELDS, type ConfigField, valueAt, variableOf, withValue } from "./fields.ts";
import { hostOfKey, KEY_OWNERS, type KeyOwner } from "./providers.ts";
import { Config, type ConfigInput } from "./schema.ts";
import { type Keys, readKeys } from "./secrets.ts";

export { Config };

/** The settings that may forbid more than their defaults do: what a model may do, load and spend. */
const MAY_FORBID =
  /^(autonomy|sandbox|web\.(fetch|hosts)|budget\..+|paused\..+|codex\.network|selfImprove\.(budget\..+|checks))$/;

export interface LoadedConfig {
  config: Config;
  /** The keys that are kept, by provider: for the providers alone. */
  keys: Keys;
  /** Settings that cannot be read and may forbid something, by `config.yaml` or the name of a variable: nothing starts with them. */
  unread?: string[];
  /** Problems, one line each: the place, the allowed values, and the value in use instead. Empty when all is well. */
  problems: string[];
}

/**
 * The settings of a state directory: defaults, then `config.yaml`, then the environment. Never throws for the content of
 * a file: a bad one leaves the last valid file in use, a bad variable counts as not set. Where that could allow more than its owner wants,
 * `unread` says so.
 */
export function loadConfig(home: string, env: Environment): LoadedConfig {
  const problems: string[] = [];
  const file = believedFile(home, env, problems);
  const unread = file === null ? [CONFIG_FILE] : [];
  let result: Record<string, unknown> = file ?? {};
  for (const field of CONFIG_FIELDS) {
    const set = variableOf(field, env);
    if (set === null) continue;
    const { variable, read } = set;
    if (read.success) result = withValue(result, field.path, read.data);
    else {
      problems.push(sentence("variable_ignored", { variable, problem: describeIssues(read.error) }));
      if (MAY_FORBID.test(field.path.join("."))) unread.push(variable);
    }
  }
  const { keys: kept, hosts = {}, problem } = readKeys(home, env);
  if (problem !== undefined) problems.push(problem);
  const config = Config.parse(result);
  problems.push(...proxyRules(config.proxy, env).problems);
  // A key is for the server that it was given for, whoever has changed the address since.
  const isElsewhere = (id: string) => hosts[id] !== undefined && hosts[id] !== hostOfKey(id as KeyOwner, config);
  const elsewhere = Object.keys(kept).filter((id) => KEY_OWNERS.some((owner) => owner === id) && isElsewhere(id));
  for (const id of elsewhere) problems.push(sentence("key_elsewhere", { provider: id }));
  const keys = Object.fromEntries(Object.entries(kept).filter(([id]) => !elsewhere.includes(id)));
  return { config, keys, problems, ...(unread.length > 0 && { unread }) };
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
    const set = variableOf(field, env);
    if (set?.read.success) return { field, value, source: "environment", variable: set.variable };
    return { field, value, source: valueAt(fromFile, field.path) === undefined ? "default" : "file" };
  });
}

/** A stranger's file must not name the endpoint that is sent this user's key. */
function believedFile(home: string, env: Environment, problems: string[]): ConfigInput | null {
  if (isAdopted(home, env)) return readConfigFile(home, problems);
  problems.push(NOT_ADOPTED);
  return {};
}

/** Everything that config.yaml sets, whether it is believed or not: `openai.baseUrl` and its value. Nothing where it is not good. */
export function settingsInFile(home: string): { name: string; value: unknown }[] {
  const input = readConfigFile(home, []) ?? {};
  return CONFIG_FIELDS.flatMap(({ path }) => {
    const value = valueAt(input, path);
    return value === undefined ? [] : [{ name: path.join("."), value }];
  });
}

/** The roles whose queues the settings pause. */
export function pausedIn({ paused }: Pick<Config, "paused">): Pausable[] {
  return PAUSABLE.filter((role) => paused[role]);
}
