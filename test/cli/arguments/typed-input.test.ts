import { MESSAGE_CHARS_MAX } from "@mimikit/protocol/base/fields";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Pastes, withBreaks } from "../../../apps/cli/src/arguments/typed-input.ts";

const SENT = "a\u001b[200~one\r\ntwo\u0003\tthree 行\r\u001b[201~b\r\u001b\rc\u001b[A";
const TYPED = "a" + "one␤two  three 行␤" + "b\r␤c\u001b[A";

test("a paste is one line with signs for its breaks, and the keys in it do nothing", () => {
  expect(new Pastes().typedOf(SENT)).toBe(TYPED);
  expect(withBreaks("one␤two")).toBe("one\ntwo");
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

test("a paste is taken up to the bound of a message, and where its end is lost Ctrl-C is a key again", () => {
  const pastes = new Pastes();
  expect(new Pastes().typedOf(`\u001b[200~${"😀".repeat(MESSAGE_CHARS_MAX)}\u001b[201~`)).toBe(
    "😀".repeat(MESSAGE_CHARS_MAX),
  );
  const begun = pastes.typedOf(`\u001b[200~${"a".repeat(MESSAGE_CHARS_MAX + 10)}`);
  expect(begun).toHaveLength(MESSAGE_CHARS_MAX);
  expect(pastes.typedOf("/clear\r")).toBe("");
  expect(pastes.typedOf("\u0003")).toBe("\u0003");
  expect(pastes.typedOf("b\r")).toBe("b\r");
});
