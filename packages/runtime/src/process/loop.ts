/** A loop that looks again every so often, and at once when nudged. The tick is the truth, the nudge is only speed (SPEC A3). */

const BACKOFF_MS_MAX = 15_000;

export interface Loop {
  /** Asks for a tick soon. Any number of nudges during a tick make one more tick. */
  nudge(): void;
  /** Resolves when the running tick has ended; no other begins. */
  stop(): Promise<void>;
}

export interface LoopOptions {
  /** The longest pause between the end of a tick and the next, in milliseconds. */
  tickMs: number;
  tick: () => Promise<unknown>;
  /** A tick failed; the next comes by itself, later and later while they keep failing (at most 15 s). */
  onError: (error: unknown) => void;
  /** Called before each rest with its longest duration in milliseconds. */
  onRest?: (restMs: number) => void;
}

/** Runs `tick` as soon as the caller is done, and then for ever, one at a time. */
export function runLoop({ tickMs, tick, onError, onRest }: LoopOptions): Loop {
  let stopped = false;
  let nudged = false;
  let failures = 0;
  let wake: (() => void) | undefined;

  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    }).finally(() => {
      wake = undefined;
    });

  async function run(): Promise<void> {
    while (!stopped) {
      nudged = false;
      try {
        await tick();
        failures = 0;
      } catch (error) {
        failures++;
        onError(error);
      }
      // A nudge does not shorten the pause after a failure: whatever nudges may be what fails.
      const again = nudged && failures === 0;
      // Even a tick that nudges itself leaves room for signals, timers and files.
      const restMs = failures === 0 ? tickMs : Math.min(tickMs * 2 ** (failures - 1), BACKOFF_MS_MAX);
      onRest?.(again ? 0 : restMs);
      if (again) await new Promise((resolve) => setImmediate(resolve));
      else if (!stopped) await rest(restMs);
    }
  }

  const ended = Promise.resolve().then(run);
  return {
    nudge() {
      nudged = true;
      if (failures === 0) wake?.();
    },
    stop() {
      stopped = true;
      wake?.();
      return ended;
    },
  };
}
