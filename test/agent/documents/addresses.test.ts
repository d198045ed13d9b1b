/** Documents whose parts have addresses that are none: each costs nothing but what it names. */
import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { textOfBook } from "../../../packages/agent/src/documents/book.ts";
import { textOfSlides } from "../../../packages/agent/src/documents/office.ts";
import { textOfSheets } from "../../../packages/agent/src/documents/sheets.ts";

const BAD = ["images/100%.png", "file:///C:\\data\\50%.xlsx", "http://", "//", "%FF%zz", "http://[", "\ud83d"];

const zip = (files: Readonly<Record<string, string>>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));

test.each(BAD)("a book, a workbook and slides that name %j are read", (address) => {
  const book = zip({
    "META-INF/container.xml": '<container><rootfile full-path="O/book.opf"/></container>',
    "O/book.opf": `<package><item id="x" href="${address}"/><item id="a" href="a.xhtml"/><itemref idref="x"/><itemref idref="a"/></package>`,
    "O/a.xhtml": "<html><body><p>It dawned.</p></body></html>",
  });
  expect(textOfBook(book)).toBe("It dawned.");
  const sheets = zip({
    "xl/workbook.xml": '<workbook><sheet name="x" r:id="r1"/><sheet name="a" r:id="r2"/></workbook>',
    "xl/_rels/workbook.xml.rels": `<r><Relationship Id="r1" Target="${address}"/><Relationship Id="r2" Target="worksheets/sheet1.xml"/></r>`,
    "xl/worksheets/sheet1.xml": '<row><c r="A1"><v>7</v></c></row>',
  });
  expect(textOfSheets(sheets)).toBe("Sheet: x\n\n\nSheet: a\n7");
  const slides = zip({
    "ppt/slides/slide1.xml": "<p:sld><a:p><a:t>point</a:t></a:p></p:sld>",
    "ppt/slides/_rels/slide1.xml.rels": `<r><Relationship Type="x/notesSlide" Target="${address}"/></r>`,
  });
  expect(textOfSlides(slides)).toBe("Slide 1\npoint");
});

test.each([
  ["100%.xhtml", "100%.xhtml"],
  ["100%25.xhtml", "100%.xhtml"],
  ["%E7%AB%A0 50%.xhtml", "章 50%.xhtml"],
])("a chapter at %j is found", (href, file) => {
  const book = zip({
    "META-INF/container.xml": '<container><rootfile full-path="50%/book.opf"/></container>',
    "50%/book.opf": `<package><item id="a" href="${href}"/><itemref idref="a"/></package>`,
    [`50%/${file}`]: "<p>It dawned.</p>",
  });
  expect(textOfBook(book)).toBe("It dawned.");
});

test("a chapter in another encoding is read as it declares", () => {
  const book = zipSync({
    "META-INF/container.xml": strToU8('<container><rootfile full-path="book.opf"/></container>'),
    "book.opf": strToU8('<package><item id="a" href="a.html"/><itemref idref="a"/></package>'),
    "a.html": Buffer.from('<?xml version="1.0" encoding="gbk"?><p>\xc4\xe3</p>', "latin1"),
  });
  expect(textOfBook(book)).toBe("你");
});
