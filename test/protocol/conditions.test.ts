/** Conditions as rows: what their schemas, the page's form and their words make of the same row. */
import { ATOM_TYPES, type AtomType, type ConditionField, ROWS, saidOf } from "@mimikit/protocol/triggers/atoms";
import { type Atom, isPossible } from "@mimikit/protocol/triggers/condition";
import { Atom as AtomSchema } from "@mimikit/protocol/triggers/condition-schema";
import { expect, test } from "vitest";

const TEXTS = [
  "",
  " ",
  "src/a.ts",
  "/absolute",
  "a..b",
  "../a",
  "a/..",
  "a\0b",
  "x".repeat(1_024),
  "x".repeat(1_025),
  "x".repeat(4_000),
  "x".repeat(4_001),
  "t-000001.0",
  "T 1",
  "00:00",
  "22:30",
  "24:00",
  "9:00",
  "2026-12-01T09:00:00Z",
  "2026-12-01T09:00:00.5+08:00",
  "2026-12-01T09:00:00",
  "2026-12-01T09:00Z",
  "2026-02-29T09:00:00Z",
  "2028-02-29T09:00:00Z",
  "UTC",
  "Asia/Shanghai",
  "Nowhere/Land",
];
const VALUES: Record<ConditionField["kind"], readonly unknown[]> = {
  path: TEXTS,
  task: TEXTS,
  question: TEXTS,
  bound: TEXTS,
  zone: TEXTS,
  flag: [true, false],
  weekdays: [[], ["mon"], ["sat", "sun"]],
  count: [-1, 0, 1.5, 3, 2 ** 60],
};
const RIGHT: Record<ConditionField["kind"], unknown> = {
  path: "src/a.ts",
  task: "t-000001.0",
  question: "is it raining?",
  bound: "22:30",
  zone: "UTC",
  flag: true,
  weekdays: ["mon"],
  count: 3,
};

/** Every part of what it can hold is there, or not, and each field holds each value once. */
function atomsOf(type: AtomType): Atom[] {
  const fields = Object.entries(ROWS[type].fields);
  const whole = Object.fromEntries(fields.map(([name, { kind }]) => [name, RIGHT[kind]]));
  const bare = Object.fromEntries(fields.filter(([, each]) => !each.isOptional).map(([name]) => [name, whole[name]]));
  const changed = fields.flatMap(([name, { kind }]) =>
    [undefined, ...VALUES[kind]].flatMap((value) => [
      { ...whole, [name]: value },
      { ...bare, [name]: value },
    ]),
  );
  return [whole, bare, ...changed].map((params) => ({ type, params }) as Atom);
}

test.each(ATOM_TYPES)("%s: the form takes what the schema takes, and nothing else", (type) => {
  for (const atom of atomsOf(type)) {
    expect(isPossible(atom), JSON.stringify(atom)).toBe(AtomSchema.safeParse(atom).success);
  }
});

test.each(ATOM_TYPES)("%s is said with all that it must hold, and otherwise where it is not so", (type) => {
  const { fields, en } = ROWS[type];
  const params = Object.fromEntries(Object.keys(fields).map((name) => [name, `<${name}>`]));
  const [isSo, isNot] = en(saidOf({ type, params }, (_, value) => String(value)));
  expect(isNot).not.toBe(isSo);
  for (const [name, { isOptional }] of Object.entries(fields))
    if (!isOptional) for (const sentence of [isSo, isNot]) expect(sentence).toContain(`<${name}>`);
});
