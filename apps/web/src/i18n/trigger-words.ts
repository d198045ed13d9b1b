/** The words of the triggers, in the language of the page; they are loaded with the first of them. */
import { part } from "./base/language.ts";

export const { triggerWords } = await part({
  en: () => import("./en/triggers.ts"),
  zh: () => import("./zh/triggers.ts"),
});
