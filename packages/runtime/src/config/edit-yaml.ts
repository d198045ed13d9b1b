/**
 * Changes a value in the text of a YAML mapping that people edit too: only its own lines become others. Comments, spaces,
 * quotes and the order of the rest stay to the byte, which a parsed document that is printed again would not leave.
 */

import { isDeepStrictEqual } from "node:util";
import { sentence } from "@mimikit/protocol/texts/coded";
import {
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  parse,
  parseDocument,
  stringify,
  type YAMLMap,
  YAMLParseError,
  type YAMLSeq,
} from "yaml";

/** The value cannot be changed alone, for example because another refers to it. */
export class NotEditable extends Error {}

const INDENT = "  ";

type Table = Record<string, unknown>;
/** The pairs that lead to a place, from the top, each with the mapping that it is in. */
type Trail = readonly { map: YAMLMap; pair: Pair }[];

/**
 * @param text a good YAML mapping, or nothing but comments.
 * @param value undefined takes the value out, and with it the groups of which nothing is left.
 * @throws NotEditable where no other text says exactly that.
 */
export function withSetting(text: string, path: readonly string[], value: unknown): string {
  const before = (parse(text) ?? {}) as Table;
  const old = path.reduce<unknown>((inner, key) => (isTable(inner) ? inner[key] : undefined), before);
  const wanted = value === old ? before : withPlace(before, path, value);
  if (isDeepStrictEqual(before, wanted)) return text;
  const after = edited(text === "" || text.endsWith("\n") ? text : `${text}\n`, path, value);
  // The text is cut where the parser says that things are: it says itself whether that was right.
  if (!isDeepStrictEqual(meaningOf(after), wanted))
    throw new NotEditable(sentence("setting_tied", { field: path.join(".") }));
  return after;
}

/** undefined where the text says nothing any more. */
function meaningOf(text: string): unknown {
  try {
    return parse(text) ?? {};
  } catch (error) {
    if (error instanceof YAMLParseError || error instanceof ReferenceError) return undefined;
    throw error;
  }
}

function edited(text: string, path: readonly string[], value: unknown): string {
  let node: unknown = parseDocument(text).contents;
  if (node === null || (isScalar(node) && node.value === null)) return text + linesOf(path, value, "");
  const trail: { map: YAMLMap; pair: Pair }[] = [];
  for (const [depth, key] of path.entries()) {
    if (!isMap(node)) return text;
    const map: YAMLMap = node;
    const pair = map.items.find((item) => isScalar(item.key) && item.key.value === key);
    if (pair === undefined) return value === undefined ? text : added(text, map, path.slice(depth), value);
    trail.push({ map, pair });
    node = pair.value;
  }
  const last = trail.at(-1);
  if (last === undefined) return text;
  if (value === undefined) return removed(text, trail);
  if (isMap(node) && isTable(value) && Object.keys(value).length > 0)
    return withRows(text, path, node.toJSON() as Table, value);
  if (isSeq(node) && !node.flow && Array.isArray(value) && value.length > 0) return withItems(text, node, value);
  return replaced(text, last.pair, value);
}

/** Of a table, the rows that are others. */
function withRows(text: string, path: readonly string[], old: Table, fresh: Table): string {
  const changed = Object.entries(fresh).filter(([key, row]) => !isDeepStrictEqual(old[key], row));
  const gone = Object.keys(old).filter((key) => !Object.hasOwn(fresh, key));
  // New rows come before old ones go, so that the table is never empty meanwhile.
  const steps = [...changed, ...gone.map((key) => [key, undefined] as const)];
  return steps.reduce((now, [key, row]) => edited(now, [...path, key], row), text);
}

/** Of a list with a line for each item, the items from the first that is another. */
function withItems(text: string, { items, range }: YAMLSeq, fresh: readonly unknown[]): string {
  const old = items.map((item) => (isNode(item) ? item.toJSON() : item) as unknown);
  const other = fresh.findIndex((item, at) => at >= old.length || !isDeepStrictEqual(item, old[at]));
  const kept = other < 0 ? fresh.length : other;
  const end = lineAfter(text, endOf(items.at(-1)));
  const from = kept < items.length ? lineOf(text, startOf(items[kept])) : end;
  const start = range?.[0] ?? 0;
  const indent = text.slice(lineOf(text, start), start);
  const lines = fresh.slice(kept).map((item) => `${indent}- ${inline(item)}\n`);
  return text.slice(0, from) + lines.join("") + text.slice(end);
}

