/** Loads code when a text needs it. */

/** @returns undefined where it cannot be loaded, and the text stays as it is: no connection, or another build is in its place. */
export function loaded<T>(load: () => Promise<T>): Promise<T | undefined> {
  return load().catch((error: unknown) => {
    console.warn(error);
    return undefined;
  });
}
