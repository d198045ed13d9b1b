/** The words of the bar of a demo, in the language of the page. */
import { part } from "../i18n/base/language.ts";

export const { demoWords } = await part({
  en: () => import("../i18n/en/demo.ts"),
  zh: () => import("../i18n/zh/demo.ts"),
});
