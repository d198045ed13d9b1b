/** Guesses the code page of a text that is not UTF-8: in the right one, most characters are those that people write most. */

type Range = readonly [first: number, last: number];

interface Candidate {
  encoding: string;
  /** Its common characters: pairs of bytes, or the letters that make up most of a text. */
  pairs?: readonly (readonly [leads: Range, trails: Range])[];
  letters?: string;
}

/** Pairs are symbols, full-width forms and kana, then the characters that the standards call the first level. The first of equals is taken. */
const CANDIDATES: readonly Candidate[] = [
  {
    encoding: "gb18030",
    pairs: [
      [
        [0xa1, 0xa3],
        [0xa1, 0xfe],
      ],
      [
        [0xb0, 0xd7],
        [0xa1, 0xfe],
      ],
    ],
  },
  {
    encoding: "shift_jis",
    pairs: [
      [
        [0x81, 0x83],
        [0x40, 0xfc],
      ],
      [
        [0x88, 0x98],
        [0x40, 0xfc],
      ],
    ],
  },
  {
    encoding: "big5",
    pairs: [
      [
        [0xa1, 0xa3],
        [0x40, 0xfe],
      ],
      [
        [0xa4, 0xc6],
        [0x40, 0xfe],
      ],
    ],
  },
  { encoding: "windows-1251", letters: "оеаинтсрвлкм" },
  { encoding: "windows-1253", letters: "αοιετσνηυρπκ" },
  { encoding: "windows-1255", letters: "יוהלארבתשמנח" },
  { encoding: "windows-1256", letters: "اليمونرتبةعد" },
  { encoding: "windows-874", letters: "านรอกเงมยลวด\u0e31\u0e34\u0e35\u0e48\u0e49" },
];
/** Letters beyond ASCII that are written in Central Europe, and at the same bytes in Western Europe. */
const CENTRAL = /[ąćęłńóśźżáčďéěíňřšťúůýžőűăâîșşțţđ]/giu;
const WESTERN = /[äöüßéèêëàâáãåæçíìîïñóòôõøœúùûýÿ]/giu;
/** At least this part of what is not ASCII consists of common characters. */
const COMMON_MIN = 0.6;
/** Fewer letters than this fit several alphabets. */
const LETTERS_MIN = 4;
/** At most this part of it stands beside a letter of ASCII: other scripts do not mix with Latin letters, European letters do. */
const MIXED_MAX = 0.4;
/** A text in Latin letters has at least this part of ASCII. */
const ASCII_MIN = 0.25;

/** Control characters that no text has: all but tab, line feed, form feed, carriage return, backspace and escape (colours of a terminal). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
export const NOT_TEXT = /[\x00-\x07\x0b\x0e-\x1a\x1c-\x1f\x7f]/;

/** Null if it is no text in any encoding that is known here. @param bytes of a text that is not UTF-8; its last character may be cut. */
export function guessEncoding(bytes: Uint8Array): string | null {
  const latin = new TextDecoder("latin1").decode(bytes);
  if (NOT_TEXT.test(latin)) return null;
  let best: { encoding: string; score: number } | null = null;
  for (const candidate of CANDIDATES) {
    const score = scoreOf(bytes, candidate);
    if (score >= COMMON_MIN && score > (best?.score ?? 0)) best = { encoding: candidate.encoding, score };
  }
  if (best !== null) return best.encoding;
  const others = bytes.filter((byte) => byte > 0x7f).length;
  // A capital letter with an accent at the very end is half a character of UTF-8.
  if (others > bytes.length * (1 - ASCII_MIN) || (others === 1 && /[\xc0-\xde]$/.test(latin))) return null;
  const count = (encoding: string, letters: RegExp) =>
    new TextDecoder(encoding).decode(bytes).match(letters)?.length ?? 0;
  return count("windows-1250", CENTRAL) > count("windows-1252", WESTERN) ? "windows-1250" : "windows-1252";
}

/** The part of common characters among those that are not ASCII; 0 if the bytes are not in this encoding. */
function scoreOf(bytes: Uint8Array, { encoding, letters, pairs }: Candidate): number {
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
  } catch (error) {
    if (error instanceof TypeError) return 0;
    throw error;
  }
  const others = text.match(/[^\p{ASCII}\p{P}\p{S}\p{Z}]/gu) ?? [];
  const beside = text.match(/[a-z][^\p{ASCII}\p{P}\p{S}\p{Z}]|[^\p{ASCII}\p{P}\p{S}\p{Z}](?=[a-z])/giu) ?? [];
  const least = pairs === undefined ? LETTERS_MIN : 1;
  if (others.length < least || beside.length > others.length * MIXED_MAX) return 0;
  const isCommon = pairs === undefined ? new Set(letters) : charactersOf(encoding, pairs);
  return others.filter((char) => isCommon.has(char.toLowerCase())).length / others.length;
}

const characters = new Map<string, ReadonlySet<string>>();

function charactersOf(encoding: string, pairs: NonNullable<Candidate["pairs"]>): ReadonlySet<string> {
  const known = characters.get(encoding);
  if (known !== undefined) return known;
  const bytes = pairs.flatMap(([[firstLead, lastLead], [first, last]]) =>
    range(firstLead, lastLead).flatMap((lead) => range(first, last).flatMap((trail) => [lead, trail, 0x0a])),
  );
  const lines = new TextDecoder(encoding).decode(Uint8Array.from(bytes)).toLowerCase().split("\n");
  const found = new Set(lines.filter((line) => [...line].length === 1));
  characters.set(encoding, found);
  return found;
}

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
