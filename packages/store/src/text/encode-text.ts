/** Writes text in the encoding of the file that it came from. */
import type { Encoding } from "./decode-text.ts";

/** A character that the encoding does not have. */
export class Unencodable extends Error {
  readonly character: string;

  constructor(character: string, encoding: Encoding) {
    super(`${JSON.stringify(character)} cannot be written in ${encoding}`);
    this.character = character;
  }
}

/** @throws Unencodable. */
export function encodeText(text: string, { encoding, hasMark }: { encoding: Encoding; hasMark: boolean }): Buffer {
  const marked = hasMark ? `\ufeff${text}` : text;
  if (encoding === "utf-8") return Buffer.from(marked, "utf8");
  if (encoding === "utf-16le") return Buffer.from(marked, "utf16le");
  if (encoding === "utf-16be") return Buffer.from(marked, "utf16le").swap16();
  const table = tableOf(encoding);
  const bytes: number[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x80) bytes.push(code);
    else {
      const found = table.get(char) ?? (encoding === "gb18030" && code > 0xffff ? beyondBmp(code) : undefined);
      if (found === undefined) throw new Unencodable(char, encoding);
      bytes.push(...found);
    }
  }
  return Buffer.from(bytes);
}

const tables = new Map<Encoding, ReadonlyMap<string, readonly number[]>>();

/** The bytes of each character: what the decoder reads all sequences as. */
function tableOf(encoding: Encoding): ReadonlyMap<string, readonly number[]> {
  const known = tables.get(encoding);
  if (known !== undefined) return known;
  const sequences = sequencesOf(encoding);
  const bytes = Uint8Array.from(sequences.flatMap((sequence) => [...sequence, 0x0a]));
  const lines = new TextDecoder(encoding).decode(bytes).split("\n");
  const table = new Map<string, readonly number[]>();
  sequences.forEach((sequence, i) => {
    const char = lines[i] ?? "";
    if ([...char].length === 1 && char !== "\ufffd" && !table.has(char)) table.set(char, sequence);
  });
  tables.set(encoding, table);
  return table;
}

/** All sequences of one and two bytes that are not ASCII, and those of four in which GB 18030 writes the rest of the BMP. */
function sequencesOf(encoding: Encoding): number[][] {
  const high = range(0x80, 0xff);
  const pairs = high.flatMap((lead) => range(0x40, 0xff).map((trail) => [lead, trail]));
  const fours =
    encoding !== "gb18030"
      ? []
      : range(0x81, 0x84).flatMap((a) =>
          range(0x30, 0x39).flatMap((b) =>
            range(0x81, 0xfe).flatMap((c) => range(0x30, 0x39).map((d) => [a, b, c, d])),
          ),
        );
  return [...high.map((byte) => [byte]), ...pairs, ...fours];
}

/** GB 18030 has all further planes in the order of Unicode, from 90 30 81 30 on. */
function beyondBmp(code: number): number[] {
  const n = code - 0x10000;
  return [
    0x90 + Math.floor(n / 12_600),
    0x30 + (Math.floor(n / 1_260) % 10),
    0x81 + (Math.floor(n / 10) % 126),
    0x30 + (n % 10),
  ];
}

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
