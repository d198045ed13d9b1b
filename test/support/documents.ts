/** Small documents of each kind whose text is read, as programs write them. */
import { strToU8, zipSync } from "fflate";

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

function archive(files: Readonly<Record<string, string>>): Buffer {
  return Buffer.from(zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]))));
}

const relations = (...targets: [id: string, type: string, target: string][]) =>
  `${XML}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`)
    .join("")}</Relationships>`;

/** Paragraphs, a table of one row, a change that deleted a word, and a footnote. */
export function docx(paragraphs: readonly string[], row: readonly string[] = [], footnote = ""): Buffer {
  const p = (text: string) => `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
  const cells = row.map((text) => `<w:tc>${p(text)}</w:tc>`).join("");
  const table = row.length === 0 ? "" : `<w:tbl><w:tr>${cells}</w:tr></w:tbl>`;
  const deleted = "<w:p><w:del><w:r><w:delText>deleted words</w:delText></w:r></w:del></w:p>";
  return archive({
    "[Content_Types].xml": `${XML}<Types/>`,
    "word/document.xml": `${XML}<w:document><w:body>${paragraphs.map(p).join("")}${table}${deleted}</w:body></w:document>`,
    "word/footnotes.xml": `${XML}<w:footnotes><w:footnote>${p(footnote)}</w:footnote></w:footnotes>`,
  });
}

/** Some KB whose text is not read in any time that a reader waits: a million paragraphs, one in the other. */
export function slowDocx(seed: string): Buffer {
  const depth = 1_000_000;
  const body = `<w:body>${"<w:p>".repeat(depth)}<w:r><w:t>${seed}</w:t></w:r>${"</w:p>".repeat(depth)}</w:body>`;
  return archive({
    "[Content_Types].xml": `${XML}<Types/>`,
    "word/document.xml": `${XML}<w:document>${body}</w:document>`,
  });
}

/** A sheet "Costs" with a shared string, a number, a date, a truth and a formula's result, and a second one. */
export function xlsx(): Buffer {
  const row1 =
    '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1"><v>1250.5</v></c><c r="D1" s="1"><v>46348</v></c></row>';
  const row2 =
    '<row r="2"><c r="A2" t="inlineStr"><is><t>in line</t></is></c><c r="B2" t="b"><v>1</v></c><c r="C2"><f>C1*2</f><v>2501</v></c></row>';
  return archive({
    "[Content_Types].xml": `${XML}<Types/>`,
    "xl/workbook.xml": `${XML}<workbook xmlns:r="${RELATIONS}"><sheets><sheet name="Costs" sheetId="1" r:id="rId1"/><sheet name="二" sheetId="2" r:id="rId2"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relations(
      ["rId1", "worksheet", "worksheets/sheet1.xml"],
      ["rId2", "worksheet", "/xl/worksheets/sheet2.xml"],
    ),
    "xl/sharedStrings.xml": `${XML}<sst><si><t>rent</t><rPh><t>read aloud</t></rPh></si></sst>`,
    "xl/styles.xml": `${XML}<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
    "xl/worksheets/sheet1.xml": `${XML}<worksheet><sheetData>${row1}${row2}</sheetData></worksheet>`,
    "xl/worksheets/sheet2.xml": `${XML}<worksheet><sheetData><row r="1"><c r="A1" t="str"><v>末行</v></c></row></sheetData></worksheet>`,
  });
}

/** Ten slides, so that their order is that of numbers; the last one has notes. */
export function pptx(): Buffer {
  const slide = (text: string) => `${XML}<p:sld><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`;
  const files = Object.fromEntries(
    Array.from({ length: 10 }, (_, i) => [`ppt/slides/slide${i + 1}.xml`, slide(`point ${i + 1}`)]),
  );
  return archive({
    "[Content_Types].xml": `${XML}<Types/>`,
    ...files,
    "ppt/slides/_rels/slide10.xml.rels": relations(["rId1", "notesSlide", "../notesSlides/notesSlide1.xml"]),
    "ppt/notesSlides/notesSlide1.xml": slide("say thanks"),
  });
}

/** Two chapters, in the order of the spine and not of their names. */
export function epub(): Buffer {
  const chapter = (text: string) => `<html><head><title>x</title></head><body><p>${text}</p></body></html>`;
  const zipped = zipSync({
    mimetype: [strToU8("application/epub+zip"), { level: 0 }],
    "META-INF/container.xml": strToU8(
      '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
    ),
    "OEBPS/book.opf": strToU8(
      '<package><manifest><item id="a" href="z.xhtml"/><item id="b" href="a%20b.xhtml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
    ),
    "OEBPS/z.xhtml": strToU8(chapter("It was a dark night.")),
    "OEBPS/a b.xhtml": strToU8(chapter("Then it dawned.")),
  });
  return Buffer.from(zipped);
}

/** One page for each text; a page without text shows nothing. */
export function pdf(...pages: string[]): Buffer {
  const objects = ["<</Type/Catalog/Pages 2 0 R>>", ""];
  const kids: string[] = [];
  for (const text of pages) {
    const stream = text === "" ? "" : `BT /F1 12 Tf 72 700 Td (${text}) Tj ET`;
    objects.push(`<</Length ${stream.length}>>stream\n${stream}\nendstream`);
    const font = "<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>";
    objects.push(`<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${objects.length} 0 R/Resources${font}>>`);
    kids.push(`${objects.length} 0 R`);
  }
  objects[1] = `<</Type/Pages/Count ${pages.length}/Kids[${kids.join(" ")}]>>`;
  let text = "%PDF-1.4\n";
  const places = objects.map((object, i) => {
    const at = text.length;
    text += `${i + 1} 0 obj${object}endobj\n`;
    return at;
  });
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  text += places.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
  return Buffer.from(`${text}trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF`, "latin1");
}

/** An archive that says it is small and unpacks to far more than is read. */
export function bomb(): Buffer {
  return archive({ "word/document.xml": `<w:t>${"0".repeat(150 * 1_048_576)}</w:t>` });
}
