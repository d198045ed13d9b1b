/** A month is one word, however it is written: "in March", "三月", "3月" and the file 2026-03.md meet in `month-03`. */
/** A year as people name it. */
export const YEAR_WORD = /^(?:19|20)\d{2}$/;
/** A month or a year that is asked for raises what is of it as much as a word that one of twelve texts has. */
export const DATE_WEIGHT = Math.log(12);

const NAMES = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const HAN_NUMBERS = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"];

/** "May" and "march" are also other words: a short name, and "may", only count where a day or a preposition is beside it. */
const ENGLISH =
  /\b(january|february|march|april|june|july|august|september|october|november|december)\b|\b(?:in|since|until|during|early|mid|late|last)\s+(may|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|\b(may|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\s+\d/g;
const CHINESE = /(十[一二]?|[一二三四五六七八九]|(?<!\d)(?:1[0-2]|0?[1-9]))\s*月/g;
const ISO = /(?<!\d)\d{4}-(0[1-9]|1[0-2])(?!\d)/g;

/** The months that `text`, in lower case, speaks of: `month-03`. */
export function monthsIn(text: string): string[] {
  const english = [...text.matchAll(ENGLISH)].map(
    ([, long, after, before]) => NAMES.indexOf((long ?? after ?? before ?? "").slice(0, 3)) + 1,
  );
  const chinese = [...text.matchAll(CHINESE)].map(
    ([, number = ""]) => HAN_NUMBERS.indexOf(number) + 1 || Number(number),
  );
  const iso = [...text.matchAll(ISO)].map(([, number]) => Number(number));
  return [...english, ...chinese, ...iso].map((number) => `month-${String(number).padStart(2, "0")}`);
}
