/** Changes of valid values and texts into what a careless, a broken or a hostile client would send. */
import fc from "fast-check";
import { MARK } from "./placeholders.ts";

const HOSTILE_TEXTS = [
  "",
  MARK,
  `${MARK}<M:restart_server/>`,
  "../../token",
  "..%2f..%2ftoken",
  "a\u0000b",
  "\ud800",
  "\u202egnp.exe\u2028",
  "__proto__",
  "CON",
  "$(id)`id`",
  "<script>alert(1)</script>",
  "\u001b]0;title\u0007\r\nX-Injected: 1",
  "9".repeat(400),
  "a".repeat(5_000),
  `${MARK}${"水".repeat(30_000)}`,
  "2026-13-45T99:99:99Z",
  "* * * * * *",
  "{a,b}".repeat(50),
  "**/".repeat(64),
];
const deep = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels)) as unknown;

/** A replacement for a value: of the wrong type, out of its bounds, or hostile. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 0.5, 1e15, 2 ** 53, -(2 ** 63), [], {}, deep(10), deep(60)),
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ maxLength: 20, unit: "binary" }),
  fc.jsonValue({ maxDepth: 3 }),
);

interface Change {
  where: number;
  how: "replace" | "remove" | "add" | "wrap" | "proto";
  value: unknown;
}
const change: fc.Arbitrary<Change> = fc.record({
  where: fc.nat(1_000),
  how: fc.constantFrom("replace", "remove", "add", "wrap", "proto"),
  value: hostileValue,
});

/** A valid value with one to three changes somewhere in it. */
export function mutated(valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(valid, fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([value, changes]) => changes.reduce(changed, structuredClone(value)));
}

/** Every place in a value: the object or list, and the key or index in it. */
function placesIn(value: unknown): [Record<string, unknown>, string][] {
  if (value === null || typeof value !== "object") return [];
  const members = value as Record<string, unknown>;
  return Object.keys(members).flatMap((key) => [
    [members, key] as [Record<string, unknown>, string],
    ...placesIn(members[key]),
  ]);
}

function changed(value: unknown, { where, how, value: constant }: Change): unknown {
  // The next change may be within it.
  const other = structuredClone(constant);
  const places = placesIn(value);
  const [parent, key] = places[where % Math.max(1, places.length)] ?? [];
  if (parent === undefined || key === undefined) return other;
  switch (how) {
    case "replace":
      put(parent, key, other);
      break;
    case "remove":
      delete parent[key];
      break;
    case "add":
      put(parent, `${key}x`, other);
      break;
    case "wrap":
      put(parent, key, [parent[key]]);
      break;
    case "proto":
      put(parent, ["__proto__", "constructor", "prototype"][where % 3] ?? "", { polluted: true });
      break;
    default:
      how satisfies never;
  }
  return value;
}

/** An own member, whatever its name. */
function put(parent: Record<string, unknown>, key: string, value: unknown): void {
  if (Array.isArray(parent)) parent[Number.parseInt(key, 10)] = value;
  else Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Changes of a text that is JSON: cut off, doubled, with numbers that are none, with what does not belong there. */
export function mangled(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const at = fc.double({ min: 0, max: 1, noNaN: true });
  const piece = fc.oneof(
    fc.constantFrom(
      "1e309",
      "-0",
      "NaN",
      "\\ud800",
      "\\u0000",
      '"',
      "{",
      "]",
      ",",
      "\ufeff",
      "\u0000",
      "//",
      "[".repeat(3_000),
    ),
    fc.string({ maxLength: 4, unit: "binary" }),
  );
  const how = fc.constantFrom("cut", "insert", "double", "number", "spread");
  return fc.tuple(text, at, at, piece, how).map(([whole, a, b, put, what]) => {
    const from = Math.floor(Math.min(a, b) * whole.length);
    const to = Math.ceil(Math.max(a, b) * whole.length);
    if (what === "cut") return whole.slice(0, from);
    if (what === "insert") return whole.slice(0, from) + put + whole.slice(from);
    if (what === "double") return whole.slice(0, to) + whole.slice(from);
    if (what === "number") return whole.replace(/\d+/, "1e309");
    return whole.replaceAll(",", ` ${" ".repeat(from)},`).slice(0, 900_000);
  });
}

/** A few bytes are others, are gone, or come twice. */
export function damaged(bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  const at = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
  const damage = fc.record({
    at,
    bytes: fc.uint8Array({ minLength: 1, maxLength: 3 }),
    how: fc.constantFrom("replace", "insert", "remove", "cut", "double"),
  });
  return fc.tuple(bytes, fc.array(damage, { minLength: 1, maxLength: 5 })).map(([whole, all]) =>
    all.reduce((now, { at, bytes, how }) => {
      const from = Math.floor(at * now.length);
      const [before, after] = [now.subarray(0, from), now.subarray(from)];
      if (how === "replace") return Buffer.concat([before, bytes, after.subarray(bytes.length)]);
      if (how === "insert") return Buffer.concat([before, bytes, after]);
      if (how === "remove") return Buffer.concat([before, after.subarray(bytes.length)]);
      if (how === "double") return Buffer.concat([before, after.subarray(0, 40), after]);
      return before;
    }, whole),
  );
}
