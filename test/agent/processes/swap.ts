/**
 * A thread that swaps a directory and a link as fast as it can, until it is ended. A directory that others make in the moment in between
 * is moved to `spare`.
 */
import { renameSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";

const { directory, link, spare } = workerData as { directory: string; link: string; spare: string };
let moved = 0;

function put(from: string): void {
  for (;;)
    try {
      renameSync(from, directory);
      return;
    } catch {
      renameSync(directory, `${spare}/${++moved}`);
    }
}

parentPort?.postMessage("swapping");
for (;;) {
  renameSync(directory, `${spare}/kept`);
  put(link);
  renameSync(directory, link);
  put(`${spare}/kept`);
}
