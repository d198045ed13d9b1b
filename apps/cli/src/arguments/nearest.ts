/** What was probably meant by a word that is none of those that there are. */

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
