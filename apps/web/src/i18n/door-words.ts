/** The words before the conversation: whose browser this is, and whose state directory; loaded where one of the two is asked. */
import { part } from "./base/language.ts";

export const { doorWords } = await part({
  en: () => import("./en/doors.ts"),
  zh: () => import("./zh/doors.ts"),
});
