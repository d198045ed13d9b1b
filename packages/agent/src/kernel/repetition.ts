/**
 * Notices a model that goes in circles: the same call, or the same error, three times in a row (SPEC I1). Only in a row:
 * a Worker that runs its tests again after each edit is not lost, and what circles in wider rounds meets the limits.
 */
export const REPEATS_MAX = 3;

export class Repetition {
  private readonly calls = new Streak();
  private readonly errors = new Streak();

  /** Notes a call that is about to be made. Returns why the run must stop, or null. */
  noteCall(name: string, input: unknown): string | null {
    const isTooMany = this.calls.note(`${name} ${canonical(input)}`) >= REPEATS_MAX;
    return isTooMany ? `the model called ${name} ${REPEATS_MAX} times in a row with the same arguments` : null;
  }

  /** Notes how a call ended. @param failed the name of the tool; null is a success. Returns why the run must stop, or null. */
  noteEnd(failed: string | null, answer: string): string | null {
    if (failed === null) return this.errors.clear();
    const isTooMany = this.errors.note(`${failed}: ${answer}`) >= REPEATS_MAX;
    return isTooMany ? `the tool ${failed} failed ${REPEATS_MAX} times in a row in the same way` : null;
  }
}

/** How often the last of a sequence of texts has been the same. */
class Streak {
  private last: string | undefined;
  private length = 0;

  note(text: string): number {
    this.length = text === this.last ? this.length + 1 : 1;
    this.last = text;
    return this.length;
  }

  clear(): null {
    this.last = undefined;
    return null;
  }
}

/** JSON whose keys are in order, so that the same arguments look the same. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
