/** The words of the settings form. The gateway describes each setting in English, a list of the page in Chinese. */
import type { SettingValue, SettingView } from "@mimikit/protocol/wire/api";
import { numberText } from "./base/format.ts";
import { language, part } from "./base/language.ts";

export const { settingWords } = await part({
  en: () => import("./en/settings.ts"),
  zh: () => import("./zh/settings.ts"),
});

/** Which settings stand together, in their order; the last has all the others. */
const SECTIONS = {
  budget: /^budget\./,
  prices: /^prices$/,
  selfImprove: /^selfImprove\./,
  time: /^timeoutSec\.|^retryDelaySec$/,
  outage: /^(circuit\.|fallback)/,
  others: /(?:)/,
} as const satisfies Record<keyof typeof settingWords.sections, RegExp>;
export type SettingSection = keyof typeof SECTIONS;
export const SETTING_SECTIONS = Object.keys(SECTIONS) as SettingSection[];

/** The section that a setting stands in. */
export function sectionOf({ name }: SettingView): SettingSection {
  return SETTING_SECTIONS.find((section) => SECTIONS[section].test(name)) ?? "others";
}

/** The unit of a setting, by the end of its name. */
const UNITS: readonly { of: RegExp; unit: keyof typeof settingWords.units }[] = [
  { of: /Sec$|^timeoutSec\./, unit: "seconds" },
  { of: /Ms$/, unit: "milliseconds" },
  { of: /Days$/, unit: "days" },
  { of: /Usd$/, unit: "dollars" },
  { of: /\.tokens$|^budget\.reserve\.|contextWindow$|^context\.|reservedOutput$/, unit: "tokens" },
];

// Only who reads Chinese waits for it.
const inChinese =
  language === "zh" ? (await import("@mimikit/protocol/texts/chinese-settings")).chineseDescription : () => undefined;

export function sectionTitle(section: SettingSection): string {
  return settingWords.sections[section];
}

/** The description of a setting in the language of the page. */
export function descriptionOf({ name, description }: SettingView): string {
  return inChinese(name) ?? description;
}

/** undefined for a setting that counts nothing. */
export function unitOf({ name }: SettingView): string | undefined {
  const row = UNITS.find(({ of }) => of.test(name));
  return row && settingWords.units[row.unit];
}

/** A value in a few words. */
export function valueText(value: SettingValue): string {
  if (value === null) return settingWords.notSet;
  if (typeof value === "boolean") return value ? settingWords.yes : settingWords.no;
  if (typeof value === "number") return numberText(value);
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.join(", ") || settingWords.none;
  const rows = Object.keys(value).length;
  return rows === 0 ? settingWords.none : settingWords.rows(rows);
}
