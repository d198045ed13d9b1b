/**
 * config.yaml, and the last good one beside it. A bad file never stops a running system: it is reported, and the last good one
 * stays in force (docs/configuration.md).
 */

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { sentence } from "@mimikit/protocol/texts/coded";
import { inOneLine, issuesOf } from "@mimikit/protocol/texts/issues";
import { hasCode } from "@mimikit/store/disk/error-code";
import { parse as parseYaml } from "yaml";
import type { z } from "zod";
import { replaceFile } from "../home/replace-file.ts";
import { Config, type ConfigInput } from "./schema.ts";

export const CONFIG_FILE = "config.yaml";
const LAST_GOOD_FILE = "config.last-good.json";
export const CONFIG_FILE_BYTES_MAX = 65_536;
export const CONFIG_ALIASES_MAX = 20;

/**
 * The settings of the file, or of the last valid one if it is invalid, which is a problem.
 * @returns null where neither can be read: nothing is known of what its owner wants.
 */
export function readConfigFile(home: string, problems: string[]): ConfigInput | null {
  let input: ConfigInput;
  try {
    input = parseConfigFile(join(home, CONFIG_FILE));
  } catch (error) {
    const lastGood = readLastGood(home, problems);
    const instead = lastGood === null ? "config_defaults" : "config_last_good";
    problems.push(sentence(instead, { detail: messageOf(error) }));
    return lastGood;
  }
  rememberLastGood(home, input, problems, Object.keys(input).length > 0);
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
  if (!checked.success) throw new Error(inOneLine(issuesOf(checked.error).map(ofSetting)));
  return value as ConfigInput;
}

/** The issue in the words of settings. */
export function ofSetting(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  return issue.code === "unrecognized_keys" ? { ...issue, message: sentence("no_such_setting") } : issue;
}

/** The problem with the text of a `config.yaml`, in one line; null if it is valid. */
export function problemOfConfig(text: string): string | null {
  try {
    parseConfig(text);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** The settings in the text of a `config.yaml`, by their top-level names; nothing if it is invalid. */
export function settingsIn(text: string): Record<string, unknown> {
  return problemOfConfig(text) === null ? { ...parseConfig(text) } : {};
}

function readLastGood(home: string, problems: string[]): ConfigInput | null {
  try {
    return parseRecord(Config, readFileSync(join(home, LAST_GOOD_FILE), "utf8"));
  } catch (error) {
    if (!hasCode(error, "ENOENT")) problems.push(sentence("last_good_unreadable", { detail: messageOf(error) }));
    return null;
  }
}

/** Keeps the settings that a process starts with, also where none are set: a mistake in the first ones falls back to them. */
export function keepLastGood(home: string): void {
  const problems: string[] = [];
  const input = readConfigFile(home, problems);
  if (input !== null && problems.length === 0) rememberLastGood(home, input, problems, true);
}

/** @param isFirst write it also where there is none yet. */
function rememberLastGood(home: string, input: ConfigInput, problems: string[], isFirst: boolean): void {
  const path = join(home, LAST_GOOD_FILE);
  const text = `${JSON.stringify(input, null, 2)}\n`;
  try {
    if (readFileSync(path, "utf8") === text) return;
  } catch (error) {
    // Nothing was ever set: nothing to remember. Any other reason is cured by writing the file, or told by it.
    if (hasCode(error, "ENOENT") && !isFirst) return;
  }
  try {
    replaceFile(path, text);
  } catch (error) {
    problems.push(sentence("last_good_unwritable", { detail: messageOf(error) }));
  }
}

function messageOf(error: unknown): string {
  if (error instanceof BadJson || error instanceof Error) {
    // The first line of many an error announces the lines that are left out here.
    return error.message.split("\n", 1)[0]?.replace(/:$/, "") ?? "unreadable";
  }
  return String(error);
}
