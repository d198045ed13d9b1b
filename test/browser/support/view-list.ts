/** The views as the page lists them. Its words look for the reader's language when they are loaded, and here is no reader. */
globalThis.localStorage ??= { getItem: () => null } as unknown as Storage;

export const { VIEWS } = await import("../../../apps/web/src/i18n/view-names.ts");
