/** All that the commands say in Chinese; loaded for readers of Chinese alone. */
import { chineseOf } from "@mimikit/protocol/texts/chinese";
import { codeOf } from "@mimikit/protocol/texts/coded";
import { CHECKS } from "./checks.ts";
import { CONNECTING } from "./connecting.ts";
import { EVERYDAY } from "./everyday.ts";
import { EXAMPLES } from "./examples.ts";
import { MISTAKES } from "./mistakes.ts";
import { OTHERS } from "./others.ts";
import { SUMMARIES } from "./summaries.ts";
import { TABLES } from "./tables.ts";

/** The Chinese of each text of this program, by its English. */
export const TEXTS: Readonly<Record<string, string | undefined>> = {
  ...SUMMARIES,
  ...EXAMPLES,
  ...TABLES,
  ...MISTAKES,
  ...EVERYDAY,
  ...OTHERS,
  ...CHECKS,
  ...CONNECTING,
};

/** The Chinese of a sentence that all programs share. @returns undefined where it is none of them. */
export function sentenceInChinese(sentence: string): string | undefined {
  const code = codeOf(sentence);
  return code === undefined ? undefined : chineseOf(code, (at) => new Date(at).toLocaleString());
}
