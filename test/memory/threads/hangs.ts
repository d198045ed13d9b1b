/** A thread that never ends what it is asked, and keeps its processor busy. */
import { parentPort } from "node:worker_threads";

parentPort?.on("message", () => {
  while (true);
});
