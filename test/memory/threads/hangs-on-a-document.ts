/** A thread that hangs while it reads `bad.md`, unless that is left out. */
import { parentPort } from "node:worker_threads";
import type { ReadNotice, SearchReply, SearchRequest } from "@mimikit/memory/search/search-message";

parentPort?.on("message", ({ number, leftOut }: SearchRequest) => {
  if (!leftOut.some(({ path, stamp }) => path === "bad.md" && stamp === "1")) {
    parentPort?.postMessage({ reads: { path: "bad.md", stamp: "1" } } satisfies ReadNotice);
    while (true);
  }
  parentPort?.postMessage({ number, answer: { method: "scan", hits: [] } } satisfies SearchReply);
});
