/** `bullmq-worker.ts PORT QUEUE CONCURRENCY`: a worker of BullMQ whose runs do nothing. */
import { Worker } from "bullmq";
import { serve } from "./serve.ts";
import { Tally } from "./tally.ts";

const [port, queue = "", concurrency] = process.argv.slice(2);
const tally = new Tally();
const worker = new Worker(
  queue,
  async ({ id }) => {
    tally.begin(`${id}`);
    return { text: "done" };
  },
  {
    connection: { host: "127.0.0.1", port: Number(port), maxRetriesPerRequest: null },
    concurrency: Number(concurrency),
    autorun: false,
  },
);
worker.on("completed", () => tally.end());
await worker.waitUntilReady();

serve({
  run() {
    // It runs until the process ends.
    worker.run().catch((error) => process.stderr.write(`${String(error)}\n`));
  },
  starts: () => tally.starts(),
  ended: (count) => tally.whenEnded(Number(count)),
});
