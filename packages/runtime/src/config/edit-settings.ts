/**
 * Saves settings as their owner would: config.yaml is edited in place, so that its comments stay. Another editor at the same
 * time loses nothing, the processes read it again at once, and the supervisor records it as a change that can be undone.
 */

import { setTimeout as wait } from "node:timers/promises";
import { BadJson } from "@mimikit/protocol/base/json";
import { sentence } from "@mimikit/protocol/texts/coded";
import { describeIssues } from "@mimikit/protocol/texts/issues";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { DocumentBusy, editDocument } from "@mimikit/store/documents/document";
import type { z } from "zod";
import { isAdopted, NOT_ADOPTED } from "../home/adoption.ts";
import { lockDocument } from "../home/document-lock.ts";
import type { Environment } from "../home/home.ts";
import { CONFIG_FILE, CONFIG_FILE_BYTES_MAX, problemOfConfig } from "./config-file.ts";
import { NotEditable, withSetting } from "./edit-yaml.ts";
import { CONFIG_FIELDS, type ConfigField, variableOf } from "./fields.ts";
import { mistakesIn, nearestName } from "./find-mistakes.ts";
import { KEY_VARIABLES } from "./providers.ts";
import { readKeys } from "./secrets.ts";

/** Longer than the lock of a dead process counts. */
const BUSY_MS_MAX = 7_000;
const BUSY_RETRY_MS = 20;

/** A key of a usual form, or an address with a password. The file is shown, kept for undoing and backed up: they stay out of it. */
const SECRET = /\b(sk|xai|gsk|ghp|github_pat)[-_][\w-]{20,}|\bAIza[\w-]{30,}|\b[a-z]+:\/\/[^/?#\s]*@/i;
/** A variable that holds less is no secret: servers on loopback are given words like `none`. */
const KEY_CHARS_MIN = 16;
const SECRET_NAME = /key|secret|password/i;

export interface SettingsPlace {
  fs: FileSystem;
  home: string;
  /** Of the processes that read the settings: its variables win over the file. */
  env: Environment;
}

export interface SettingChange {
  /** `budget.day.costUsd` */
  name: string;
  /** undefined takes the setting out of the file: its default counts again. */
  value: unknown;
}

/** Why nothing was saved, in words for the caller. `mistake`: of what was asked; `obstacle`: as things are. */
export class SettingsRefused extends Error {
  readonly reason: "mistake" | "obstacle";

  constructor(reason: "mistake" | "obstacle", message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Saves all of the changes, or none. They are on the disk when it resolves.
 * @throws SettingsRefused, and what the disk throws.
 */
export async function editSettings(place: SettingsPlace, changes: readonly SettingChange[]): Promise<void> {
  const { fs, home } = place;
  const checked = checkChanges(place, changes);
  const write = (text: string) => withChanges(text, checked);
  const deadline = performance.now() + BUSY_MS_MAX;
  for (;;) {
    try {
      await editDocument(fs, (path, work) => lockDocument(home, path, work), CONFIG_FILE, { write });
      return;
    } catch (error) {
      if (error instanceof BadJson)
        throw new SettingsRefused("obstacle", sentence("setting_by_hand", { detail: error.message }));
      if (!(error instanceof DocumentBusy)) throw error;
      if (performance.now() > deadline) throw new SettingsRefused("obstacle", error.message);
    }
    await wait(BUSY_RETRY_MS);
  }
}

/** The changes as they can be saved, whatever stands in the file. @throws SettingsRefused where one of them cannot. */
export function checkChanges(
  { home, env }: Pick<SettingsPlace, "home" | "env">,
  changes: readonly SettingChange[],
): Checked[] {
  if (!isAdopted(home, env)) throw new SettingsRefused("obstacle", NOT_ADOPTED);
  const keys = [...KEY_VARIABLES.flatMap((name) => env[name] ?? []), ...Object.values(readKeys(home, env).keys)];
  const checked = changes.map((change) => checkedAs(change, keys));
  for (const each of checked) assertNotShadowed(each, env);
  return checked;
}

/** The setting of this name. @throws SettingsRefused where there is none. */
export function settingNamed(name: string): ConfigField {
  const field = CONFIG_FIELDS.find(({ path }) => path.join(".") === name);
  if (field !== undefined) return field;
  const nearest = nearestName(name);
  const next = SECRET_NAME.test(name)
    ? sentence("keys_elsewhere")
    : nearest === undefined
      ? sentence("list_settings")
      : nearest === name
        ? sentence("list_settings_of", { name })
        : sentence("did_you_mean", { name: nearest });
  throw new SettingsRefused("mistake", sentence("setting_unknown", { field: name, next }));
}

interface Checked {
  field: ConfigField;
  value: unknown;
}

function checkedAs({ name, value }: SettingChange, keys: readonly string[]): Checked {
  const field = settingNamed(name);
  if (value === undefined) return { field, value };
  if (holdsSecret(value, keys)) throw new SettingsRefused("mistake", sentence("setting_secret", { field: name }));
  const checked = field.schema.safeParse(value);
  if (checked.success) return { field, value: checked.data };
  throw new SettingsRefused("mistake", refusalOf(field.path, checked.error));
}

/** Why a setting does not take a value, in the words of its schema. */
export function refusalOf(path: readonly string[], error: z.ZodError): string {
  return describeIssues(error, path);
}

/** Does a word look like a key, or hold a password? */
export function looksSecret(word: string): boolean {
  return SECRET.test(word);
}

function holdsSecret(value: unknown, keys: readonly string[]): boolean {
  if (typeof value !== "string")
    return (
      typeof value === "object" &&
      value !== null &&
      Object.entries(value)
        .flat()
        .some((one) => holdsSecret(one, keys))
    );
  return looksSecret(value) || keys.some((key) => key.length >= KEY_CHARS_MIN && value.includes(key));
}

/** A variable that says the same hides nothing. */
function assertNotShadowed({ field, value }: Checked, env: Environment): void {
  const set = variableOf(field, env);
  if (set?.read.success && JSON.stringify(set.read.data) !== JSON.stringify(value))
    throw new SettingsRefused(
      "obstacle",
      sentence("setting_shadowed", { field: field.path.join("."), variable: set.variable }),
    );
}

function withChanges(before: string, changes: readonly Checked[]): string {
  const [mistake] = mistakesIn(before);
  if (mistake !== undefined) {
    const { line, path, message, next } = mistake;
    const what = path === "" ? message : `${path}: ${message}`;
    throw new SettingsRefused("obstacle", sentence("setting_line_wrong", { line, detail: what, next }));
  }
  const after = changes.reduce((text, { field, value }) => changed(text, field, value), before);
  const problem =
    Buffer.byteLength(after) > CONFIG_FILE_BYTES_MAX
      ? sentence("settings_too_long", { max: CONFIG_FILE_BYTES_MAX })
      : problemOfConfig(after);
  if (problem !== null) throw new SettingsRefused("mistake", problem);
  return after;
}

function changed(text: string, { path }: ConfigField, value: unknown): string {
  try {
    return withSetting(text, path, value);
  } catch (error) {
    if (!(error instanceof NotEditable)) throw error;
    throw new SettingsRefused("obstacle", sentence("setting_by_hand", { detail: error.message }));
  }
}
