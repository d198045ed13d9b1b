/** A thread whose searches fail. */
import { parentPort } from "node:worker_threads";
import type { SearchReply, SearchRequest } from "@mimikit/memory/search/search-message";

parentPort?.on("message", ({ number }: SearchRequest) => {
  const reply: SearchReply = { number, error: "the disk is ill" };
  parentPort?.postMessage(reply);
});
