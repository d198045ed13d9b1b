/** Hostile inputs for parsers of foreign text: long runs, repeated pairs, deep nesting, beginnings without an end. */

const UNITS = [
  ..." \t\n\r#,.。!*_`~|[](){}<>&\"'\\/:;-=+?$%@^0aA一あé👩\u0301\u200d\u202e\u0000\ud83d",
  ...'\r\n|# |- |1. |> |![|](|[[|**a|_a_|``` |<!--|<!-- a|-->|<a |<a href="|</a>|<div>|&amp;|&#|{a: |a: b, |[a](b) |\\\\|$$a|\\(|{{a|${a:-'.split(
    "|",
  ),
  ..." at |,? at |every |run |then |、和|和周|每周一|model |\u001b[31m|\u001b]8;;|👩‍👩‍👧|e\u0301|中文 |a-1|../|2026-01-01 |a@b.c |http://a.b/ |*a|?a|{a,b}|**/|[a-z]|data: a\n\n".split(
    "|",
  ),
  "| a |\n|---|\n",
  '{"a":',
  "<M:tool ",
  '<M:read_file path="a"/>',
];
/** Texts before a run, and behind it so that a pattern fails at its end. */
const FRAMES: readonly (readonly [before: string, after: string])[] = [
  ["", ""],
  ["# remind me to x ", " y"],
  ["a: ", "\n\u0001"],
];

/** @param chars of each. Lone surrogates are among them. */
export function* hostileTexts(chars: number): Generator<{ name: string; text: string }> {
  for (const unit of new Set(UNITS))
    for (const [before, after] of FRAMES) {
      const count = Math.max(1, Math.floor((chars - before.length - after.length) / unit.length));
      yield { name: JSON.stringify([before, unit, count, after]), text: before + unit.repeat(count) + after };
    }
  for (const [open, close] of ["[]", "()", "{}", '""', "**", "<>"].map(
    (pair) => [pair.slice(0, 1), pair.slice(1)] as const,
  )) {
    const depth = Math.floor(chars / 2);
    yield { name: `${depth} levels of ${open}${close}`, text: open.repeat(depth) + close.repeat(depth) };
  }
  yield { name: "nested tags", text: "<b>".repeat(chars / 7) + "</b>".repeat(chars / 7) };
  yield { name: "nested quotations", text: `${"> ".repeat(chars / 2)}x` };
  yield {
    name: "nested lists",
    text: Array.from({ length: Math.sqrt(chars) }, (_, n) => `${" ".repeat(n)}- a`).join("\n"),
  };
  const anchors = Array.from({ length: 12 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(", ")}]`);
  yield { name: "aliases of aliases", text: `a0: &a0 x\n${anchors.join("\n")}` };
  yield {
    name: "random characters",
    text: Array.from({ length: chars }, (_, n) => UNITS[(n * 7919) % UNITS.length])
      .join("")
      .slice(0, chars),
  };
}
