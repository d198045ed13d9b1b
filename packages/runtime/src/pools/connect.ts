/** A connection to the engine. Loaded only where pools are set up. */
import { Redis } from "ioredis";

const RECONNECT_MS_MAX = 2_000;
const RECONNECT_STEP_MS = 50;

/** One that is made anew for as long as it takes; commands wait for it. Throws for an address that is none. */
export function connectTo(url: string): Redis {
  return new Redis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => Math.min(times * RECONNECT_STEP_MS, RECONNECT_MS_MAX),
  });
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
