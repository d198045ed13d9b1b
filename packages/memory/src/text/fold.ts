import { withoutAccents } from "./letters.ts";
import { simplify } from "./simplify.ts";

/** A text as it is searched: in lower case, `ＡＢＣ` is `abc`, `臺灣` is `台湾`, and `é` is `e`. */
export function fold(text: string): string {
  const folded = withoutAccents(simplify(text.normalize("NFKC").toLowerCase()));
  // Most of what is said in Chinese is as it was: then it is kept once.
  return folded === text ? text : folded;
}
