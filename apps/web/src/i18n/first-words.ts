/** The words of the first steps and of what is empty, in the language of the page; they are loaded with the first of them. */
import { part } from "./base/language.ts";

export const { firstWords } = await part({
  en: () => import("./en/first.ts"),
  zh: () => import("./zh/first.ts"),
});
