/** Numbers of a workbook that are dates, times and durations, as a spreadsheet shows them. */
import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { textOfSheets } from "../../../packages/agent/src/documents/sheets.ts";

/** The text of a cell. @param format the number of a known format, or the code of an own one. */
function cell(value: string, format: number | string, is1904 = false): string {
  const own = typeof format === "string" ? `<numFmt numFmtId="164" formatCode="${format}"/>` : "";
  const files = {
    "xl/workbook.xml": `<workbook><workbookPr date1904="${is1904 ? 1 : 0}"/><sheet name="a" r:id="r1"/></workbook>`,
    "xl/_rels/workbook.xml.rels": '<r><Relationship Id="r1" Target="worksheets/sheet1.xml"/></r>',
    "xl/styles.xml": `<s>${own}<cellXfs><xf numFmtId="${typeof format === "string" ? 164 : format}"/></cellXfs></s>`,
    "xl/worksheets/sheet1.xml": `<row><c r="A1" s="0"><v>${value}</v></c></row>`,
  };
  const zipped = zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
  return textOfSheets(zipped).replace("Sheet: a\n", "");
}

test.each([
  ["1.5", 46, "36:00:00"],
  ["1.5", "[h]:mm", "36:00:00"],
  ["1.5", "[hh]:mm:ss;@", "36:00:00"],
  ["0.0625", "[m]:ss", "01:30:00"],
  ["0.000011574", "[ss].00", "00:00:01"],
  ["-0.5", "[h]:mm:ss", "-12:00:00"],
  ["0", "[h]:mm:ss", "00:00:00"],
  ["41.75", "[Red][h]:mm", "1002:00:00"],
])("%s in the format %s is the duration %s", (value, format, text) => {
  expect(cell(value, format)).toBe(text);
  expect(cell(value, format, true)).toBe(text);
});

test.each([
  ["1", 14, "1900-01-01"],
  ["59", 14, "1900-02-28"],
  ["60", 14, "1900-02-29"],
  ["61", 14, "1900-03-01"],
  ["1.5", "yyyy-mm-dd hh:mm", "1900-01-01 12:00:00"],
  ["46348", 14, "2026-11-22"],
  ["0.75", 20, "18:00:00"],
  ["46348.75", 22, "2026-11-22 18:00:00"],
  ["46348", "[$-409]d. mmmm yyyy", "2026-11-22"],
  ["46348", "[Red]0.00", "46348"],
  ["46348", '"h"0', "46348"],
])("%s in the format %s is %s", (value, format, text) => {
  expect(cell(value, format.toString().includes('"') ? String(format).replaceAll('"', "&quot;") : format)).toBe(text);
});

test.each([
  ["0.75", 20, "18:00:00"],
  ["1", 14, "1904-01-02"],
  ["44886.5", 22, "2026-11-22 12:00:00"],
])("%s in the format %s of a workbook that counts from 1904 is %s", (value, format, text) => {
  expect(cell(value, format, true)).toBe(text);
});
