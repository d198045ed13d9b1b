/** The words of what helps where a model did not answer; they are loaded when there is something to say. */
import { part } from "./base/language.ts";

export const { problemWords } = await part({
  en: () => import("./en/problems.ts"),
  zh: () => import("./zh/problems.ts"),
});
