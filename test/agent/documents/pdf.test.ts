/** PDF files as reports and statements of East Asia are: fonts that name a character map and contain none. */
import { expect, test } from "vitest";
import { textOfPdf } from "../../../packages/agent/src/documents/pdf.ts";
import { cjk, LATIN, pdfOf } from "../../support/pdf.ts";

const utf16 = (text: string) => Buffer.from(text, "utf16le").swap16().toString("hex");

const TEXTS: readonly (readonly [encoding: string, collection: string, codes: string, text: string])[] = [
  ["UniGB-UCS2-H", "GB1", utf16("你好合同"), "你好合同"],
  ["UniGB-UTF16-H", "GB1", utf16("你好，2026"), "你好，2026"],
  ["GBK-EUC-H", "GB1", "c4e3bac3bacfcdac", "你好合同"],
  ["GBKp-EUC-H", "GB1", "c4e3bac3413132", "你好A12"],
  ["GB-EUC-H", "GB1", "c4e3bac3", "你好"],
  ["GBK2K-H", "GB1", "c4e3bac3", "你好"],
  ["Identity-H", "GB1", "0e2a", "套"],
  ["UniJIS-UCS2-H", "Japan1", utf16("日本語テスト"), "日本語テスト"],
  ["UniJIS-UTF16-H", "Japan1", utf16("請求書"), "請求書"],
  ["90ms-RKSJ-H", "Japan1", "93fa967b8cea8365b1", "日本語テｱ"],
  ["90msp-RKSJ-H", "Japan1", "93fa967b8cea41", "日本語A"],
  ["EUC-H", "Japan1", "c6fccbdcb8ec", "日本語"],
  ["H", "Japan1", "467c4b5c386c", "日本語"],
  ["UniCNS-UCS2-H", "CNS1", utf16("繁體中文"), "繁體中文"],
  ["ETen-B5-H", "CNS1", "a741a66e", "你好"],
  ["UniKS-UCS2-H", "Korea1", utf16("안녕하세요"), "안녕하세요"],
  ["KSCms-UHC-H", "Korea1", "bec8b3e7", "안녕"],
];

test("text in the character maps of China, Japan and Korea is read", async () => {
  const pages = TEXTS.map(([encoding, collection, codes]) => cjk(encoding, collection, codes));
  const read = (await textOfPdf(pdfOf([...pages, LATIN]))).split("\n\n");
  expect(read.map((page) => page.replace(/^Page \d+\n/, ""))).toEqual([...TEXTS.map(([, , , text]) => text), "Hello"]);
});

test("text that runs from top to bottom is read", async () => {
  const text = await textOfPdf(pdfOf([cjk("UniGB-UCS2-V", "GB1", utf16("你好"))]));
  expect(text.replace(/\s+/g, "")).toBe("Page1你好");
});

test("a font that cannot be read is the reason, and no page is a picture for it", async () => {
  const unknown = cjk("No-Such-Map-H", "GB1", "c4e3");
  await expect(textOfPdf(pdfOf([unknown]))).rejects.toThrow(
    "its text cannot be read: a font in it has an encoding that is not known",
  );
  expect(await textOfPdf(pdfOf([LATIN, unknown]))).toBe(
    "Page 1\nHello\n\nPage 2\n[this page cannot be read, or not all of it: a font in it has an encoding that is not known]",
  );
});

test("a bad page costs that page alone", async () => {
  expect(await textOfPdf(pdfOf([LATIN, LATIN, LATIN], 2))).toBe(
    "Page 1\nHello\n\nPage 2\n[this page cannot be read, or not all of it: it is damaged]\n\nPage 3\nHello",
  );
});

test("pages without text are pictures, and a file that is none is damaged", async () => {
  await expect(textOfPdf(pdfOf([{ ...LATIN, codes: "" }]))).rejects.toThrow("it has no text: its pages are pictures");
  await expect(textOfPdf(new Uint8Array(Buffer.from("%PDF-1.4\nnothing")))).rejects.toThrow("the PDF is damaged");
});
