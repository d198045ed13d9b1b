import { headingOf } from "@mimikit/memory/text/heading";
import { splitUnits } from "@mimikit/memory/text/units";
import { describe, expect, test } from "vitest";

describe("a heading", () => {
  test.each([
    ["# Deploys", { level: 1, title: "Deploys" }],
    ["###   Rooms  ##  ", { level: 3, title: "Rooms" }],
    ["## C#", { level: 2, title: "C" }],
    ["## #tag and # more", { level: 2, title: "#tag and # more" }],
    ["# ##", { level: 1, title: "" }],
    ["#\ttab", { level: 1, title: "tab" }],
    ["#no space", null],
    ["####### seven", null],
    ["text # x", null],
  ])("%j is read as Markdown has it", (line, heading) => {
    expect(headingOf(line)).toEqual(heading);
  });

  test("of more than 1,000 characters is none, and what follows it is found all the same", () => {
    const long = `${"# ".repeat(20_000)}x`;
    expect(headingOf(long)).toBeNull();
    expect(splitUnits(`# Zebras\n${long}\n\nthey live here`).map(({ text }) => text)).toContain("they live here");
  });
});
