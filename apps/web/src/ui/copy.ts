/** Puts text on the clipboard, where there is one. */

/** How long a button says what came of it. */
export const COPIED_SHOWN_MS = 1_500;

/** @returns whether it is there: the clipboard is missing on plain HTTP from another machine, and the browser may refuse it. */
export async function copy(text: string): Promise<boolean> {
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (!clipboard) return false;
  return clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}
