/** `sqlite-worker.ts FOLDER DATABASE CONCURRENCY`: claims jobs in one commit, runs them at once, and commits each result alone. */
import { join } from "node:path";
import { serve } from "./serve.ts";
import { Bell, openJobs } from "./sqlite-jobs.ts";
import { Tally } from "./tally.ts";

/** Where no notification came. */
const TICK_MS = 1_000;

const [folder = "", name = "", concurrency] = process.argv.slice(2);
const database = openJobs(join(folder, name));
const claim = database.prepare(
  "UPDATE jobs SET state = 'running' WHERE seq IN (SELECT seq FROM jobs WHERE state = 'queued' ORDER BY seq LIMIT ?) RETURNING id",
);
const finish = database.prepare("UPDATE jobs SET state = 'done', result = ? WHERE id = ?");
const hasQueued = database.prepare("SELECT 1 FROM jobs WHERE state = 'queued' LIMIT 1");
const tally = new Tally();
const [added, done] = [new Bell(folder, "added"), new Bell(folder, "done")];
let isBusy = false;

async function handle(id: string): Promise<string> {
  tally.begin(id);
  return "done";
}

async function work(): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  while (hasQueued.get() !== undefined) {
    const claimed = claim.all(Number(concurrency)) as { id: string }[];
    await Promise.all(
      claimed.map(async ({ id }) => {
        finish.run(await handle(id), id);
        tally.end();
        done.ring();
      }),
    );
  }
  isBusy = false;
}

const look = () => void work().catch((error) => process.stderr.write(`${String(error)}\n`));

serve({
  run() {
    added.listen(look);
    setInterval(look, TICK_MS);
    look();
  },
  starts: () => tally.starts(),
  ended: (count) => tally.whenEnded(Number(count)),
});
