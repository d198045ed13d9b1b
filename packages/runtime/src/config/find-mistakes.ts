/** Finds mistakes in a file of settings: each with its line, and with a correction. */

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { nearest } from "@mimikit/core/base/nearest";
import { sentence } from "@mimikit/protocol/texts/coded";
import { issuesOf } from "@mimikit/protocol/texts/issues";
import { hasCode } from "@mimikit/store/disk/error-code";
import { isMap, isNode, LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import type { Environment } from "../home/home.ts";
import { loadConfig } from "./config.ts";
import { CONFIG_ALIASES_MAX, CONFIG_FILE, CONFIG_FILE_BYTES_MAX, ofSetting } from "./config-file.ts";
import { CONFIG_FIELDS, valueAt } from "./fields.ts";
import { Config } from "./schema.ts";

export interface ConfigMistake {
  line: number;
  column: number;
  /** The setting: `timeoutSec.worker`; empty for a mistake of the file as a whole. */
  path: string;
  message: string;
  /** The advice for it. */
  next: string;
}

/** @param path of the file. @returns null where there is none; an empty list where all is well. Throws what the disk throws. */
export function findMistakes(path: string): ConfigMistake[] | null {
  let text: string;
  try {
    const { size } = statSync(path);
    if (size > CONFIG_FILE_BYTES_MAX)
      return [whole(`longer than ${CONFIG_FILE_BYTES_MAX} bytes`, "take out what is no setting")];
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
  return mistakesIn(text);
}

/** Why nothing may start with these settings, one line each, with the file and the line or the variable; empty where it may. */
export function whyNoStart(home: string, env: Environment): string[] {
  const { unread = [], problems } = loadConfig(home, env);
  return unread.flatMap((name) => {
    const problem = problems.find((each) => each.startsWith(`${name}:`)) ?? name;
    const path = join(home, name);
    const isFile = name === CONFIG_FILE && statSync(path).isFile();
    const [mistake] = (isFile ? findMistakes(path) : null) ?? [];
    if (mistake === undefined) return [problem];
    const { line, message, next } = mistake;
    return [`${path}, line ${line}: ${mistake.path === "" ? "" : `${mistake.path}: `}${message}; ${next}`];
  });
}

/** Of the text of a file; an empty list where all is well. */
export function mistakesIn(text: string): ConfigMistake[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: "error", prettyErrors: false });
  if (document.errors.length > 0)
    return document.errors.map(({ message, pos: [offset] }) => {
      const { line, col: column } = lines.linePos(offset);
      return {
        line,
        column,
        path: "",
        message,
        next: sentence("correct_yaml"),
      };
    });
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: CONFIG_ALIASES_MAX }) ?? {};
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return [whole(error.message, "write the values out instead of referring to others")];
  }
  const checked = Config.safeParse(value);
  if (checked.success) return [];

  const offsetOf = (path: readonly PropertyKey[], key?: string): number => {
    for (let length = path.length; length >= 0; length--) {
      const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
      const pair = isMap(node) ? node.items.find((item) => isNode(item.key) && String(item.key) === key) : undefined;
      const found = pair !== undefined && isNode(pair.key) ? pair.key : node;
      if (isNode(found) && found.range) return found.range[0];
    }
    return 0;
  };
  const tell = (issue: z.core.$ZodIssue): ConfigMistake => {
    const path = issue.path.join(".");
    const isUnknown = issue.code === "unrecognized_keys";
    const offset = isUnknown ? offsetOf(issue.path.slice(0, -1), String(issue.path.at(-1))) : offsetOf(issue.path);
    const { line, col: column } = lines.linePos(offset);
    const { message } = ofSetting(issue);
    return { line, column, path, message, next: isUnknown ? nearestTo(path) : rightFor(path) };
  };
  return issuesOf(checked.error)
    .map(tell)
    .sort((a, b) => a.line - b.line || a.column - b.column);
}

function whole(message: string, next: string): ConfigMistake {
  return { line: 1, column: 1, path: "", message, next };
}

const DEFAULTS: unknown = Config.parse({});
const NAMES = CONFIG_FIELDS.map(({ path }) => path.join("."));
const GROUPS = [...new Set(CONFIG_FIELDS.flatMap(({ path }) => (path.length > 1 ? [path[0] ?? ""] : [])))];

function rightFor(name: string): string {
  const standard = valueAt(DEFAULTS, name.split("."));
  return standard === undefined || typeof standard === "object"
    ? sentence("correct_setting")
    : sentence("correct_to_default", { value: JSON.stringify(standard) });
}

function nearestTo(name: string): string {
  const meant = nearestName(name);
  return meant === undefined ? sentence("remove_setting") : sentence("did_you_mean", { name: meant });
}

/** The setting or group that was meant by a name that there is not; undefined where none is likely. */
export function nearestName(name: string): string | undefined {
  const known = [...NAMES, ...GROUPS];
  const meant = nearest(
    name.toLowerCase(),
    known.map((each) => each.toLowerCase()),
  );
  return known.find((each) => each.toLowerCase() === meant);
}
