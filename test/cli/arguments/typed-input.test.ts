import fc from "fast-check";
import { expect, test } from "vitest";
import { Pastes, withBreaks } from "../../../apps/cli/src/arguments/typed-input.ts";

const SENT = "a\u001b[200~one\r\ntwo\u0003\tthree 行\r\u001b[201~b\r\u001b\rc\u001b[A";
const TYPED = "a" + "one␤two␉three 行␤" + "b\r␤c\u001b[A";

test("a paste is one line with signs for its breaks, and the keys in it do nothing", () => {
  expect(new Pastes().typedOf(SENT)).toBe(TYPED);
  expect(withBreaks("one␤two␉three")).toBe("one\ntwo\tthree");
});

test("wherever the terminal cuts what it sends, a paste stays a paste", () => {
  // A key is sent whole: only marks and what stands between them come in pieces.
  const [from, to] = [SENT.indexOf("\u001b[2") + "\u001b[2".length, SENT.indexOf("b\r")];
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: from, max: to }), { maxLength: 8 }), (cuts) => {
      const pastes = new Pastes();
      const edges = [0, ...cuts.sort((a, b) => a - b), SENT.length];
      const typed = edges.slice(1).map((end, i) => pastes.typedOf(SENT.slice(edges[i], end)));
      expect(typed.join("")).toBe(TYPED);
    }),
  );
});

test("Escape alone is a key, and is not waited upon", () => {
  expect(new Pastes().typedOf("\u001b")).toBe("\u001b");
});

const paste = (text: string) => `\u001b[200~${text}\u001b[201~`;

test("a long paste stands in the line as a few words, and is meant whole, with its tabs", () => {
  const pastes = new Pastes();
  const long = "\tone [paste 2: 1 lines, 9 characters] ␤\r\n".repeat(20);
  const line = pastes.typedOf(`see ${paste(long)} and ${paste(`b${"😀".repeat(1_000)}`)}!`);
  expect(line).toBe("see [paste 1: 20 lines, 800 characters] and [paste 2: 1 lines, 2001 characters]!");
  const text = long.replaceAll("\r\n", "\n");
  expect(pastes.message(withBreaks(line))).toEqual({ text: `see ${text} and b${"😀".repeat(1_000)}!`, files: [] });
  expect(pastes.isCollapsed(line)).toBe(true);
  expect(pastes.isCollapsed("see")).toBe(false);
});

test("a paste that is too long for a message is a file, each byte of it; where files cannot go along it is the text", () => {
  const pastes = new Pastes();
  const long = "\t110,893 characters\n".repeat(5_000);
  const line = pastes.typedOf(`review ${paste(long)} twice: `) + pastes.typedOf(paste("short"));
  expect(pastes.message(line)).toEqual({
    text: "review [paste-1.txt] twice: short",
    files: [{ name: "paste-1", bytes: Buffer.from(long) }],
  });
  expect(pastes.expanded(line)).toBe(`review ${long} twice: short`);
});

test("where the end of a paste is lost, its text is shown, and Ctrl-C is a key again", () => {
  const pastes = new Pastes();
  expect(pastes.typedOf("\u001b[200~one\r")).toBe("");
  expect(pastes.isUnderWay).toBe(true);
  expect(pastes.typedOf("\u0003")).toBe("");
  expect(pastes.loseEnd()).toBe("one␤");
  expect(pastes.typedOf("/clear\r")).toBe("");
  expect(pastes.loseEnd()).toBe("/clear␤");
  expect(pastes.typedOf("\u0003")).toBe("\u0003");
  expect(pastes.typedOf("b\r")).toBe("b\r");
});
