/** Characters as the limits of the schemas count them: code points, so that an emoji is one, though UTF-16 has two units for it. */

/** How many characters a text has. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Has a text more characters than `max`? A short one is not counted. */
export function isLongerThan(text: string, max: number): boolean {
  return text.length > max && countCharacters(text) > max;
}
