/** Text out of Excel files (Office Open XML): a line for each row, a tab between cells. */

import { Parser } from "htmlparser2";
import { type Archive, openArchive, resolveIn } from "./archive.ts";
import { visitXml } from "./markup.ts";
import { UnreadableDocument } from "./unreadable.ts";

/** Formats of dates and times, and of durations, among those that every file has without naming them (ECMA-376, 18.8.30). */
const DATE_FORMATS = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 47]);
const DURATION_FORMAT = 46;
const DAY_SECONDS = 86_400;
/** Day 0 of a sheet, as it is from day 61 on: day 60 is a 29 February 1900 that never was. */
const EPOCH_MS = Date.UTC(1899, 11, 30);
const EPOCH_1904_MS = Date.UTC(1904, 0, 1);
const DAY_THAT_NEVER_WAS = 60;
/** A cell further to the right than this is not shown at its place. */
const GAP_MAX = 50;

type Format = "number" | "date" | "duration";

interface Workbook {
  strings: readonly string[];
  /** The meaning of the numbers of each style. */
  formats: readonly Format[];
  /** Dates are counted from 1904, as old Macintoshes did. */
  is1904: boolean;
}

/** The text of a workbook, sheet by sheet; of a formula its last result. @throws UnreadableDocument. */
export function textOfSheets(bytes: Uint8Array): string {
  const archive = openArchive(bytes, (name) => /^xl\/(worksheets\/[^/]+|[^/]+|_rels\/[^/]+)\.(xml|rels)$/.test(name));
  const workbook = archive.get("xl/workbook.xml");
  if (workbook === undefined) throw new UnreadableDocument("it is no Excel file");
  const files = new Map<string, string | null>();
  visitXml(archive.get("xl/_rels/workbook.xml.rels") ?? "", (name, { Id: id = "", Target: target = "" }) => {
    if (name === "Relationship") files.set(id, resolveIn("xl/workbook.xml", target));
  });
  let is1904 = false;
  const sheets: { title: string; file: string }[] = [];
  visitXml(workbook, (name, attributes) => {
    if (name === "workbookPr") is1904 = /^(1|true)$/.test(attributes.date1904 ?? "");
    if (name === "sheet")
      sheets.push({ title: attributes.name ?? "", file: files.get(attributes["r:id"] ?? "") ?? "" });
  });
  const of: Workbook = { strings: stringsOf(archive), formats: formatsOf(archive), is1904 };
  return sheets.map(({ title, file }) => `Sheet: ${title}\n${rowsOf(archive.get(file) ?? "", of)}`).join("\n\n");
}

function stringsOf(archive: Archive): string[] {
  const strings: string[] = [];
  let text = "";
  let isText = false;
  let inReading = 0;
  const parser = new Parser(
    {
      onopentag(name) {
        if (name === "si") text = "";
        // How a word is read aloud stands beside it, in Japanese and Chinese.
        if (name === "rPh") inReading++;
        isText = name === "t" && inReading === 0;
      },
      ontext(piece) {
        if (isText) text += piece;
      },
      onclosetag(name) {
        isText = false;
        if (name === "rPh") inReading--;
        if (name === "si") strings.push(text);
      },
    },
    { xmlMode: true },
  );
  parser.end(archive.get("xl/sharedStrings.xml") ?? "");
  return strings;
}

function formatsOf(archive: Archive): Format[] {
  const own = new Map<number, string>();
  const formats: Format[] = [];
  let inCells = false;
  visitXml(archive.get("xl/styles.xml") ?? "", (name, { numFmtId = "0", formatCode = "" }) => {
    if (name === "numFmt") own.set(Number(numFmtId), formatCode);
    // The list of the cells' styles comes after that of the styles which they build on.
    if (name === "cellXfs" || name === "cellStyles") inCells = name === "cellXfs";
    if (name === "xf" && inCells) formats.push(formatOf(Number(numFmtId), own.get(Number(numFmtId))));
  });
  return formats;
}

function formatOf(id: number, code: string | undefined): Format {
  if (code === undefined) return id === DURATION_FORMAT ? "duration" : DATE_FORMATS.has(id) ? "date" : "number";
  // Characters in quotation marks or behind a backslash are shown as they are.
  const plain = code.replace(/"[^"]*"?|\\./g, "");
  if (/\[(?:h+|m+|s+)\]/i.test(plain)) return "duration";
  // Colours, conditions and languages are in brackets.
  return /[dmyhs]/i.test(plain.replace(/\[[^\]]*\]?/g, "")) ? "date" : "number";
}

function rowsOf(xml: string, of: Workbook): string {
  const rows: string[] = [];
  let cells: string[] = [];
  let cell = { column: 0, type: "n", style: 0, value: "" };
  let isValue = false;
  const parser = new Parser(
    {
      onopentag(name, { r = "", t = "n", s = "0" }) {
        if (name === "row") cells = [];
        if (name === "c") cell = { column: columnOf(r) ?? cells.length, type: t, style: Number(s), value: "" };
        isValue = name === "v" || name === "t";
      },
      ontext(piece) {
        if (isValue) cell.value += piece;
      },
      onclosetag(name) {
        isValue = false;
        if (name === "c" && cell.value !== "") {
          while (cells.length < cell.column && cell.column - cells.length <= GAP_MAX) cells.push("");
          cells.push(shown(cell, of).replace(/\s+/g, " ").trim());
        }
        if (name === "row" && cells.length > 0) rows.push(cells.join("\t"));
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return rows.join("\n");
}

function shown({ type, style, value }: { type: string; style: number; value: string }, of: Workbook): string {
  if (type === "s") return of.strings[Number(value)] ?? "";
  if (type === "b") return value === "1" ? "TRUE" : "FALSE";
  const number = value.trim() === "" ? Number.NaN : Number(value);
  const format = type === "n" && Number.isFinite(number) ? of.formats[style] : "number";
  if (format === "duration") return durationOf(number);
  return format === "date" ? dateOf(number, of.is1904) : value;
}

/** `36:00:00`, of a number of days. */
function durationOf(days: number): string {
  const seconds = Math.round(Math.abs(days) * DAY_SECONDS);
  if (!Number.isSafeInteger(seconds)) return String(days);
  const two = (part: number) => String(Math.floor(part) % 60).padStart(2, "0");
  const hours = String(Math.floor(seconds / 3_600)).padStart(2, "0");
  return `${days < 0 && seconds > 0 ? "-" : ""}${hours}:${two(seconds / 60)}:${two(seconds)}`;
}

/** `2026-11-22`, `2026-11-22 14:30:00`, or `14:30:00` where there is no day. */
function dateOf(serial: number, is1904: boolean): string {
  const seconds = Math.round(serial * DAY_SECONDS);
  const days = Math.floor(seconds / DAY_SECONDS);
  const shift = !is1904 && days > 0 && days < DAY_THAT_NEVER_WAS ? DAY_SECONDS : 0;
  const ms = (is1904 ? EPOCH_1904_MS : EPOCH_MS) + (seconds + shift) * 1_000;
  if (Math.abs(ms) > 8e15) return String(serial);
  const [date = "", time = ""] = new Date(ms).toISOString().slice(0, 19).split("T");
  if (days === 0) return time;
  const day = !is1904 && days === DAY_THAT_NEVER_WAS ? "1900-02-29" : date;
  return time === "00:00:00" ? day : `${day} ${time}`;
}

/** `C7` is column 2. */
function columnOf(place: string): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(place)?.[0];
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
