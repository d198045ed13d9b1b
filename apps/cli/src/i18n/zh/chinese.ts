/** All that the commands say in Chinese; loaded for readers of Chinese alone. */

import { chineseOf } from "@mimikit/protocol/texts/chinese";
import { chineseDescription } from "@mimikit/protocol/texts/chinese-settings";
import { codeOf } from "@mimikit/protocol/texts/coded";
import { CHECKS } from "./checks.ts";
import { conditionInChinese } from "./conditions.ts";
import { CONNECTING } from "./connecting.ts";
import { EVERYDAY } from "./everyday.ts";
import { EXAMPLES } from "./examples.ts";
import { MISTAKES } from "./mistakes.ts";
import { NAMES } from "./names.ts";
import { OTHERS } from "./others.ts";
import { REASONS } from "./reasons.ts";
import { RECIPES } from "./recipes.ts";
import { formInChinese, SENTENCES } from "./sentences.ts";
import { SUMMARIES } from "./summaries.ts";
import { TABLES } from "./tables.ts";
import { TRIALS } from "./trials.ts";

export { chineseDescription, conditionInChinese, NAMES };

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
  ...REASONS,
  ...RECIPES,
  ...TRIALS,
};

/** The Chinese of a sentence that another part has made. @returns undefined where it is none that is known. */
export function sentenceInChinese(sentence: string): string | undefined {
  const exact = SENTENCES[sentence] ?? NAMES[sentence];
  if (exact !== undefined) return exact;
  const code = codeOf(sentence);
  const told = code === undefined ? undefined : chineseOf(code, (at) => new Date(at).toLocaleString("zh-CN"));
  return told ?? formInChinese(sentence, sentenceInChinese);
}
