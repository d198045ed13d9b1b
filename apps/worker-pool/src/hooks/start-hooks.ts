/** Hooks run in the pool, which has the sandbox and ends what dead pools have left. Loaded only where there is a `hooks/`. */
import type { Log } from "@mimikit/runtime/audit/log";
import { type Loop, runLoop } from "@mimikit/runtime/process/loop";
import { HookRunner, type HooksOptions } from "./hooks.ts";

export interface StartHooksOptions extends Omit<HooksOptions, "onProblem" | "onError" | "onRoom" | "audit"> {
  log: Log;
  tickMs: number;
}

/** Looks every so often, and at once when nudged. `stop` ends what runs. */
export function startHooks({ log, tickMs, ...options }: StartHooksOptions): Loop {
  const onError = (error: unknown) => log.error("hooks", { error });
  const hooks = new HookRunner({
    ...options,
    audit: (event) => log.audit(event),
    onProblem: (problem) => log.warn("hooks", { problem }),
    onError,
    onRoom: () => loop.nudge(),
  });
  const loop: Loop = runLoop({ tickMs, tick: () => hooks.tick(), onError });
  return {
    nudge: () => loop.nudge(),
    async stop() {
      await loop.stop();
      await hooks.stop();
    },
  };
}
