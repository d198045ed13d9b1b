/** A document has no text that can be read; the message says why, for people. */
export class UnreadableDocument extends Error {}
