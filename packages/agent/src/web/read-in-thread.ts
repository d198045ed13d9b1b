/** Reads a page in a thread of its own: whatever is in it, it costs some seconds and some memory, and holds nothing else up. */
import { Worker } from "node:worker_threads";
import { programOf } from "@mimikit/runtime/home/programs";
import { letThreadsHaveBounds } from "@mimikit/runtime/process/v8-flags";
import { type FetchedPage, NotLoaded } from "./get-page.ts";
import type { Readable } from "./readable.ts";

const READ_MS_MAX = 5_000;
const HEAP_MB_MAX = 256;

/** Null where it is no text. Throws `NotLoaded` where it takes too long or too much, and the reason of `signal` when that aborts. */
export async function readInThread(page: FetchedPage, signal: AbortSignal): Promise<Readable | null> {
  letThreadsHaveBounds();
  const worker = new Worker(programOf("read-page"), {
    workerData: page,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  });
  const limit = AbortSignal.timeout(READ_MS_MAX);
  const stop = AbortSignal.any([signal, limit]);
  try {
    return await new Promise<Readable | null>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", (error) => reject(new NotLoaded(`it cannot be read: ${String(error)}`)));
      worker.once("exit", () => reject(new NotLoaded("it cannot be read")));
      stop.addEventListener(
        "abort",
        () => reject(new NotLoaded(`it takes more than ${READ_MS_MAX / 1_000} s to read`)),
        {
          once: true,
        },
      );
      if (stop.aborted) reject(new NotLoaded("stopped"));
    });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    await worker.terminate();
  }
}
