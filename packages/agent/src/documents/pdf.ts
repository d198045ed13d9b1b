/** Text out of PDF files, page by page. */
import { UnreadableDocument } from "./unreadable.ts";

/** Of a longer document the rest is not read. */
const PAGES_MAX = 1_000;

/** @throws UnreadableDocument where it is damaged, needs a password or is nothing but pictures. */
export async function textOfPdf(bytes: Uint8Array): Promise<string> {
  const { getDocumentProxy } = await import("unpdf");
  const pages: string[] = [];
  try {
    const document = await getDocumentProxy(bytes, { verbosity: 0 });
    for (let number = 1; number <= Math.min(document.numPages, PAGES_MAX); number++) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
      if (text.trim() !== "") pages.push(`Page ${number}\n${text.trim()}`);
      page.cleanup();
    }
    if (document.numPages > PAGES_MAX) pages.push(`[… ${document.numPages - PAGES_MAX} further pages …]`);
  } catch (error) {
    if (error instanceof Error && error.name === "PasswordException")
      throw new UnreadableDocument("it needs a password");
    throw new UnreadableDocument("the PDF is damaged");
  }
  if (pages.length === 0) throw new UnreadableDocument("it has no text: its pages are pictures");
  return pages.join("\n\n");
}
