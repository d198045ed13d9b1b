/**
 * The part of a process that the bench has started: it answers calls over Node's channel between parent and child, and
 * leaves with its parent.
 */
export type Calls = Record<string, (argument: unknown) => unknown>;

/** Says that it is ready, and answers one call after the other. */
export function serve(calls: Calls): void {
  process.on("disconnect", () => process.exit(0));
  process.on("message", async ({ id, name, argument }: { id: number; name: string; argument: unknown }) => {
    const value = await calls[name]?.(argument);
    process.send?.({ id, value });
  });
  process.send?.({ event: "ready" });
}

/** Tells the bench of something that it waits for. */
export function tell(event: string, value?: unknown): void {
  process.send?.({ event, value });
}
