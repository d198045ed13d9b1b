/** Who answers, in words. */
import { PROVIDER_TITLES } from "@mimikit/protocol/base/provider";
import { words } from "./words.ts";

const TITLES: Readonly<Record<string, readonly [en: string, zh?: string]>> = PROVIDER_TITLES;

/** A provider as people know it; one that is not known any more by its name. */
export function providerTitle(name: string): string {
  const [en, zh = en] = TITLES[name] ?? [name];
  return words.language === "zh" ? zh : en;
}

/** Who answers, and who did so last where that was somebody else: a stand-in, or whom the settings named before. */
export function answererOf(name: string, last: string | undefined): string {
  const answerer = providerTitle(name);
  return last === undefined || last === name ? answerer : words.answeredLast(answerer, providerTitle(last));
}
