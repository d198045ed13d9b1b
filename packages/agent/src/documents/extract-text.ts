/**
 * A program of its own, which the pool runs in its sandbox: a document on standard input, its text on standard output.
 * The kind of document is its argument. Where there is no text, it says why on standard error and ends with UNREADABLE_EXIT_CODE. A broken
 * document ends this process and no other.
 */
import { buffer } from "node:stream/consumers";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { textOfBook } from "./book.ts";
import type { DocumentKind } from "./kinds.ts";
import { TEXT_CHARS_MAX, UNREADABLE_EXIT_CODE } from "./limits.ts";
import { decodeMarkup, textOfHtml } from "./markup.ts";
import { textOfSlides, textOfWord } from "./office.ts";
import { textOfPdf } from "./pdf.ts";
import { textOfSheets } from "./sheets.ts";
import { UnreadableDocument } from "./unreadable.ts";

const LEFT_OUT = "\n[… the rest is left out …]";

const READERS: Record<DocumentKind, (bytes: Uint8Array) => string | Promise<string>> = {
  pdf: textOfPdf,
  docx: textOfWord,
  xlsx: textOfSheets,
  pptx: textOfSlides,
  epub: textOfBook,
  html: (bytes) => textOfHtml(decodeMarkup(bytes)),
};

const cut = (text: string) =>
  text.length <= TEXT_CHARS_MAX ? text : `${beginningOf(text, TEXT_CHARS_MAX - LEFT_OUT.length)}${LEFT_OUT}`;

try {
  const read = READERS[process.argv[2] as DocumentKind];
  const text = await read(new Uint8Array(await buffer(process.stdin)));
  process.stdout.write(cut(text));
} catch (error) {
  if (!(error instanceof UnreadableDocument)) throw error;
  process.stderr.write(error.message);
  process.exitCode = UNREADABLE_EXIT_CODE;
}
