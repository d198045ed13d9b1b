/** A role ends in one way: asked to, it finishes what it does and exits; broken, it says so and exits, and PM2 restarts it. */
import type { Log } from "./audit/log.ts";
import { noteLeft } from "./process/role-record.ts";

/** Less than PM2's kill_timeout of 10 s: leaving in order, late, is better than being killed. */
const HANDLER_MS_MAX = 8_000;

/**
 * Calls `handler` once on SIGINT, SIGTERM, or when PM2's daemon died (`disconnect`: without it the role would live on as
 * an orphan), then exits with 0. An uncaught error is logged and exits with 1.
 */
export function onShutdown(handler: (reason: string) => Promise<void>, log: Log): void {
  let leaving = false;

  async function leave(reason: string): Promise<void> {
    if (leaving) return;
    leaving = true;
    log.info("shutting down", { reason });
    setTimeout(() => {
      log.error("shutting down took too long", { limitMs: HANDLER_MS_MAX });
      void log.flush().finally(() => process.exit(1));
    }, HANDLER_MS_MAX).unref();
    await handler(reason);
    noteLeft();
    await log.flush();
    process.exit(0);
  }

  function crash(cause: string, error: unknown): void {
    log.error(cause, { error });
    void log.flush().finally(() => process.exit(1));
  }

  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void leave(signal));
  process.on("disconnect", () => void leave("disconnect"));
  process.on("uncaughtException", (error) => crash("uncaught exception", error));
  process.on("unhandledRejection", (reason) => crash("unhandled rejection", reason));
}
