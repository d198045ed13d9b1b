/** `graphile-worker.ts CONNECTION TASK CONCURRENCY`: a worker of graphile-worker whose runs do nothing. */
import { Logger, run } from "graphile-worker";
import { serve, tell } from "./serve.ts";
import { Tally } from "./tally.ts";

const [connectionString = "", name = "", concurrency] = process.argv.slice(2);
const tally = new Tally();

serve({
  async run() {
    const runner = await run({
      connectionString,
      concurrency: Number(concurrency),
      noHandleSignals: true,
      logger: new Logger(() => () => undefined),
      taskList: { [name]: async (payload) => tally.begin((payload as { id: string }).id) },
    });
    runner.events.on("job:complete", ({ job }) => {
      tally.end();
      tell("done", (job.payload as { id: string }).id);
    });
  },
  starts: () => tally.starts(),
  ended: (count) => tally.whenEnded(Number(count)),
});
