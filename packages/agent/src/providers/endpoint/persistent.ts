/** A model that is asked again where it may still answer: a little later each time, or when it says that it will be ready. */
import { setTimeout as wait } from "node:timers/promises";
import { type Model, type ModelFailure, NO_ANSWER } from "../../kernel/model.ts";

/** Longer waits, in sum, are not spent inside the request: the task is handed back, and the user hears of it. */
export const RETRY_AFTER_MS_MAX = 60_000;
/** Without a listener, more tries in a row are in vain: the circuit tries again later. */
export const OUTAGE_RETRIES_MAX = 2;

/** @param delaysMs how long to wait before each further try; as many tries as there are entries. */
export function persistent(model: Model, delaysMs: readonly number[]): Model {
  return {
    async *ask(request, signal) {
      let waitedMs = 0;
      for (let retry = 1; ; retry++) {
        let failure: ModelFailure | null = null;
        for await (const event of model.ask(request, signal)) {
          if (event.type === "failure") failure = event;
          else yield event;
          if (event.type === "answer") return;
        }
        failure ??= { type: "failure", kind: "unavailable", cause: "busy", message: NO_ANSWER };
        const isFinal = failure.isOutage === true && retry > OUTAGE_RETRIES_MAX;
        const delayMs = isFinal ? null : delayOf(failure, delaysMs[retry - 1], RETRY_AFTER_MS_MAX - waitedMs);
        if (delayMs === null) return yield retry > delaysMs.length ? withoutMoment(failure) : failure;
        waitedMs += delayMs;
        yield { type: "retry", retry, message: failure.message };
        if (!(await waitUnlessAborted(delayMs, signal)))
          return yield {
            ...failure,
            kind: "aborted",
            message: `stopped while waiting for the model: ${failure.message}`,
          };
      }
    },
  };
}

/** An endpoint that is busy still after each wait that it asked for: its word is no moment to wait for. */
function withoutMoment({ retryAfterMs: _, ...failure }: ModelFailure): ModelFailure {
  return failure.cause === "limit" ? { ...failure, cause: "busy" } : failure;
}

/** null: this failure is final. @param leftMs how long the run may still wait where the endpoint says so. */
function delayOf({ kind, retryAfterMs }: ModelFailure, delayMs: number | undefined, leftMs: number): number | null {
  if (kind !== "unavailable" || delayMs === undefined) return null;
  if (retryAfterMs === undefined) return delayMs;
  return retryAfterMs <= leftMs ? Math.max(retryAfterMs, delayMs) : null;
}

async function waitUnlessAborted(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await wait(ms, undefined, { signal });
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
