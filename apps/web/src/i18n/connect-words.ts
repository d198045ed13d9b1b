/** The words of the card that connects a model, and of the list of who answers in which order. */
import { part } from "./base/language.ts";

export const { connectWords } = await part({
  en: () => import("./en/connect.ts"),
  zh: () => import("./zh/connect.ts"),
});
