/** The JSON that a text hands in: the whole text, or a fence at its end. JSON anywhere else in it is talk. */

const FENCED = /^```(?:json)?\n(.*)\n```$/s;

/** @param opening how a text begins that is JSON as a whole. Whether it is JSON is not looked at; undefined where there is none. */
export function lastJson(text: string, opening: "{" | "["): string | undefined {
  return text.startsWith(opening) ? text : lastFence(text)?.text;
}

/** The content of the fence that `text` ends with, and where it begins; undefined if it ends otherwise. */
export function lastFence(text: string): { text: string; at: number } | undefined {
  const at = text.lastIndexOf("\n```", text.length - "\n```".length - 1) + 1;
  const inside = FENCED.exec(text.slice(at))?.[1];
  return inside === undefined ? undefined : { text: inside, at };
}
