import { simplify } from "./simplify.ts";

/** A text as it is searched: in lower case, `ＡＢＣ` is `abc`, and `臺灣` is `台湾`. */
export function fold(text: string): string {
  const folded = simplify(text.normalize("NFKC").toLowerCase());
  // Most of what is said in Chinese is as it was: then it is kept once.
  return folded === text ? text : folded;
}
