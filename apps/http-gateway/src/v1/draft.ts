/**
 * Sends a reply while it is written. A stream takes nothing back, but a draft may be started over, and what a model
 * says before it calls a tool is not part of the reply. So what does not go on with what was sent is held back, and the end
 * makes up for it: what a client was sent always ends with the whole reply.
 */

/** The part of the draft that follows what was sent; empty while the draft is another. */
export function nextOf(sent: string, draft: string): string {
  return draft.startsWith(sent) ? draft.slice(sent.length) : "";
}

const BREAK = "\n\n";

/** The text that is still to be sent, so that all of it together ends with the reply. */
export function restOf(sent: string, reply: string): string {
  if (reply.startsWith(sent)) return reply.slice(sent.length);
  // The draft may have begun with what was said on the way: its last paragraphs may be the beginning of the reply.
  for (let at = sent.indexOf(BREAK); at >= 0; at = sent.indexOf(BREAK, at + BREAK.length)) {
    const tail = sent.slice(at + BREAK.length);
    if (tail !== "" && reply.startsWith(tail)) return reply.slice(tail.length);
  }
  return BREAK + reply;
}
