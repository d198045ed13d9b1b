/** Text out of PDF files, page by page. */
import type { getDocumentProxy } from "unpdf";
import { characterMap } from "./character-maps.ts";
import { UnreadableDocument } from "./unreadable.ts";

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Of a longer document the rest is not read. */
const PAGES_MAX = 1_000;
/** PDF.js tells what it cannot read. */
const WARNINGS = 1;
const UNREAD_FONT = /translateFont failed/;

const FONT_REASON = "a font in it has an encoding that is not known";

/** Gives PDF.js what it asks for of its own files: character maps, and no fonts to draw with. */
class OwnFiles {
  async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    const source = kind === "cMapUrl" ? characterMap(filename) : null;
    if (source === null) throw new Error(`there is no ${filename}`);
    return new Uint8Array(Buffer.from(source));
  }
}

/** @throws UnreadableDocument where it is damaged, needs a password or has no text that can be read. */
export async function textOfPdf(bytes: Uint8Array): Promise<string> {
  const { getDocumentProxy } = await import("unpdf");
  const { warn } = console;
  let hasUnreadFont = false;
  // This process reads one document, and says nothing else.
  console.warn = (message: unknown) => {
    if (UNREAD_FONT.test(String(message))) hasUnreadFont = true;
  };
  try {
    const document = await getDocumentProxy(bytes, {
      verbosity: WARNINGS,
      // An address that nothing is read from: without one, PDF.js does not ask.
      cMapUrl: "own/",
      cMapPacked: false,
      BinaryDataFactory: OwnFiles,
    });
    const pages: { text: string; problem?: string }[] = [];
    for (let number = 1; number <= Math.min(document.numPages, PAGES_MAX); number++) {
      hasUnreadFont = false;
      const text = await textOfPage(document, number);
      const problem = text === null ? "it is damaged" : hasUnreadFont ? FONT_REASON : undefined;
      pages.push({ text: text ?? "", ...(problem !== undefined && { problem }) });
    }
    return textOfPages(pages, document.numPages - pages.length);
  } catch (error) {
    if (error instanceof UnreadableDocument) throw error;
    if (error instanceof Error && error.name === "PasswordException")
      throw new UnreadableDocument("it needs a password");
    throw new UnreadableDocument("the PDF is damaged");
  } finally {
    console.warn = warn;
  }
}

/** Null if the page is damaged. */
async function textOfPage(document: Pdf, number: number): Promise<string | null> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    return items
      .map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : ""))
      .join("")
      .trim();
  } catch {
    // A broken page throws errors of any type.
    return null;
  }
}

function textOfPages(pages: readonly { text: string; problem?: string }[], further: number): string {
  if (pages.every(({ text }) => text === "")) {
    const problems = pages.flatMap(({ problem }) => problem ?? []);
    if (problems.includes(FONT_REASON)) throw new UnreadableDocument(`its text cannot be read: ${FONT_REASON}`);
    throw new UnreadableDocument(problems.length > 0 ? "the PDF is damaged" : "it has no text: its pages are pictures");
  }
  const shown = pages.flatMap(({ text, problem }, i) => {
    const parts = [text, problem === undefined ? "" : `[this page cannot be read, or not all of it: ${problem}]`];
    const lines = parts.filter((part) => part !== "");
    return lines.length === 0 ? [] : [[`Page ${i + 1}`, ...lines].join("\n")];
  });
  if (further > 0) shown.push(`[… ${further} further pages …]`);
  return shown.join("\n\n");
}
