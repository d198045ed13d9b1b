/** Which language the page speaks on this browser. Its words are chosen when it is loaded. */
import { chosenLanguage, LANGUAGE_KEY } from "./words.ts";

/** `auto`: that of the browser. */
export const LANGUAGES = ["auto", "en", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];

/** What was chosen. */
export function languageNow(): Language {
  return LANGUAGES.find((one) => one === chosenLanguage()) ?? "auto";
}

/** Keeps the choice, and loads the page again where it is another. */
export function chooseLanguage(language: Language): void {
  if (language === languageNow()) return;
  if (language === "auto") localStorage.removeItem(LANGUAGE_KEY);
  else localStorage.setItem(LANGUAGE_KEY, language);
  location.reload();
}
