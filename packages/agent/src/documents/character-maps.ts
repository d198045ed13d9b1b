/**
 * Adobe's character maps, which a PDF may name without containing them: from the codes of a text to the glyphs of a collection (CIDs), and
 * from those to Unicode. PDF.js has none of its own. The second ones are a table (cids.br, made by scripts/make-cids.ts); the first ones
 * follow from it and from the encoding in which the codes are written.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { ROOT } from "@mimikit/runtime/home/programs";

const TABLE = join(ROOT, "packages/agent/cids.br");
/** In the order of the table. */
const COLLECTIONS = ["GB1", "CNS1", "Japan1", "Korea1"] as const;
type Collection = (typeof COLLECTIONS)[number];
/** The Unicode text of each glyph, by its CID; empty if it has none. */
type Glyphs = readonly string[];

/** How codes are written: from the first to the last code of each length. */
interface Codes {
  collection: Collection;
  /** As `TextDecoder` has it. */
  encoding: string;
  ranges: readonly (readonly [first: number, last: number])[];
  /** Added to a code where the map leaves a bit out that the encoding has. */
  offset?: number;
}

const DOUBLE_BYTE = [
  [0x20, 0x80],
  [0x8140, 0xfefe],
] as const;
const SHIFT_JIS = [
  [0x20, 0x80],
  [0xa0, 0xdf],
  [0x8140, 0x9ffc],
  [0xe040, 0xfcfc],
] as const;
const EUC_JP = [
  [0x20, 0x80],
  [0x8ea0, 0x8edf],
  [0xa1a1, 0xfefe],
] as const;
const UNICODE = [[0x0000, 0xffff]] as const;

/** The maps of PDF 2.0 (ISO 32000-2, 9.7.5.2), without the direction of writing; those of Unicode are matched below. */
const NAMED: readonly (readonly [names: string, codes: Codes])[] = [
  ["GB-EUC GBpc-EUC GBK-EUC GBKp-EUC GBK2K", { collection: "GB1", encoding: "gb18030", ranges: DOUBLE_BYTE }],
  ["B5pc HKscs-B5 ETen-B5 ETenms-B5", { collection: "CNS1", encoding: "big5", ranges: DOUBLE_BYTE }],
  [
    "83pv-RKSJ 90ms-RKSJ 90msp-RKSJ 90pv-RKSJ Add-RKSJ Ext-RKSJ RKSJ",
    { collection: "Japan1", encoding: "shift_jis", ranges: SHIFT_JIS },
  ],
  ["EUC", { collection: "Japan1", encoding: "euc-jp", ranges: EUC_JP }],
  ["", { collection: "Japan1", encoding: "euc-jp", ranges: [[0x2121, 0x7e7e]], offset: 0x8080 }],
  ["KSC-EUC KSCms-UHC KSCms-UHC-HW KSCpc-EUC", { collection: "Korea1", encoding: "euc-kr", ranges: DOUBLE_BYTE }],
];
const OF_UNICODE: Readonly<Record<string, Collection>> = {
  GB: "GB1",
  CNS: "CNS1",
  JIS: "Japan1",
  JIS2004: "Japan1",
  KS: "Korea1",
};

/** The source of a map in PostScript, as PDF.js reads it; null for a map that is not known here. */
export function characterMap(name: string): string | null {
  const ofGlyphs = /^Adobe-(GB1|CNS1|Japan1|Korea1)-UCS2$/.exec(name)?.[1];
  if (ofGlyphs !== undefined) return mapToUnicode(glyphsOf(ofGlyphs as Collection));
  const [, encoding = "", direction] = /^(?:(.+)-)?([HV])$/.exec(name) ?? [];
  const codes = direction === undefined ? undefined : codesOf(encoding);
  return codes === undefined ? null : mapToGlyphs(codes, direction === "V");
}

function codesOf(name: string): Codes | undefined {
  const collection = OF_UNICODE[/^Uni([A-Z]+(?:2004)?)-(?:UCS2|UTF16)(?:-HW)?$/.exec(name)?.[1] ?? ""];
  if (collection !== undefined) return { collection, encoding: "utf-16be", ranges: UNICODE };
  return NAMED.find(([names]) => names.split(" ").includes(name))?.[1];
}

function mapToUnicode(glyphs: Glyphs): string {
  const lines = glyphs.flatMap((text, cid) => (text === "" ? [] : [`<${hex(cid, 2)}> <${utf16(text)}>`]));
  return mapOf(["<0000> <ffff>"], "beginbfchar", lines, "endbfchar");
}

function mapToGlyphs({ collection, encoding, ranges, offset = 0 }: Codes, isVertical: boolean): string {
  const cids = new Map<string, number>();
  for (const [cid, text] of glyphsOf(collection).entries()) if (text !== "" && !cids.has(text)) cids.set(text, cid);
  const lines: string[] = [];
  for (const [first, last] of ranges) {
    const length = lengthOf(last);
    const isCode = (code: number) => (code & 0xff) >= (first & 0xff) && (code & 0xff) <= (last & 0xff);
    const codes = Array.from({ length: last - first + 1 }, (_, i) => first + i).filter(isCode);
    charactersOf(
      codes.map((code) => code + offset),
      length,
      encoding,
    ).forEach((character, i) => {
      const cid = cids.get(character);
      if (cid !== undefined) lines.push(`<${hex(codes[i] ?? 0, length)}> ${cid}`);
    });
  }
  const spaces = ranges.map(([first, last]) => {
    const length = lengthOf(last);
    return `<${hex(first, length)}> <${hex(last, length)}>`;
  });
  return mapOf(spaces, "begincidchar", lines, "endcidchar", isVertical);
}

function mapOf(
  spaces: readonly string[],
  begin: string,
  lines: readonly string[],
  end: string,
  isVertical = false,
): string {
  return [
    "begincmap",
    `/WMode ${isVertical ? 1 : 0} def`,
    "begincodespacerange",
    ...spaces,
    "endcodespacerange",
    begin,
    ...lines,
    end,
    "endcmap",
    "",
  ].join("\n");
}

/** Decodes each code on a line of its own; an undefined code gives no single character. */
function charactersOf(codes: readonly number[], length: 1 | 2, encoding: string): string[] {
  if (encoding === "utf-16be") return codes.map((code) => String.fromCharCode(code));
  const bytes = codes.flatMap((code) => [...(length === 2 ? [code >> 8] : []), code & 0xff, 0x0a]);
  return new TextDecoder(encoding).decode(Uint8Array.from(bytes)).split("\n");
}

let table: readonly Glyphs[] | undefined;

function glyphsOf(collection: Collection): Glyphs {
  table ??= brotliDecompressSync(readFileSync(TABLE)).toString("utf8").split("\f").map(readGlyphs);
  return table[COLLECTIONS.indexOf(collection)] ?? [];
}

/** A line for each glyph: the step from the code point of the last one in base 36, nothing for 1; or `~` and a text. */
function readGlyphs(source: string): Glyphs {
  let code = 0;
  return source.split("\n").map((line) => {
    if (line.startsWith("~")) return line.slice(1);
    code += line === "" ? 1 : Number.parseInt(line, 36);
    return String.fromCodePoint(code);
  });
}

const lengthOf = (lastCode: number) => (lastCode > 0xff ? 2 : 1);
const hex = (number: number, bytes: 1 | 2) => number.toString(16).padStart(2 * bytes, "0");
const utf16 = (text: string) => Buffer.from(text, "utf16le").swap16().toString("hex");
