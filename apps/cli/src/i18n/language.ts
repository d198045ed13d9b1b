/**
 * The language in which the commands speak to people: English, or Chinese where the environment asks for it. `--json`, exit
 * codes, names and logs are the same in both. Texts are looked up when they are said, not when a module is loaded.
 */
import type { Condition } from "@mimikit/protocol/triggers/condition";

type NamesIn<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type ValuesIfAny<T extends string> = [NamesIn<T>] extends [never] ? [] : [values: Record<NamesIn<T>, string | number>];

/** The Chinese of the texts of this program, and of the sentences that all programs share. */
type Chinese = typeof import("./zh/chinese.ts");

/** Loaded for readers of Chinese alone. */
let chinese: Chinese | undefined;

/** The locale of messages: of these variables, the first that is set counts, as for every program. */
function localeOf({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv): string {
  return LC_ALL || LC_MESSAGES || LANG || "";
}

/** Chooses the language for all that is said from now on. @param words of the command: with `--json` programs read the answer. */
export async function chooseLanguage(env: NodeJS.ProcessEnv, words: readonly string[]): Promise<void> {
  const isChinese = /^zh(?:\b|_)/i.test(localeOf(env)) && !words.includes("--json");
  chinese = isChinese ? await import("./zh/chinese.ts") : undefined;
}

export function speaksChinese(): boolean {
  return chinese !== undefined;
}

/** The text in the language of the reader, with `{name}` replaced by its value. A text without a translation stays as it is. */
export function t<T extends string>(text: T, ...[values]: ValuesIfAny<T>): string {
  const told = chinese?.TEXTS[text] ?? text;
  if (values === undefined) return told;
  return told.replace(/\{(\w+)\}/g, (whole, name: string) =>
    String((values as Record<string, unknown>)[name] ?? whole),
  );
}

/** A sentence that another part of Mimikit has made, in the language of the reader where it is known. */
export function told(sentence: string): string {
  return chinese?.sentenceInChinese(sentence) ?? sentence;
}

/** A word that records have for a state, a kind or a cause, in the language of the reader. */
export function nameIn(word: string): string {
  return chinese?.NAMES[word] ?? word;
}

/** A condition of a trigger, in Chinese. Asked for where that is spoken. */
export function conditionTold(condition: Condition): string {
  return chinese?.conditionInChinese(condition) ?? "";
}

/** The description of a setting, in the language of the reader. */
export function settingTold(name: string, description: string): string {
  return chinese?.chineseDescription(name) ?? description;
}
