/** Draws formulas with KaTeX, loaded when there is one. Text that is no formula stays as it was written. */
import katex, { type KatexOptions } from "katex";
import "katex/dist/katex.min.css";

/** A longer formula is shown as it was written. */
const FORMULA_CHARS_MAX = 4_000;
/** So is one that defines what it says: a short definition can stand for a text without end. */
const DEFINITION = /\\(?:[egx]?def|let|futurelet|global|long|(?:re)?newcommand|providecommand)(?![a-zA-Z])/;
/** So is one that opens a hundred groups in each other: how deep the stack is, the browser decides. */
const NESTED = /(?:\{[^{}]*){100}/;
/** Of the names that KaTeX itself expands. */
const EXPANSIONS_MAX = 1_000;
/** Of what says its own size, in em: `\rule{99999em}{99999em}` covers nothing. */
const SIZE_EM_MAX = 20;

const OPTIONS: KatexOptions = {
  throwOnError: true,
  // No links, no pictures, no classes or styles of the text's own.
  trust: false,
  strict: false,
  maxExpand: EXPANSIONS_MAX,
  maxSize: SIZE_EM_MAX,
};

/** Puts the formula that a piece of code holds in its place, as MathML for who listens and drawn for who looks. */
export function drawFormula(code: HTMLElement): void {
  const source = code.textContent;
  if (source.length > FORMULA_CHARS_MAX || DEFINITION.test(source) || NESTED.test(source)) return;
  const signs = source.startsWith("$") && !source.startsWith("$$") ? 1 : 2;
  const place = document.createElement("span");
  try {
    katex.render(source.slice(signs, -signs), place, {
      ...OPTIONS,
      displayMode: code.className === "math-display",
    });
  } catch (error) {
    // Beside what KaTeX says of a text that is no formula, nesting that is deeper than the stack: an error of any kind.
    if (error instanceof Error) return;
    throw error;
  }
  place.className = code.className;
  code.replaceWith(place);
}
