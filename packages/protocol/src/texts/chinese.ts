/** Puts the sentences of the gateway into Chinese as its answers are read. It is loaded for readers of Chinese alone. */

import { CHINESE_TEXTS, CHINESE_WORDS } from "./chinese-table.ts";
import type { Coded, Codes } from "./coded.ts";

const PARAMETER = /\{(\w+)\}/g;
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** How the page says an ISO moment. */
type TellMoment = (at: string) => string;

/** @returns undefined for a code that only a newer gateway knows: its English is what there is. */
export function chineseOf({ code, params }: Coded, tell: TellMoment): string | undefined {
  const template = (CHINESE_TEXTS as Record<string, string | undefined>)[code];
  return template?.replace(PARAMETER, (_whole, name: string) => {
    const value = params[name] ?? "";
    if (typeof value !== "string") return chineseOf(value, tell) ?? "";
    if (MOMENT.test(value)) return tell(value);
    return CHINESE_WORDS[name]?.[value] ?? value;
  });
}

/** A reviver of `JSON.parse`: the sentences that have codes are in Chinese then. */
export function inChinese(tell: TellMoment): (key: string, value: unknown) => unknown {
  return (_key, value) => {
    if (value === null || typeof value !== "object" || !("coded" in value)) return value;
    for (const [place, coded] of Object.entries(value.coded as Codes))
      put(value, place.split("/"), chineseOf(coded, tell));
    return value;
  };
}

function put(into: unknown, [name = "", ...rest]: readonly string[], text: string | undefined): void {
  if (into === null || typeof into !== "object" || text === undefined) return;
  const table = into as Record<string, unknown>;
  if (rest.length > 0) put(table[name], rest, text);
  else if (typeof table[name] === "string") table[name] = text;
}
