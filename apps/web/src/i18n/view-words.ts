/** The words of the views and of the palette, in the language of the page; they are loaded with the first of them. */
export { TARGETS } from "@mimikit/protocol/base/kind";

import { part } from "./base/language.ts";

export type { WeekdayIndex } from "./en/views.ts";

export const { viewWords, memoryWords, mcpWords } = await part({
  en: () => import("./en/views.ts"),
  zh: () => import("./zh/views.ts"),
});
