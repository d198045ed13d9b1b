/** Of the text of a file, more than this is kept nowhere but in the file itself. */
export const TEXT_CHARS_MAX = 500_000;
