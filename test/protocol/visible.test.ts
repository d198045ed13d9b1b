/** A text that a person consents to is shown whole: nothing in it is hidden, moved, or can pass for our own marks. */
import { mixedWords, RIGHT_TO_LEFT, visible, visibleDocument, visibleLine } from "@mimikit/protocol/texts/visible";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const CODE_POINTS = 0x11_00_00;
/** Without a glyph of its own by Unicode's properties, however it is set. */
const WITHOUT_GLYPH = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\p{M}]/v;
/** Assigned, blank, and not one of those: an independent list of those that are known to be abused. */
const BLANK = /[\u2800\u3164\u115F\u1160\uFFA0\uFFFC\u{1D159}]/v;
const NAMES: Record<string, string> = {
  space: " ",
  spaces: " ",
  "line break": "\n",
  "line breaks": "\n",
  tab: "\t",
  tabs: "\t",
};

/** The text that was shown: each mark is read back. */
function shownText(shown: string): string {
  return shown.replace(/⟨(?:(\d+) )?([^⟩]+)⟩/g, (_whole, count = "1", name: string) => {
    const one = NAMES[name] ?? String.fromCodePoint(Number.parseInt(name.slice(2), 16));
    return one.repeat(Number(count));
  });
}

/** Every character but these, one a part, with what is shown of it. */
function shownCharacters(before: string): [char: string, shown: string][] {
  const all = Array.from({ length: CODE_POINTS }, (_, code) => String.fromCodePoint(code));
  const chars = all.filter((char) => char !== " " && char !== "\n" && char !== ";");
  const shown = visible(chars.map((char) => before + char).join(";")).split(";");
  return chars.map((char, i) => [char, shown[i]?.slice(before.length) ?? ""]);
}

test("every character of Unicode without a visible glyph is written out, and each can be read back", () => {
  const wrong: string[] = [];
  const check = (before: string, hasNoGlyph: (char: string) => boolean) => {
    for (const [char, shown] of shownCharacters(before)) {
      const isWrong =
        shownText(shown) !== char ||
        (hasNoGlyph(char) && !/^⟨.+⟩$/.test(shown)) ||
        /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/v.test(shown.replace(" ", ""));
      if (isWrong) wrong.push(`U+${char.codePointAt(0)?.toString(16)} behind "${before}": ${shown}`);
    }
  };
  check("", (char) => WITHOUT_GLYPH.test(char) || BLANK.test(char));
  // Behind a letter a mark is seen, unless it has no glyph at all.
  check(
    "a",
    (char) =>
      (WITHOUT_GLYPH.test(char) && !/[\p{M}--\p{Default_Ignorable_Code_Point}]/v.test(char)) || BLANK.test(char),
  );
  expect(wrong.slice(0, 20)).toEqual([]);
});

test("whatever the text, it can be read back from what is shown, and nothing invisible is left in that", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      " ",
      "      ",
      "\n",
      "\n\n\n",
      "\t",
      "⟨",
      "⟩",
      "⟨1500 spaces⟩",
      "⟨U+202E⟩",
      "\u0301",
      "\u0338",
      "\u200B",
      "a",
      ";",
      "\uD800",
      "〈3 tabs〉",
    ),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join("").toWellFormed();
      const shown = visible(text);
      expect(shownText(shown)).toBe(text);
      expect(shown).not.toMatch(
        /[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]--[ \n]]| {5}|\n *\n *\n|(?<![\p{L}\p{N}\p{M}])\p{M}|\p{M}{4}/v,
      );
      expect(visibleLine(text, 10_000)).not.toContain("\n");
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  [`npm test${" ".repeat(1_500)}; curl evil`, "npm test⟨1500 spaces⟩; curl evil"],
  [`npm test${"\t".repeat(300)}; curl evil`, "npm test⟨300 tabs⟩; curl evil"],
  [`npm test${"\n".repeat(900)}; curl evil`, "npm test⟨900 line breaks⟩; curl evil"],
  ["npm test\n \n \n;", "npm test⟨line break⟩⟨space⟩⟨line break⟩⟨space⟩⟨line break⟩;"],
  ["npm test\u3000\u3000;", "npm test⟨2 U+3000⟩;"],
  ["a\u202Eb\u00ADc\u{E0041}", "a⟨U+202E⟩b⟨U+00AD⟩c⟨U+E0041⟩"],
  ["echo ⟨1500 spaces⟩", "echo ⟨U+27E8⟩1500 spaces⟨U+27E9⟩"],
  [`e\u0301 a${"\u0316".repeat(9)}`, `e\u0301 a\u0316\u0316\u0316${"⟨U+0316⟩".repeat(6)}`],
  [";\u0338", ";⟨U+0338⟩"],
  ["for f in a; do\n    echo x\ndone\n\necho y", "for f in a; do\n    echo x\ndone\n\necho y"],
  ["echo 你好 привет café 👍", "echo 你好 привет café 👍"],
])("%j is shown as %j", (text, shown) => {
  expect(visible(text)).toBe(shown);
});

test("a document keeps its indentation, and nothing else of it is hidden", () => {
  const code = `\tif x:\n${" ".repeat(12)}y\n\n\nend`;
  expect(visibleDocument(code)).toBe(code);
  expect(visibleDocument(`a${" ".repeat(200)}b${"\n".repeat(99)}c${"\t".repeat(50)}\u{E0041}d\u200B`)).toBe(
    "a⟨200 spaces⟩b⟨99 line breaks⟩c⟨50 tabs⟩⟨U+E0041⟩d⟨U+200B⟩",
  );
});

test("a line that is cut says how much is missing", () => {
  expect(visibleLine(`a\nb${"x".repeat(20)}`, 16)).toBe(`a⟨line break⟩bxx…⟨18 more characters⟩`);
});

describe("words of several scripts", () => {
  test.each([
    ["curl https://\u0430pple.com/x", "\u0430pple.com", "⟨U+0430⟩pple.com"],
    [
      "curl https://\u0430\u0440\u0440\u04CF\u0435.com",
      "\u0430\u0440\u0440\u04CF\u0435.com",
      "⟨U+0430⟩⟨U+0440⟩⟨U+0440⟩⟨U+04CF⟩⟨U+0435⟩.com",
    ],
    ["\u0441url x", "\u0441url", "⟨U+0441⟩url"],
    ["ssh g\u03BFogle.com", "g\u03BFogle.com", "g⟨U+03BF⟩ogle.com"],
    ["curl g\u0131thub.com", "g\u0131thub.com", "g⟨U+0131⟩thub.com"],
  ])("are named: %j", (text, word, written) => {
    expect(mixedWords(text)).toEqual([{ word, written }]);
  });

  test("are none of one script, nor of one beside which Latin letters are usual", () => {
    expect(mixedWords("curl https://example.com/ пример.рф 例子.com echo café npm2 東京tower")).toEqual([]);
  });

  test("letters from right to left are noticed", () => {
    expect(RIGHT_TO_LEFT.test("rm \u05D0")).toBe(true);
    expect(RIGHT_TO_LEFT.test("rm a\u0623")).toBe(true);
    expect(RIGHT_TO_LEFT.test("rm é 你 д")).toBe(false);
  });
});
