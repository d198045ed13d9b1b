/** Of the text of a file, more than this is kept nowhere but in the file itself. */
export const TEXT_CHARS_MAX = 500_000;

/** How the program that reads a document ends where it says why there is no text: every other error ends it with 1. */
export const UNREADABLE_EXIT_CODE = 3;
