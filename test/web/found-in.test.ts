/** The searched words are marked where a reader would point at them, and are in the shown part of a long text. */
import { describe, expect, test } from "vitest";
import { piecesOf } from "../../apps/web/src/ui/found-in.ts";

/** The text as it is shown, with what is marked in brackets. */
const shown = (text: string, query: string) =>
  piecesOf(text, query)
    .map((piece) => (piece.isFound ? `[${piece.text}]` : piece.text))
    .join("");

describe("what was looked for", () => {
  test.each([
    ["in any case of its letters", "Tomatoes, tomatoes", "TOMATOES", "[Tomatoes], [tomatoes]"],
    ["in its other forms", "decided, deciding, a decision", "decide", "[decided], [deciding], a decision"],
    ["as the beginning of a word", "the deployment of deps", "deploy dep", "the [deployment] of [deps]"],
    ["as a part of an identifier", "sh water-beds.sh water_can", "watering", "sh [water]-beds.sh [water]_can"],
    ["in Chinese without spaces", "今天给番茄浇水", "番茄浇水", "今天给[番茄浇水]"],
    ["in Chinese by pairs where the whole is not there", "番茄要浇水", "番茄浇水", "[番茄]要[浇水]"],
    ["in a text of two languages", "部署 blue/green 到 Fly", "蓝绿部署 green", "[部署] blue/[green] 到 Fly"],
  ])("is marked %s", (_, text, query, expected) => {
    expect(shown(text, query)).toBe(expected);
  });

  test("is no single letter within words, and no word that says nothing", () => {
    expect(shown("I did think it is in", "what did I think about it")).toBe("I did [think] it is in");
    expect(shown("is it", "it is")).toBe("[is] [it]");
  });

  test("is no pattern, whatever is typed", () => {
    for (const query of ["(", "[a-z]+", ".*", "\\", "", " ", "<mark>"]) expect(shown("a (b) .*", query)).not.toBe("");
    expect(shown("abc", ".*")).toBe("abc");
  });

  test("is in what is shown of a long text, from a little before it on", () => {
    const far = `${"word ".repeat(100)}tomatoes ${"word ".repeat(100)}`;
    expect(shown(far, "tomato")).toMatch(/^….{60}\[tomatoes\]/);
    const lines = "one\ntwo\nthree\nfour\nthe tomatoes\nsix";
    expect(shown(lines, "tomato")).toBe("…the [tomatoes]\nsix");
    expect(shown(far, "potato")).toBe(far);
    expect(shown(`${"😀".repeat(150)}!tomatoes`, "tomato")).toBe(`…${"😀".repeat(29)}![tomatoes]`);
  });
});
