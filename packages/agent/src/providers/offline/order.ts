/** An order to run commands, written the way that parse.ts reads it: what was understood is what is said and passed on. */
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { codeSpan } from "./code-span.ts";
import type { Steps } from "./parse.ts";
import type { Words } from "./words.ts";

/** `` run `a` then `b` and `c` ``. */
export function orderOf(steps: Steps, words: Words): string {
  const each = steps.map((step) => step.map(codeSpan).join(` ${words.and} `));
  return `${words.run} ${each.join(` ${words.next} `)}`;
}

/** An order as a title: short, and closed like a code span even where the command is cut. */
export function titleOf(steps: Steps, words: Words, charsMax: number): string {
  const order = orderOf(steps, words);
  if (order.length <= charsMax) return order;
  const first = steps[0]?.[0] ?? "";
  return `${words.run} ${codeSpan(`${beginningOf(first, Math.floor(charsMax / 2)).replaceAll("`", "'")}…`)}`;
}
