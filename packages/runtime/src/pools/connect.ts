/** A connection to the engine. Loaded only where pools are set up. */
import { Redis } from "ioredis";

const RECONNECT_MS_MAX = 2_000;
const RECONNECT_STEP_MS = 50;

/**
 * One that is made anew for as long as it takes. Throws for an address that is none.
 * @param waits commands wait while there is no connection. Without it they fail at once, and so do those that were sent and not
 * answered: what a home gives out after it was cut off must not be what it had decided before.
 */
export function connectTo(url: string, { waits = true } = {}): Redis {
  return new Redis(url, {
    maxRetriesPerRequest: waits ? null : 0,
    enableOfflineQueue: waits,
    retryStrategy: (times: number) => Math.min(times * RECONNECT_STEP_MS, RECONNECT_MS_MAX),
  });
}

/** Is it the error of a command that no answer came to, because there was no connection? */
export function isCutOff(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error.name === "MaxRetriesPerRequestError" ||
      error.name === "AbortError" ||
      /^(Stream isn't writeable|Connection is closed)/.test(error.message))
  );
}

/** Does one thing with the engine. Throws what it answers, and an error when it cannot be reached at once. */
export async function withEngine<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
  // Errors are thrown by the command.
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    client.disconnect();
  }
}
