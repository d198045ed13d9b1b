/** Texts in the encodings that people's files have, read as they were meant and written back byte by byte. */
import { decodeText, readAs } from "@mimikit/store/text/decode-text";
import { encodeText, Unencodable } from "@mimikit/store/text/encode-text";
import { expect, test } from "vitest";

const bytes = (latin1: string) => Buffer.from(latin1, "latin1");

test.each([
  ["你好,1 of Excel in China", "gb18030", "\xc4\xe3\xba\xc3,1", "你好,1"],
  ["a word in German", "windows-1252", "Stra\xdfe;1", "Straße;1"],
  ["a word in French", "windows-1252", "caf\xe9", "café"],
  ["capitals in German", "windows-1252", "\xc4rger \xdcbung", "Ärger Übung"],
  ["quotation marks of Word", "windows-1252", "\x93don\x92t\x94 \x80 10", "“don’t” € 10"],
  ["a list in Japanese", "shift_jis", "\x90\xbf\x8b\x81\x8f\x91,1200\x89\x7e", "請求書,1200円"],
  ["traditional characters", "big5", "\xa7A\xa6n,1", "你好,1"],
  ["a word in Russian", "windows-1251", "\xcf\xf0\xe8\xe2\xe5\xf2", "Привет"],
  ["a word in Polish", "windows-1250", "\xa3\xf3d\x9f;1", "Łódź;1"],
])("%s is read as %s, and it is said to be a guess", (_what, encoding, raw, text) => {
  const decoded = decodeText(bytes(raw));
  expect(decoded).toEqual({ text, encoding, hasMark: false, isGuess: true });
  expect(decoded && readAs(decoded)).toBe(`read as ${encoding}, a guess`);
});

test.each([
  ["UTF-16LE", "\xff\xfea\0,\0\x60\x4f", "utf-16le", "a,你"],
  ["UTF-16BE", "\xfe\xff\0a\0,\x4f\x60", "utf-16be", "a,你"],
  ["UTF-8", "\xef\xbb\xbfa,\xe4\xbd\xa0", "utf-8", "a,你"],
])("a byte order mark of %s decides, and is no character of the text", (_name, raw, encoding, text) => {
  const decoded = decodeText(bytes(raw));
  expect(decoded).toEqual({ text, encoding, hasMark: true, isGuess: false });
  expect(decoded && encodeText(decoded.text, decoded)).toEqual(bytes(raw));
});

test("UTF-8 that ends within a character is UTF-8", () => {
  const whole = Buffer.from("你好世界");
  expect(decodeText(whole.subarray(0, 8))).toMatchObject({ encoding: "utf-8", text: "你好\ufffd" });
  expect(decodeText(whole.subarray(0, 8), { isBeginning: true })).toMatchObject({ encoding: "utf-8", text: "你好" });
});

test.each([
  ["a program", "\x7fELF\x02\x01\x01\x00\xe9"],
  ["control characters", "caf\xe9\x01\x02"],
  ["bytes that no script fits", "\xff\xff\xff"],
  ["half a character", "half a character \xc3"],
])("%s is no text", (_what, raw) => {
  expect(decodeText(bytes(raw))).toBeNull();
});

test.each([
  ["gb18030", "人人生而自由，在尊严和权利上一律平等。\r\n€ 龘 ḿ 😀"],
  ["big5", "人人生而自由，在尊嚴和權利上一律平等。"],
  ["shift_jis", "すべての人間は、生まれながらにして自由であり、ﾃｽﾄ"],
  ["windows-1251", "Все люди рождаются свободными и равными"],
  ["windows-1252", "“Größe” – déjà vu €"],
  ["windows-1253", "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι"],
  ["windows-1255", "כל בני אדם נולדו בני חורין ושווים בערכם ובזכויותיהם"],
  ["windows-1256", "يولد جميع الناس أحرارا متساوين في الكرامة"],
])("text in %s is written as it is read", (encoding, text) => {
  const written = encodeText(text, { encoding, hasMark: false });
  expect(new TextDecoder(encoding, { fatal: true }).decode(written)).toBe(text);
  expect(decodeText(written)).toMatchObject({ encoding, text });
});

test("every byte of a code page is written as it was", () => {
  for (const encoding of ["windows-1252", "windows-1251"])
    for (let byte = 0; byte < 256; byte++) {
      const text = new TextDecoder(encoding).decode(Uint8Array.of(byte));
      if (text !== "\ufffd") expect([...encodeText(text, { encoding, hasMark: false })]).toEqual([byte]);
    }
});

test("a character that an encoding does not have is named", () => {
  expect(() => encodeText("a😀", { encoding: "windows-1252", hasMark: false })).toThrow(Unencodable);
  expect(() => encodeText("a你", { encoding: "windows-1252", hasMark: false })).toThrow(
    '"你" cannot be written in windows-1252',
  );
});
