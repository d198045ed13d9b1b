/** The words for what a model may do without asking, in the language of the page; they are loaded with the first of them. */
import { part } from "./base/language.ts";

export const { autonomyWords } = await part({
  en: () => import("./en/autonomy.ts"),
  zh: () => import("./zh/autonomy.ts"),
});
