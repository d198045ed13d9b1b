/** So many are drawn until what draws a long conversation is there. */
export const FIRST_MESSAGES = 200;
