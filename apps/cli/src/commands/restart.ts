/** Starts the processes anew, with the settings of now. Nothing is lost: what ran is taken up again. */
import { join } from "node:path";
import type { Status } from "@mimikit/protocol/api";
import { type Client, connect, defaultUrl, Unreachable } from "../client.ts";
import { command } from "../command.ts";
import { Failure, reasonOf } from "../failure.ts";
import { findDaemons, foreignPm2Homes, livingRoles } from "../instance.ts";
import { currentPlace, ROOT } from "../place.ts";
import { runPm2, takeTurn } from "../pm2.ts";
import { printJson, printLine } from "../print.ts";
import { assertPortIsFree, waitUntilReady } from "./up.ts";

/** Each role may take its kill_timeout of 10 s to leave. */
const PM2_RESTART_MS_MAX = 90_000;

export const restart = command({
  usage: "restart",
  summary: "start the processes anew, with changed settings",
  examples: [["mimikit restart", "take a changed config.yaml or environment into use"]],
  async run({ json }) {
    const { home, workDir: workDirHere, config, problems } = currentPlace();
    const running = await statusOf(connect());
    // From wherever it is called, the work goes on where it was, unless somebody says otherwise.
    const workDir = process.env.MIMIKIT_WORK_DIR === undefined ? (running?.workDir ?? workDirHere) : workDirHere;
    await takeTurn(home);
    if ((await findDaemons(home)).length === 0) {
      const [foreign] = await foreignPm2Homes(home);
      throw new Failure(
        "failed",
        `another PM2 runs the processes: run  PM2_HOME='${foreign ?? "~/.pm2"}' pm2 delete ecosystem.config.cjs , then  pm2 start ecosystem.config.cjs`,
      );
    }
    // Nothing that runs is ended for settings with which nothing could start.
    if (livingRoles(home).get("gateway")?.url !== defaultUrl(config)) await assertPortIsFree(config);
    // PM2 gives a process that it restarts the environment of its first start, so they are started as new ones.
    await runPm2({ home, workDir }, ["delete", "all", "--silent"], PM2_RESTART_MS_MAX);
    try {
      await runPm2(
        { home, workDir },
        ["startOrRestart", join(ROOT, "ecosystem.config.cjs"), "--update-env", "--silent"],
        PM2_RESTART_MS_MAX,
      );
    } catch (error) {
      throw new Failure("failed", `nothing runs now: start it with  mimikit up  (${reasonOf(error)})`);
    }
    const { url, status } = await waitUntilReady(home, config);
    if (json) printJson({ url, status });
    else {
      printLine(`Mimikit ${status.version} is running anew at ${url}, in ${status.workDir}`);
      for (const problem of problems) printLine(`! ${problem}`);
    }
  },
});

/** What the running instance says of itself; undefined where it cannot be asked just now. */
async function statusOf(client: Client): Promise<Status | undefined> {
  try {
    return await client.status();
  } catch (error) {
    if (error instanceof Unreachable) return undefined;
    throw error;
  }
}
