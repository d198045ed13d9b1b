/** Parts of a fuzzed request that are filled in when it is sent, so that a seed makes the same requests for every system. */

/** Becomes a text that is in this request alone: nothing of a request that is refused may be found in the state directory. */
export const MARK = "@@mark@@";
/** Become the ids of things that there are. */
export const KNOWN = ["@@message@@", "@@task@@", "@@trigger@@", "@@attachment@@"] as const;

export type Known = Readonly<Record<(typeof KNOWN)[number], string>>;

/** The mark of the n-th request or frame of a fuzz. */
export const markOf = (n: number) => `fz${n}zf`;
export const MARKS = /fz(\d+)zf/g;

/** The text with everything filled in. */
export function filled(text: string, n: number, known: Known): string {
  return text.replaceAll(/@@\w+@@/g, (name) => (name === MARK ? markOf(n) : (known[name as keyof Known] ?? name)));
}
