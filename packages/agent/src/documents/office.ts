/** Text out of Word and PowerPoint files (Office Open XML). */
import { type Archive, openArchive, resolveIn } from "./archive.ts";
import { type Rules, textOfXml, visitXml } from "./markup.ts";
import { UnreadableDocument } from "./unreadable.ts";

const PARAGRAPH = { close: "\n" };

/** Of a change that is tracked, what was deleted is in `w:delText`, which is no text here. */
const WORD: Rules = {
  textIn: new Set(["w:t"]),
  elements: {
    "w:p": PARAGRAPH,
    "w:tab": { open: "\t" },
    "w:br": { open: "\n" },
    "w:cr": { open: "\n" },
    "w:tc": { close: "\t" },
    "w:tr": PARAGRAPH,
  },
};

const SLIDE: Rules = {
  textIn: new Set(["a:t"]),
  elements: { "a:p": PARAGRAPH, "a:br": { open: "\n" }, "a:tab": { open: "\t" }, "a:tc": { close: "\t" } },
};

/** The text of a Word file: the body, then its notes. @throws UnreadableDocument. */
export function textOfWord(bytes: Uint8Array): string {
  const archive = openArchive(bytes, (name) => /^word\/(document|footnotes|endnotes)\.xml$/.test(name));
  const body = archive.get("word/document.xml");
  if (body === undefined) throw new UnreadableDocument("it is no Word file");
  const notes = ["word/footnotes.xml", "word/endnotes.xml"].map((name) => archive.get(name) ?? "");
  return [body, ...notes].map((xml) => tidy(textOfXml(xml, WORD))).join("\n\n");
}

/** The text of a presentation, slide by slide, each with the speaker's notes. @throws UnreadableDocument. */
export function textOfSlides(bytes: Uint8Array): string {
  const archive = openArchive(bytes, (name) => /^ppt\/(slides|notesSlides)\/(_rels\/)?[^/]+\.(xml|rels)$/.test(name));
  const slides = [...archive.keys()].filter((name) => /^ppt\/slides\/slide\d+\.xml$/.test(name)).sort(byNumber);
  if (slides.length === 0) throw new UnreadableDocument("it is no presentation");
  const parts = slides.map((name, i) => {
    const notes = notesOf(name, archive);
    const text = tidy(textOfXml(archive.get(name) ?? "", SLIDE));
    return `Slide ${i + 1}\n${text}${notes === "" ? "" : `\nNotes: ${notes}`}`;
  });
  return parts.join("\n\n");
}

function notesOf(slide: string, archive: Archive): string {
  const folder = slide.slice(0, slide.lastIndexOf("/") + 1);
  const relations = archive.get(`${folder}_rels/${slide.slice(folder.length)}.rels`) ?? "";
  let notes = "";
  visitXml(relations, (name, { Type: type = "", Target: target = "" }) => {
    if (name !== "Relationship" || !type.endsWith("/notesSlide")) return;
    notes = tidy(textOfXml(archive.get(resolveIn(slide, target) ?? "") ?? "", SLIDE));
  });
  return notes;
}

const numberIn = (name: string) => Number(/(?<!\d)(\d+)\.xml$/.exec(name)?.[1] ?? 0);
const byNumber = (a: string, b: string) => numberIn(a) - numberIn(b);

/** Cells end with a tab, and their paragraphs with a line break of their own. */
function tidy(text: string): string {
  return text
    .replace(/\n\t/g, "\t")
    .replace(/(?<!\t)\t+\n/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
