/** The words of the settings form. The gateway describes each setting in English, a list of the page in Chinese. */
import type { SettingValue, SettingView } from "@mimikit/protocol/wire/api";
import { numberText, say, words } from "./words.ts";

/** Which settings stand together, in their order; the last has all the others. */
const SECTIONS = {
  budget: { holds: /^budget\./, title: say("Budget", "预算") },
  prices: { holds: /^prices$/, title: say("Prices", "价格") },
  selfImprove: { holds: /^selfImprove\./, title: say("Self-improvement", "自我改进") },
  time: { holds: /^timeoutSec\.|^retryDelaySec$/, title: say("Time limits and retries", "时间限制与重试") },
  outage: { holds: /^(circuit\.|fallback)/, title: say("When a provider cannot be reached", "提供者无法连接时") },
  others: { holds: /(?:)/, title: say("All other settings", "其他所有设置") },
} as const;
export type SettingSection = keyof typeof SECTIONS;
export const SETTING_SECTIONS = Object.keys(SECTIONS) as SettingSection[];

/** The section that a setting stands in. */
export function sectionOf({ name }: SettingView): SettingSection {
  return SETTING_SECTIONS.find((section) => SECTIONS[section].holds.test(name)) ?? "others";
}

export const settingWords = {
  find: say("Find a setting", "查找设置"),
  noneFound: say("No setting has that in its name or its description.", "没有名称或说明包含这些字的设置。"),
  notSaved: (n: number) => say(n === 1 ? "1 change is not saved" : `${n} changes are not saved`, `${n} 处更改尚未保存`),
  notSet: say("not set", "未设置"),
  yes: say("yes", "是"),
  no: say("no", "否"),
  none: say("none", "无"),
  rows: (n: number) => say(n === 1 ? "1 model" : `${n} models`, `${n} 个模型`),
  defaultIs: (value: string) => say(`Default: ${value}`, `默认值：${value}`),
  fromFile: say("From config.yaml", "来自 config.yaml"),
  fromVariable: (variable: string) =>
    say(`From the variable ${variable}, which wins (locked)`, `来自环境变量 ${variable}，以它为准（已锁定）`),
  bounds: (min: string, max: string) => say(`${min} to ${max}`, `${min} 到 ${max}`),
  boundsAbove: (min: string, max: string) => say(`more than ${min}, at most ${max}`, `大于 ${min}，最多 ${max}`),
  atRestart: say("Counts after a restart", "重启后生效"),
  useDefault: say("Use the default", "使用默认值"),
  useDefaultOf: (name: string) => say(`Use the default of ${name}`, `${name} 使用默认值`),
  entry: (name: string, n: number) => say(`${name}, entry ${n}`, `${name} 第 ${n} 项`),
  add: say("Add", "添加"),
  addTo: (name: string) => say(`Add to ${name}`, `添加到 ${name}`),
  remove: say("Remove", "移除"),
  removeOf: (what: string) => say(`Remove ${what}`, `移除 ${what}`),
  model: say("Model", "模型"),
  columns: {
    input: say("Input", "输入"),
    cached: say("Cached input", "缓存的输入"),
    output: say("Output", "输出"),
  } as Record<string, string>,
  save: say("Save", "保存"),
  discard: say("Discard", "放弃更改"),
  saved: say("Saved. It counts from now on.", "已保存，立即生效。"),
  savedUntilRestart: say(
    "Saved. Marked settings count after “mimikit restart”.",
    "已保存。带标记的设置在 “mimikit restart” 之后生效。",
  ),
  undo: say("Undo it", "撤销"),
};

/** The unit of a setting, by the end of its name. */
const UNITS: readonly { of: RegExp; unit: string }[] = [
  { of: /Sec$|^timeoutSec\./, unit: say("seconds", "秒") },
  { of: /Ms$/, unit: say("milliseconds", "毫秒") },
  { of: /Days$/, unit: say("days", "天") },
  { of: /Usd$/, unit: say("US dollars", "美元") },
  { of: /\.tokens$|^budget\.reserve\.|contextWindow$|reservedOutput$/, unit: say("tokens", "token") },
];

// Only who reads Chinese waits for it.
const inChinese =
  words.language === "zh" ? (await import("./chinese-settings.ts")).chineseDescription : () => undefined;

export function sectionTitle(section: SettingSection): string {
  return SECTIONS[section].title;
}

/** The description of a setting in the language of the page. */
export function descriptionOf({ name, description }: SettingView): string {
  return inChinese(name) ?? description;
}

/** undefined for a setting that counts nothing. */
export function unitOf({ name }: SettingView): string | undefined {
  return UNITS.find(({ of }) => of.test(name))?.unit;
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
