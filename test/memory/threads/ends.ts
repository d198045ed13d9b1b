/** A thread that ends whenever it is asked, but answers once it finds the file that the workspace is told to have. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parentPort } from "node:worker_threads";
import type { SearchReply, SearchRequest } from "@mimikit/memory/search/search-message";

parentPort?.on("message", (request: SearchRequest) => {
  const { number } = request;
  if (!("query" in request) || !existsSync(join(request.query.workDir, "answer"))) process.exit(1);
  const reply: SearchReply = { number, answer: { method: "bm25", hits: [] } };
  parentPort?.postMessage(reply);
});
