/** The thread that makes a text of one page, answers with it, and ends. */
import { parentPort, workerData } from "node:worker_threads";
import type { FetchedPage } from "./get-page.ts";
import { readableOf } from "./readable.ts";

const page = workerData as FetchedPage;
// A thread is given the bytes of a buffer, and not the buffer.
parentPort?.postMessage(readableOf({ ...page, bytes: Buffer.from(page.bytes) }));
