/** Which option of a question a message chooses: by its number, its place or its text; any doubt is for a model. */
import { chosenOption } from "@mimikit/core/tasks/chosen-option";
import { describe, expect, test } from "vitest";

const FILES = ["Only the installers", "Everything older than a month", "Only holiday-video.mp4", "Nothing"];

describe("a message chooses an option", () => {
  test.each([
    ["2", 2],
    ["2.", 2],
    ["2)", 2],
    ["(2)", 2],
    ["#2", 2],
    [" 2 \n", 2],
    ["２", 2],
    ["②", 2],
    ["no. 2", 2],
    ["No 2", 2],
    ["option 2", 2],
    ["Option two", 2],
    ["number two please", 2],
    ["two", 2],
    ["2 please", 2],
    ["2nd", 2],
    ["second", 2],
    ["the second one", 2],
    ["The second one.", 2],
    ["ok then the second one", 2],
    ["OK, I'd go with the second one, thanks!", 2],
    ["yes, the first", 1],
    ["let's take the last one", 4],
    ["the last", 4],
    ["第二个", 2],
    ["第 2 个", 2],
    ["第2个", 2],
    ["第二項", 2],
    ["那就第二个吧", 2],
    ["好的，选第二个，谢谢", 2],
    ["选项二", 2],
    ["选2", 2],
    ["二", 2],
    ["最后一个", 4],
    ["nothing", 4],
    ["Nothing.", 4],
    ["“Nothing”", 4],
    ["only  the installers", 1],
    ["ok, only the installers please", 1],
    ["only holiday-video.mp4", 3],
  ])("%j", (said, number) => {
    expect(chosenOption(FILES, said)).toBe(FILES[number - 1]);
  });

  test("in Chinese by its text, with a filler around it", () => {
    expect(chosenOption(["删除", "保留"], "那就删除吧")).toBe("删除");
    expect(chosenOption(["删除", "保留"], "不删除")).toBeNull();
    expect(chosenOption(["可以", "不可以"], "可以")).toBe("可以");
    expect(chosenOption(["可以", "不可以"], "不可以")).toBe("不可以");
  });

  test("by its text before its number", () => {
    expect(chosenOption(["2", "4", "6"], "2")).toBe("2");
    expect(chosenOption(["yes", "no"], "Yes please")).toBe("yes");
    expect(chosenOption(["yes", "no"], "no")).toBe("no");
  });
});

describe("a message that could mean something else chooses none", () => {
  test.each([
    "",
    "0",
    "5",
    "11",
    "2 or 3",
    "1 and 2",
    "2 3",
    "2.5",
    "2:30",
    "-2 %",
    "2%",
    "€2",
    "2?",
    "the second one?",
    "not the second one",
    "the second one, but keep the photos",
    "anything but the first",
    "the first of May",
    "one second",
    "just a second",
    "I want one",
    "I'll take two",
    "two of them",
    "2 people",
    "2个",
    "两个",
    "一个",
    "两个都要",
    "不要第二个",
    "第二个是什么",
    "ok",
    "yes",
    "好的",
    "thanks",
    "dunno, whatever you think is tidier",
    "installers",
    "Only",
    `2 ${"please ".repeat(100)}`,
  ])("%j", (said) => {
    expect(chosenOption(FILES, said)).toBeNull();
  });

  test.each([
    [["4 people", "2 people"], "4"],
    [["2 people", "4 people"], "2"],
    [["two", "one"], "1"],
    [["in 2 days", "in 1 day"], "2"],
    [["the second of May", "the first of May"], "the second one"],
    [["the last week", "this week"], "the last one"],
    [["EU", "eu", "US"], "Eu"],
  ])("%j: %j", (options, said) => {
    expect(chosenOption(options, said)).toBeNull();
  });
});