function replaced(text: string, { key, value }: Pair, fresh: unknown): string {
  if (!isBlock(value)) {
    const end = text[endOf(value) - 1] === "\n" ? "\n" : "";
    return text.slice(0, startOf(value)) + inline(fresh) + end + text.slice(endOf(value));
  }
  const colon = text.indexOf(":", endOf(key)) + 1;
  const comments = text.slice(colon, lineOf(text, startOf(value)));
  return `${text.slice(0, colon)} ${inline(fresh)}${comments}${text.slice(lineAfter(text, endOf(value)))}`;
}

function added(text: string, map: YAMLMap, path: readonly string[], value: unknown): string {
  const [first] = map.items;
  const last = map.items.at(-1);
  if (!map.flow && first !== undefined) {
    const at = lineAfter(text, endOf(last));
    const indent = text.slice(lineOf(text, startOf(first)), startOf(first));
    return text.slice(0, at) + linesOf(path, value, indent) + text.slice(at);
  }
  const [key, ...rest] = path;
  const pair = `${inline(key)}: ${inline(rest.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value))}`;
  const at = last === undefined ? startOf(map) + 1 : endOf(last);
  return text.slice(0, at) + (last === undefined ? ` ${pair} ` : `, ${pair}`) + text.slice(at);
}

/** Takes out the last pair of the trail, and the groups that are empty then. Comments on lines of their own stay. */
function removed(text: string, trail: Trail): string {
  const top = trail.findLastIndex(({ map }, depth) => depth === 0 || map.items.length > 1);
  const { map, pair } = trail[top] ?? {};
  if (map?.flow && pair !== undefined) {
    const at = map.items.indexOf(pair);
    const next = map.items[at + 1];
    const from = at > 0 ? endOf(map.items[at - 1]) : startOf(pair);
    return text.slice(0, from) + text.slice(at === 0 && next !== undefined ? startOf(next) : endOf(pair));
  }
  const pairs = trail.slice(top).map((step) => step.pair);
  // A value in one piece goes as one; of a group above it goes the line of its name.
  const piece = pairs.findIndex(({ value }, depth) => depth === pairs.length - 1 || !isBlock(value));
  return pairs.slice(0, piece + 1).reduceRight((now, each, depth) => {
    const end = depth === piece ? endOf(each) : endOf(each.key);
    return now.slice(0, lineOf(now, startOf(each))) + now.slice(lineAfter(now, end));
  }, text);
}

function linesOf([key = "", ...rest]: readonly string[], value: unknown, indent: string): string {
  const name = `${indent}${inline(key)}:`;
  if (rest.length > 0) return `${name}\n${linesOf(rest, value, indent + INDENT)}`;
  const rows = isTable(value) && Object.values(value).every(isTable) ? Object.entries(value) : [];
  if (rows.length === 0) return `${name} ${inline(value)}\n`;
  return `${name}\n${rows.map(([row, cells]) => linesOf([row], cells, indent + INDENT)).join("")}`;
}

/** A value on one line, as it may stand anywhere. */
function inline(value: unknown): string {
  const text = stringify([value], { collectionStyle: "flow", lineWidth: 0 }).trim().slice(1, -1).trim();
  return text.includes("\n") ? JSON.stringify(value) : text;
}

/** Written over lines of its own, below its name. */
function isBlock(node: unknown): boolean {
  return isCollection(node) && !node.flow;
}

function startOf(thing: unknown): number {
  if (isPair(thing)) return startOf(thing.key);
  return (isNode(thing) && thing.range?.[0]) || 0;
}

/** Where the value ends: what follows is spaces, comments, and what belongs to others. */
function endOf(thing: unknown): number {
  if (isPair(thing)) return endOf(isNode(thing.value) ? thing.value : thing.key);
  if (isCollection(thing) && !thing.flow) return endOf(thing.items.at(-1));
  return (isNode(thing) && thing.range?.[1]) || 0;
}

/** Where the line of a place begins. */
function lineOf(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

/** Where the line after a place begins; there itself where it ends one. */
function lineAfter(text: string, at: number): number {
  return text[at - 1] === "\n" ? at : text.indexOf("\n", at) + 1 || text.length;
}

function withPlace(table: Table, [key = "", ...rest]: readonly string[], value: unknown): Table {
  const { [key]: inner, ...others } = table;
  const fresh = rest.length === 0 ? value : withPlace(isTable(inner) ? inner : {}, rest, value);
  const isGone = fresh === undefined || (value === undefined && Object.keys(fresh as Table).length === 0);
  return isGone ? others : { ...table, [key]: fresh };
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
