/**
 * Saves settings as their owner would: config.yaml is edited in place, so that its comments stay. Another editor at the same
 * time loses nothing, the processes read it anew at once, and the supervisor records it as a change that can be taken back.
 */
import { setTimeout as wait } from "node:timers/promises";
import { BadJson, describeIssues } from "@mimikit/protocol/base/json";
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

/** Longer than the lock of somebody who has died with it counts. */
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

/** Why nothing was saved, in words for whoever wants it. `mistake`: of what was asked; `obstacle`: as things are. */
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
  const { fs, home, env } = place;
  if (!isAdopted(home, env)) throw new SettingsRefused("obstacle", NOT_ADOPTED);
  const checked = changes.map((change) => checkedAs(change, env));
  for (const { field } of checked) assertNotShadowed(field, env);
  const write = (text: string) => withChanges(text, checked);
  const deadline = performance.now() + BUSY_MS_MAX;
  for (;;) {
    try {
      await editDocument(fs, (path, work) => lockDocument(home, path, work), CONFIG_FILE, { write });
      return;
    } catch (error) {
      if (error instanceof BadJson)
        throw new SettingsRefused("obstacle", `${CONFIG_FILE} can only be edited by hand: ${error.message}`);
      if (!(error instanceof DocumentBusy)) throw error;
      if (performance.now() > deadline) throw new SettingsRefused("obstacle", error.message);
    }
    await wait(BUSY_RETRY_MS);
  }
}

/** The setting of this name. @throws SettingsRefused where there is none. */
export function settingNamed(name: string): ConfigField {
  const field = CONFIG_FIELDS.find(({ path }) => path.join(".") === name);
  if (field !== undefined) return field;
  const nearest = nearestName(name);
  const next = SECRET_NAME.test(name)
    ? `keys stay out of ${CONFIG_FILE}`
    : nearest === undefined || nearest === name
      ? `mimikit config show ${nearest ?? ""} lists those that there are`.replace("  ", " ")
      : `did you mean ${nearest}?`;
  throw new SettingsRefused("mistake", `there is no setting ${name}: ${next}`);
}

interface Checked {
  field: ConfigField;
  value: unknown;
}

function checkedAs({ name, value }: SettingChange, env: Environment): Checked {
  const field = settingNamed(name);
  if (value === undefined) return { field, value };
  if (holdsSecret(value, env))
    throw new SettingsRefused(
      "mistake",
      `${name}: this looks like a key or a password, which stay out of ${CONFIG_FILE}`,
    );
  const checked = field.schema.safeParse(value);
  if (checked.success) return { field, value: checked.data };
  throw new SettingsRefused("mistake", refusalOf(field.path, checked.error));
}

/** Why a setting does not take a value, in the words of its schema. */
export function refusalOf(path: readonly string[], error: z.ZodError): string {
  return `${path.join(".")}: ${describeIssues(error).replace(/^record: /, "")}`;
}

function holdsSecret(value: unknown, env: Environment): boolean {
  if (typeof value !== "string")
    return (
      typeof value === "object" &&
      value !== null &&
      Object.entries(value)
        .flat()
        .some((one) => holdsSecret(one, env))
    );
  const keys = KEY_VARIABLES.flatMap((name) => env[name] ?? []).filter((key) => key.length >= KEY_CHARS_MIN);
  return SECRET.test(value) || keys.some((key) => value.includes(key));
}

function assertNotShadowed(field: ConfigField, env: Environment): void {
  const set = variableOf(field, env);
  if (set?.read.success)
    throw new SettingsRefused(
      "obstacle",
      `${field.path.join(".")} is set by the variable ${set.variable}, which wins over ${CONFIG_FILE}: unset it where Mimikit is started`,
    );
}

function withChanges(before: string, changes: readonly Checked[]): string {
  const [mistake] = mistakesIn(before);
  if (mistake !== undefined) {
    const { line, path, message, next } = mistake;
    const what = path === "" ? message : `${path}: ${message}`;
    throw new SettingsRefused("obstacle", `line ${line} of ${CONFIG_FILE} is to be corrected first: ${what}; ${next}`);
  }
  const after = changes.reduce((text, { field, value }) => changed(text, field, value), before);
  const problem =
    Buffer.byteLength(after) > CONFIG_FILE_BYTES_MAX
      ? `${CONFIG_FILE} would be longer than ${CONFIG_FILE_BYTES_MAX} bytes`
      : problemOfConfig(after);
  if (problem !== null) throw new SettingsRefused("mistake", problem);
  return after;
}

function changed(text: string, { path }: ConfigField, value: unknown): string {
  try {
    return withSetting(text, path, value);
  } catch (error) {
    if (!(error instanceof NotEditable)) throw error;
    throw new SettingsRefused("obstacle", `${CONFIG_FILE} can only be edited by hand: ${error.message}`);
  }
}
