/** The content security policy of files that are not ours: whatever one holds, nothing in it runs, loads or opens anything. */
export const SANDBOXED = "default-src 'none'; sandbox";
