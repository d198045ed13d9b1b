/** Starts the processes anew, with the settings of now. Nothing is lost: what ran is taken up again. */
import { join } from "node:path";
import { connect } from "../client.ts";
import { command } from "../command.ts";
import { Failure } from "../failure.ts";
import { findDaemons, foreignPm2Homes } from "../instance.ts";
import { currentPlace, ROOT } from "../place.ts";
import { runPm2, takeTurn } from "../pm2.ts";
import { printJson, printLine } from "../print.ts";
import { waitUntilReady } from "./up.ts";

/** Each role may take its kill_timeout of 10 s to leave. */
const PM2_RESTART_MS_MAX = 90_000;

export const restart = command({
  usage: "restart",
  summary: "start the processes anew, with changed settings",
  examples: [["mimikit restart", "take a changed config.yaml or environment into use"]],
  async run({ json }) {
    const { home, workDir, config } = currentPlace();
    connect();
    await takeTurn(home);
    if ((await findDaemons(home)).length === 0) {
      const [foreign] = await foreignPm2Homes(home);
      throw new Failure(
        "failed",
        `another PM2 runs the processes: run  PM2_HOME='${foreign ?? "~/.pm2"}' pm2 restart ecosystem.config.cjs --update-env`,
      );
    }
    // PM2 gives a process that it restarts the environment of its first start, so they are started as new ones.
    await runPm2({ home, workDir }, ["delete", "all", "--silent"], PM2_RESTART_MS_MAX);
    await runPm2(
      { home, workDir },
      ["startOrRestart", join(ROOT, "ecosystem.config.cjs"), "--update-env", "--silent"],
      PM2_RESTART_MS_MAX,
    );
    const { url, status } = await waitUntilReady(home, config);
    if (json) printJson({ url, status });
    else printLine(`Mimikit ${status.version} is running anew at ${url}`);
  },
});
