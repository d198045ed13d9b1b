/** @returns the text without the signs of Markdown that are only noise where nothing is drawn by them. */
export function plainText(text: string): string {
  return text.replace(/\*\*|`+|^(?:#+|>) /gm, "");
}
