/** A change has to stay as it is; the message says why, and what can be done instead. */
export class CannotUndo extends Error {}
