/** Text out of EPUB books, chapter by chapter in the order in which they are read. */
import { openArchive, resolveIn } from "./archive.ts";
import { textOfHtml, visitXml } from "./markup.ts";
import { UnreadableDocument } from "./unreadable.ts";

/** @throws UnreadableDocument. */
export function textOfBook(bytes: Uint8Array): string {
  const archive = openArchive(bytes, (name) => /\.(x?html?|opf|xml)$/i.test(name));
  let list = "";
  visitXml(archive.get("META-INF/container.xml") ?? "", (name, { "full-path": path = "" }) => {
    if (name === "rootfile" && list === "") list = path;
  });
  const chapters = new Map<string, string | null>();
  const order: string[] = [];
  visitXml(archive.get(list) ?? "", (name, { id = "", href = "", idref = "" }) => {
    if (/^(opf:)?item$/.test(name)) chapters.set(id, resolveIn(list, href));
    if (/^(opf:)?itemref$/.test(name)) order.push(idref);
  });
  const texts = order.map((id) => textOfHtml(archive.get(chapters.get(id) ?? "") ?? "")).filter((text) => text !== "");
  if (texts.length === 0) throw new UnreadableDocument("no chapter of the book can be read: it may be encrypted");
  return texts.join("\n\n");
}
