/** Finds English on a page that is in Chinese. */

const WORD = "[A-Za-z][A-Za-z'’]*";
/** Three words in a row: names have one or two. */
const SENTENCE = new RegExp(`\\b${WORD}(?:[ ,;:]+${WORD}){2,}`, "g");
/** They are typed as they stand, whatever the language. */
const COMMAND = /(?:sudo |npx )?(?:mimikit|npm|apt-get)(?: +(?:--?)?[\w.@/-]+)*/g;

/** The runs of three or more Latin words in a text, commands apart. @param names that are in no language. */
export function englishIn(text: string, names: readonly string[] = []): string[] {
  const rest = names.reduce((now, name) => now.replaceAll(name, "·"), text.replace(COMMAND, "·"));
  return rest.match(SENTENCE) ?? [];
}
