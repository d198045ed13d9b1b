/** The words of the cards and of the list of used memories, in the language of the page; they are loaded with the first of them. */
import { part } from "./base/language.ts";

export const { cardWords, usedWords } = await part({
  en: () => import("./en/cards.ts"),
  zh: () => import("./zh/cards.ts"),
});
