/** Which messages are one follows from the messages alone: a delivery with more behind them finds the same. */
import { describe, expect, test } from "vitest";
import { Gathering, groupsOf, type MessageIn, merged } from "../../apps/channels/src/receive/groups.ts";

const LONG = "x".repeat(4_096);
let count = 0;

function said(more: Partial<MessageIn> = {}): MessageIn {
  const id = String(++count);
  const person = more.chat ?? "1";
  return {
    kind: "message",
    id,
    before: id,
    chat: "1",
    person,
    name: "Ada",
    isPrivate: true,
    text: `text ${id}`,
    files: [],
    atSec: 1_000,
    ...more,
  };
}

const photo = (album?: string, more: Partial<MessageIn> = {}) =>
  said({ text: "", files: [{ ref: `f${count + 1}` }], ...(album !== undefined && { album }), ...more });
const cut = (more: Partial<MessageIn> = {}) => said({ text: LONG, isLong: true, ...more });
const forward = (more: Partial<MessageIn> = {}) =>
  said({ text: "", quoted: [{ origin: "forwarded from Eve", text: "hello" }], isForwarded: true, ...more });

const KINDS: readonly (() => MessageIn)[] = [
  said,
  () => said({ text: "/stop" }),
  () => said({ replyTo: "7" }),
  () => said({ edits: "3" }),
  () => said({ atSec: 2_000 }),
  () => photo(),
  () => photo("a"),
  () => photo("b", { text: "caption" }),
  () => photo("b", { isForwarded: true, quoted: [{ origin: "forwarded from Eve", text: "" }] }),
  cut,
  () => cut({ chat: "2" }),
  forward,
  () => said({ chat: "2" }),
];

/** A generator of numbers below `max`, the same for a seed. */
function numbers(seed: number): (max: number) => number {
  let state = seed;
  return (max) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * max);
  };
}

const idsOf = (groups: readonly (readonly { id: string }[])[]) => groups.map((group) => group.map(({ id }) => id));

test.each([1, 2, 3, 4, 5, 6, 7, 8])("a longer delivery changes no group but by adding to its end (seed %i)", (seed) => {
  const next = numbers(seed);
  const all = Array.from({ length: 40 }, () => (KINDS[next(KINDS.length)] ?? said)());
  for (let length = 1; length < all.length; length++) {
    const [before, after] = [idsOf(groupsOf(all.slice(0, length))), idsOf(groupsOf(all.slice(0, length + 1)))];
    for (const [k, group] of before.entries()) expect(after[k]?.slice(0, group.length)).toEqual(group);
    expect(after.flat()).toHaveLength(length + 1);
  }
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  "whatever is confirmed, each message is taken, and in one group alone (seed %i)",
  (seed) => {
    const next = numbers(seed);
    const all = Array.from({ length: 60 }, () => (KINDS[next(KINDS.length)] ?? said)());
    const gathering = new Gathering();
    const taken = new Map<string, string>();
    let [confirmed, arrived, nowMs] = [0, 0, 0];
    while (confirmed < all.length) {
      arrived = Math.min(all.length, arrived + next(4));
      nowMs += next(2_000);
      const batch = all.slice(confirmed, Math.min(arrived, confirmed + 20));
      const { groups, held } = gathering.ready(batch, batch.length === 20, nowMs);
      for (const [first, ...rest] of groups)
        for (const each of [first, ...rest]) {
          // Delivered again, a message is part of what it was part of.
          expect(taken.get(each.id) ?? first.id, each.id).toBe(first.id);
          taken.set(each.id, first.id);
        }
      confirmed = held === undefined ? confirmed + batch.length : all.indexOf(held as MessageIn);
    }
    expect(taken.size).toBe(all.length);
  },
);

describe("together are", () => {
  test.each<[what: string, messages: () => MessageIn[], count: number]>([
    [
      "the pictures of an album, past a message in another chat",
      () => [photo("a"), said({ chat: "2" }), photo("a")],
      2,
    ],
    ["no pictures of two albums", () => [photo("a"), photo("b")], 2],
    ["at most ten pictures", () => Array.from({ length: 11 }, () => photo("a")), 2],
    ["the parts of a text", () => [cut(), cut(), said()], 1],
    ["no texts of which the first is short", () => [said(), said()], 2],
    ["no texts of which the second came later", () => [cut(), said({ atSec: 1_100 })], 2],
    ["no text and a reply to something else", () => [cut(), said({ replyTo: "7" })], 2],
    ["no parts that are longer together than a message may be", () => Array.from({ length: 16 }, () => cut()), 2],
    ["a comment and all that is forwarded behind it", () => [said(), forward(), forward()], 1],
    ["no command and what is forwarded behind it", () => [said({ text: "/stop" }), forward()], 2],
    ["a forwarded message and one comment", () => [forward(), said(), said()], 2],
    ["no forwarded messages without a comment", () => [forward(), forward()], 2],
  ])("%s", (_, messages, groups) => {
    expect(groupsOf(messages())).toHaveLength(groups);
  });

  test("a text that was cut by force is joined without a break, and one that was cut at a line with one", () => {
    expect(merged([cut(), said({ text: "y" })]).text).toBe(`${LONG}y`);
    const line = "x".repeat(3_900);
    expect(merged([cut({ text: line }), said({ text: "y" })]).text).toBe(`${line}\ny`);
  });

  test("a comment and a forwarded album, with its origin once", () => {
    const quoted = [{ origin: "forwarded from Eve", text: "" }];
    const album = () => photo("a", { isForwarded: true, quoted });
    const [group] = groupsOf([said({ text: "look" }), album(), album()]);
    const message = merged(group as readonly [MessageIn, ...MessageIn[]]);
    expect(message).toMatchObject({ text: "look", quoted });
    expect(message.files).toHaveLength(2);
  });
});
