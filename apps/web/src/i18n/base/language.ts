/** Which language the page speaks on this browser, chosen when it is loaded. */

import { store } from "../../storage/storage.ts";

/** `auto`: that of the browser. */
export const LANGUAGES = ["auto", "en", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Where the reader's choice is kept. */
const LANGUAGE_KEY = "mimikit.language";

/** The choice of the reader for this browser. */
export function languageNow(): Language {
  return LANGUAGES.find((one) => one === localStorage.getItem(LANGUAGE_KEY)) ?? "auto";
}

/** Keeps the choice, and loads the page again where it is another. */
export function chooseLanguage(language: Language): void {
  if (language === languageNow()) return;
  store(LANGUAGE_KEY, language === "auto" ? undefined : language);
  location.reload();
}

function spoken(): "en" | "zh" {
  const chosen = languageNow();
  if (chosen !== "auto") return chosen;
  return navigator.language.startsWith("zh") ? "zh" : "en";
}

/** That of all words of the page: Chinese where it was chosen or the browser asks for it, or else English. */
export const language = spoken();

/**
 * A part of the page's words in its language; that of the other is not loaded. Chinese must say all that English says.
 * @throws what the import throws: the part that asked for its words cannot be loaded then
 */
export function part<T>(texts: { en: () => Promise<T>; zh: () => Promise<NoInfer<T>> }): Promise<T> {
  return texts[language]();
}
