/** The results that are kept in the repository, and the tables that README.md and docs/versus.md show of them. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withBlocks } from "../generated-blocks.ts";
import type { Verdict } from "./judge.ts";

export interface Result extends Verdict {
  id: string;
  name: string;
  version: string;
  date: string;
  /** Of this repository: the scripts that measured, and Mimikit itself. */
  commit: string;
  machine: string;
  seed: number;
}

/** In the folder of a trial that is over. */
export const RESULT = "result.json";
/** From the root of the repository. */
export const SAVED = "scripts/versus/results.json";
const PATH = join(import.meta.dirname, "results.json");

export const readResults = (): Result[] => JSON.parse(readFileSync(PATH, "utf8")) as Result[];

export function writeResults(results: readonly Result[]): void {
  writeFileSync(PATH, `${JSON.stringify(results, null, 2)}\n`);
}

type Column = readonly [title: string, cell: (result: Result) => string | number];

const SHORT: readonly Column[] = [
  ["", ({ name }) => name],
  ["version", ({ version }) => version],
  ["kills", ({ kills }) => kills],
  ["messages acknowledged", ({ taken }) => taken],
  ["lost", ({ lost }) => bold(lost)],
  ["doubled", ({ doubled }) => bold(doubled)],
  ["late", ({ late }) => (late === null ? "–" : bold(late))],
  ["measured", ({ date }) => date],
];

const LONG: readonly Column[] = [
  ...SHORT.slice(0, -1),
  ["lost for good", ({ lostAfterSendingAgain }) => lostAfterSendingAgain ?? "–"],
  ["not acknowledged", ({ unconfirmed }) => unconfirmed],
  ["model calls per reply", ({ modelCalls, answered }) => (modelCalls / Math.max(1, answered)).toFixed(2)],
  ["seed", ({ seed }) => seed],
  ["commit", ({ commit }) => commit],
];

const bold = (count: number): string => (count > 0 ? `**${count}**` : "0");

/** A table of Markdown. */
export const table = (results: readonly Result[]): string => rows(LONG, results);

export const withShortTable = (page: string): string => withBlocks(page, { versus: rows(SHORT, readResults()) });

export const withLongTable = (page: string): string => withBlocks(page, { versus: table(readResults()) });

function rows(columns: readonly Column[], results: readonly Result[]): string {
  const line = (cells: readonly unknown[]) => `| ${cells.join(" | ")} |\n`;
  const head = `${line(columns.map(([title]) => title))}|${"---|".repeat(columns.length)}\n`;
  return head + results.map((result) => line(columns.map(([, cell]) => cell(result)))).join("");
}
