/** Who answers, in words. */
import { words } from "./words.ts";

/** Who answers, and who did so last where that was somebody else: a stand-in, or whom the settings named before. */
export function answererOf(name: string, last: string | undefined): string {
  const answerer = words.provider(name);
  return last === undefined || last === name ? answerer : words.answeredLast(answerer, words.provider(last));
}
