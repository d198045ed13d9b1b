/** Calls that wait at the same time share one run, but only those that were made before it began. */

/** @returns a function that answers each call with a run of `run` that began after the call. */
export function shareRuns<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;

  function call(): Promise<T> {
    if (running === undefined) {
      running = run().finally(() => {
        running = undefined;
      });
      return running;
    }
    // The run that is under way may be past what this caller wants of it.
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return call();
      });
    return next;
  }

  return call;
}
