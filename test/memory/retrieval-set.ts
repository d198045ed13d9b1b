/** The bilingual retrieval set: documents, and questions that each have one document as their answer. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const LANGUAGES = ["en", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];

export interface RetrievalQuestion {
  language: Language;
  question: string;
  /** The source that answers it, as a hit names it. */
  source: string;
}

/** One line of a file is `left<separator>right`; a pilcrow parts paragraphs. */
function readPairs(name: string, separator: string): [left: string, right: string][] {
  const text = readFileSync(join(import.meta.dirname, "retrieval", name), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const at = line.indexOf(separator);
      return [line.slice(0, at), line.slice(at + separator.length).replaceAll(" ¶ ", "\n\n")];
    });
}

/** Markdown by the name that a hit has. */
export const DOCUMENTS: ReadonlyMap<string, string> = new Map(
  LANGUAGES.flatMap((language) =>
    readPairs(`documents.${language}.txt`, ": ").map(([name, text]): [string, string] => [`${name}.md`, text]),
  ),
);

export const QUESTIONS: readonly RetrievalQuestion[] = LANGUAGES.flatMap((language) =>
  readPairs(`questions.${language}.txt`, " => ").map(([question, name]) => ({
    language,
    question,
    source: `${name}.md`,
  })),
);

/** Where a document of the set is in a workspace whose state directory is `.mimikit`. */
export function fileOf(source: string): string {
  return source.startsWith("memory/") ? `.mimikit/${source}` : source;
}
