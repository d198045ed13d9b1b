/**
 * Text files as people have them: in UTF-8, in UTF-16 with a byte order mark, or in a code page of an older system, which is guessed.
 * Each text from outside (attachments, files of the workspace, dropped files) is read by this.
 */
import { guessEncoding } from "./guess-encoding.ts";

/** A label of the WHATWG Encoding Standard, as `TextDecoder` takes it. */
export type Encoding = string;

export interface DecodedText {
  /** Without the byte order mark. */
  text: string;
  encoding: Encoding;
  /** Whether the file begins with a byte order mark. */
  hasMark: boolean;
  /** Whether the bytes alone suggest the encoding: no mark says it, and it is not UTF-8. */
  isGuess: boolean;
}

interface Options {
  /** The bytes are the beginning of a longer file, so the last character may be incomplete. */
  isBeginning?: boolean;
}

const MARKS: readonly (readonly [Encoding, Uint8Array])[] = [
  ["utf-8", Uint8Array.of(0xef, 0xbb, 0xbf)],
  ["utf-16le", Uint8Array.of(0xff, 0xfe)],
  ["utf-16be", Uint8Array.of(0xfe, 0xff)],
];
/** A NUL among the first bytes means that it is no text. */
const NUL_BYTES = 4_096;
/** An encoding is guessed from so many bytes, of which so many are before the first one that is not ASCII. */
export const SAMPLE_BYTES = 65_536;
export const BEFORE_BYTES = 4_096;

/** The encoding that a byte order mark names; null without one. */
export function markedEncoding(bytes: Uint8Array): Encoding | null {
  return MARKS.find(([, mark]) => mark.every((byte, i) => bytes[i] === byte))?.[0] ?? null;
}

/**
 * Reads text: by its byte order mark, else as UTF-8, else in the encoding that its bytes suggest. Damaged characters behind a mark become
 * U+FFFD. Null if it is no text.
 */
export function decodeText(bytes: Uint8Array, { isBeginning = false }: Options = {}): DecodedText | null {
  const marked = markedEncoding(bytes);
  if (marked !== null)
    return { text: decode(bytes, marked, isBeginning) ?? "", encoding: marked, hasMark: true, isGuess: false };
  if (bytes.subarray(0, NUL_BYTES).includes(0)) return null;
  const utf8: Pick<DecodedText, "encoding" | "hasMark" | "isGuess"> = {
    encoding: "utf-8",
    hasMark: false,
    isGuess: false,
  };
  const text = decode(bytes, "utf-8", isBeginning, true);
  if (text !== null) return { text, ...utf8 };
  // Cut within its last character, as by a limit in bytes.
  if (/[^\p{ASCII}]/u.test(decode(bytes, "utf-8", true, true) ?? ""))
    return { text: decode(bytes, "utf-8", false) ?? "", ...utf8 };
  const start = Math.max(0, bytes.findIndex((byte) => byte > 0x7f) - BEFORE_BYTES);
  const encoding = guessEncoding(bytes.subarray(start, start + SAMPLE_BYTES));
  if (encoding === null) return null;
  return { text: decode(bytes, encoding, isBeginning) ?? "", encoding, hasMark: false, isGuess: true };
}

/** How a file was read, for people and models; null for UTF-8, which needs no word. */
export function readAs({ encoding, isGuess }: Pick<DecodedText, "encoding" | "isGuess">): string | null {
  if (encoding === "utf-8") return null;
  return isGuess ? `read as ${encoding}, a guess` : `read as ${encoding}`;
}

/** Null where `isStrict` and it is not in this encoding. */
function decode(bytes: Uint8Array, encoding: Encoding, isBeginning: boolean, isStrict = false): string | null {
  try {
    return new TextDecoder(encoding, { fatal: isStrict }).decode(bytes, { stream: isBeginning });
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
