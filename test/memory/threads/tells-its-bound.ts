/** A thread whose index has as many units as its heap may have megabytes. */
import { getHeapStatistics } from "node:v8";
import { parentPort } from "node:worker_threads";
import type { SearchReply, SearchRequest } from "@mimikit/memory/search/search-message";

parentPort?.on("message", ({ number }: SearchRequest) => {
  const units = Math.round(getHeapStatistics().heap_size_limit / 1_048_576);
  const reply: SearchReply = { number, index: { files: 0, units, ms: 0 } };
  parentPort?.postMessage(reply);
});
