/**
 * Texts that this browser keeps between visits. There is room for some 5 MB, and messages that wait for a connection
 * may use all of it.
 */

/** Keeps a text under a key, or nothing where it is undefined. @returns false where there is no room: nothing is changed then. */
export function store(key: string, text: string | undefined): boolean {
  if (text === undefined) {
    localStorage.removeItem(key);
    return true;
  }
  try {
    localStorage.setItem(key, text);
    return true;
  } catch (error) {
    // QuotaExceededError, or NS_ERROR_DOM_QUOTA_REACHED in Firefox.
    if (error instanceof DOMException) return false;
    throw error;
  }
}
