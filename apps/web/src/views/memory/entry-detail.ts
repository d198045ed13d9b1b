/** The part of memory that an address means: a file, or an entry of it. */
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";

/** Characters of an entry in an address. */
const ENTRY_CHARS_MAX = 80;
/** No name of a file holds it. */
const DIVIDER = "\n";

/** @param entry how it begins. */
export function entryDetail(file: string, entry?: string): string {
  return entry === undefined ? file : `${file}${DIVIDER}${beginningOf(entry, ENTRY_CHARS_MAX).toWellFormed()}`;
}

export function readDetail(detail: string): { file: string; entry: string | undefined } {
  const at = detail.indexOf(DIVIDER);
  return at < 0
    ? { file: detail, entry: undefined }
    : { file: detail.slice(0, at), entry: detail.slice(at + DIVIDER.length) };
}
