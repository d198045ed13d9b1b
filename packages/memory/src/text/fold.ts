/** A text as it is searched: in lower case, and `ＡＢＣ` is `abc`. */
export function fold(text: string): string {
  const folded = text.normalize("NFKC").toLowerCase();
  // Most of what is said in Chinese is as it was: then it is kept once.
  return folded === text ? text : folded;
}
