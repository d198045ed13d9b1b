/** PDF files whose texts are codes, in fonts of several kinds. */

export interface Page {
  font: string;
  /** The codes of the text, in hexadecimal digits. */
  codes: string;
}

/** The word Hello. */
export const LATIN: Page = { font: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", codes: "48656c6c6f" };

/** A text in a font that names a character map of a collection, and contains none. */
export function cjk(encoding: string, collection: string, codes: string): Page {
  const descriptor = "<</Type/FontDescriptor/FontName/F/Flags 6/FontBBox[0 0 1000 1000]/Ascent 880/Descent -120>>";
  const system = `<</Registry(Adobe)/Ordering(${collection})/Supplement 2>>`;
  const descendant = `<</Type/Font/Subtype/CIDFontType0/BaseFont/F/CIDSystemInfo${system}/FontDescriptor${descriptor}>>`;
  return {
    font: `<</Type/Font/Subtype/Type0/BaseFont/F/Encoding/${encoding}/DescendantFonts[${descendant}]>>`,
    codes,
  };
}

/** @param broken the number of a page that is none. */
export function pdfOf(pages: readonly Page[], broken = 0): Uint8Array<ArrayBuffer> {
  const objects = ["<</Type/Catalog/Pages 2 0 R>>", ""];
  const kids = pages.map(({ font, codes }, i) => {
    if (i + 1 === broken) {
      objects.push("<</Type/Pages/Count 1/Kids 7>>");
      return `${objects.length} 0 R`;
    }
    const stream = `BT /F1 12 Tf 72 700 Td <${codes}> Tj ET`;
    objects.push(`<</Length ${stream.length}>>stream\n${stream}\nendstream`);
    const resources = `<</Font<</F1 ${font}>>>>`;
    objects.push(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${objects.length} 0 R/Resources${resources}>>`,
    );
    return `${objects.length} 0 R`;
  });
  objects[1] = `<</Type/Pages/Count ${pages.length}/Kids[${kids.join(" ")}]>>`;
  let text = "%PDF-1.4\n";
  const places = objects.map((object, i) => {
    const at = text.length;
    text += `${i + 1} 0 obj${object}endobj\n`;
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}`;
  text += `trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF`;
  return new Uint8Array(Buffer.from(text, "latin1"));
}
