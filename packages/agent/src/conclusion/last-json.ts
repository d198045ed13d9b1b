/** The JSON that a text hands in: the whole text, or a fence at its end. What stands anywhere else in it is talk. */

const FENCED = /^```(?:json)?\n(.*)\n```$/s;

/** @param opening how a text begins that is JSON as a whole. Whether it is JSON is not looked at; undefined where there is none. */
export function lastJson(text: string, opening: "{" | "["): string | undefined {
  if (text.startsWith(opening)) return text;
  const lastFence = text.lastIndexOf("\n```", text.length - "\n```".length - 1) + 1;
  return FENCED.exec(text.slice(lastFence))?.[1];
}
