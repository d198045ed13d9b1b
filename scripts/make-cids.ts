/**
 * Makes packages/agent/cids.br, the Unicode text of each glyph of Adobe's collections, from the `cmaps/` of pdfjs-dist, whose reader of
 * those files reads them: `npm pack pdfjs-dist`, unpack it, `node scripts/make-cids.ts <its folder>/cmaps/`.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { getDocumentProxy, getResolvedPDFJS } from "unpdf";

/** The last glyph of each collection, in the order of the table. */
const LAST_CIDS = { GB1: 30_571, CNS1: 19_178, Japan1: 23_059, Korea1: 18_351 };
const TABLE = join(import.meta.dirname, "../packages/agent/cids.br");

/** A page that shows all glyphs of a collection. */
function pageOf(collection: string, last: number): Buffer {
  const codes = Array.from({ length: last + 1 }, (_, cid) => cid.toString(16).padStart(4, "0")).join("");
  const content = `BT /F1 12 Tf <${codes}> Tj ET`;
  const descriptor = "<</Type/FontDescriptor/FontName/F/Flags 6/FontBBox[0 0 1000 1000]/Ascent 880/Descent -120>>";
  const system = `<</Registry(Adobe)/Ordering(${collection})/Supplement 2>>`;
  const descendant = `<</Type/Font/Subtype/CIDFontType0/BaseFont/F/CIDSystemInfo${system}/FontDescriptor${descriptor}>>`;
  const font = `<</Type/Font/Subtype/Type0/BaseFont/F/Encoding/Identity-H/DescendantFonts[${descendant}]>>`;
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Count 1/Kids[4 0 R]>>",
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 3 0 R/Resources<</Font<</F1 ${font}>>>>>>`,
  ];
  // PDF.js finds the objects without a table of their places.
  const text = objects.map((object, i) => `${i + 1} 0 obj${object}endobj\n`).join("");
  return Buffer.from(`%PDF-1.4\n${text}trailer<</Size 5/Root 1 0 R>>\n%%EOF`, "latin1");
}

interface Glyph {
  originalCharCode: number;
  unicode: string;
}

async function textsOf(collection: string, last: number, cMapUrl: string): Promise<string[]> {
  const { OPS } = await getResolvedPDFJS();
  const document = await getDocumentProxy(new Uint8Array(pageOf(collection, last)), { cMapUrl, cMapPacked: true });
  const { fnArray, argsArray } = await (await document.getPage(1)).getOperatorList();
  const [shown] = argsArray[fnArray.indexOf(OPS.showText)] as [(Glyph | number)[]];
  const texts = Array<string>(last + 1).fill("");
  for (const glyph of shown) if (typeof glyph === "object") texts[glyph.originalCharCode] = glyph.unicode;
  return texts;
}

/** A line for each text: the step from the last code point in base 36, nothing for 1; `~` and the text where it is not one character. */
function tableOf(texts: readonly string[]): string {
  let last = 0;
  const lines = texts.map((text) => {
    if (text === "\ufffd" || text === "\0") return "~";
    if ([...text].length !== 1) return `~${text}`;
    const code = text.codePointAt(0) ?? 0;
    const step = code - last;
    last = code;
    return step === 1 ? "" : step.toString(36);
  });
  return lines.join("\n");
}

const [, , cMapUrl = ""] = process.argv;
const tables: string[] = [];
for (const [collection, last] of Object.entries(LAST_CIDS))
  tables.push(tableOf(await textsOf(collection, last, cMapUrl)));
const best = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
writeFileSync(TABLE, brotliCompressSync(Buffer.from(tables.join("\f")), { params: best }));
