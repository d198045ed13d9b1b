/** The words of what stands behind the name of the model in the top line. */
import { part } from "./base/language.ts";

export const { overviewWords } = await part({
  en: () => import("./en/overview.ts"),
  zh: () => import("./zh/overview.ts"),
});
