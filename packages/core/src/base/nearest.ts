/** Suggests the known word that an unknown one probably meant. */

/** Letters that may be wrong: one in so many. */
const LETTERS_FOR_A_SLIP = 3;

/** The candidate that begins like the word, or differs from it by a slip or two; undefined where none does. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, slips: slipsBetween(word, candidate) }))
    .sort((a, b) => a.slips - b.slips);
  const [best] = ranked;
  if (best !== undefined && best.slips <= Math.ceil(word.length / LETTERS_FOR_A_SLIP)) return best.candidate;
  return word.length > 1 ? candidates.find((candidate) => candidate.startsWith(word)) : undefined;
}

/** So many names are told at most; where there are no more than that, all of them. */
const NAMES_MAX = 5;

/**
 * The names of models that are like `word`, the likest first. Vendors put a maker before a name and a date or a size behind
 * it, so that the beginning of a name, and that behind its slash, is compared too.
 */
export function namesLike(word: string, names: readonly string[]): string[] {
  if (names.length <= NAMES_MAX) return [...names];
  const wanted = lastPart(word).toLowerCase();
  const slips = (name: string) => {
    const own = lastPart(name).toLowerCase();
    return Math.min(slipsBetween(wanted, own), slipsBetween(wanted, own.slice(0, wanted.length)));
  };
  return names
    .map((name) => ({ name, slips: slips(name) }))
    .filter((each) => each.slips <= Math.ceil(wanted.length / LETTERS_FOR_A_SLIP))
    .sort((a, b) => a.slips - b.slips || a.name.length - b.name.length)
    .slice(0, NAMES_MAX)
    .map(({ name }) => name);
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** Letters that are wrong, missing, too many or swapped with the next. */
function slipsBetween(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const [above = 0, left = 0, across = 0] = [last[j], row[j - 1], last[j - 1]];
      const slips = Math.min(above + 1, left + 1, across + (isSame ? 0 : 1));
      row.push(isSwapped ? Math.min(slips, (before[j - 2] ?? slips) + 1) : slips);
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
