/** Ends the processes and starts them as new ones. They are asked nothing, so it does not matter which version they are of. */

import { urlOf } from "@mimikit/runtime/config/address";
import type { Config } from "@mimikit/runtime/config/config";
import type { HomePlace } from "@mimikit/runtime/home/home";
import { t } from "../i18n/language.ts";
import { Failure, reasonOf } from "../io/failure.ts";
import { assertReadable } from "../io/place.ts";
import { findDaemons, foreignPm2Homes, livingRoles, runningWorkDir } from "../processes/instance.ts";
import { runPm2, startRoles } from "../processes/pm2.ts";
import { assertPortIsFree } from "../processes/probe-port.ts";

/** Each role may take its kill_timeout of 10 s to leave. */
const PM2_RESTART_MS_MAX = 90_000;

/**
 * Call it in the turn of this command (`takeTurn`). From wherever it is called, the work goes on in the workspace where it
 * was, unless MIMIKIT_WORK_DIR says otherwise.
 * @throws Failure where another PM2 runs the processes, or where nothing could start with the settings of now.
 */
export async function startAnew({ home, workDir: workDirHere }: HomePlace, config: Config): Promise<void> {
  if ((await findDaemons(home)).length === 0) {
    const [foreign] = await foreignPm2Homes(home);
    throw new Failure(
      "failed",
      t(
        "another PM2 runs the processes: run  PM2_HOME='{foreign}' pm2 delete ecosystem.config.cjs , then  pm2 start ecosystem.config.cjs",
        { foreign: foreign ?? "~/.pm2" },
      ),
    );
  }
  // Nothing that runs is ended for settings with which nothing could start.
  assertReadable(home);
  if (livingRoles(home).get("gateway")?.url !== urlOf(config)) await assertPortIsFree(config);
  const running = process.env.MIMIKIT_WORK_DIR === undefined ? await runningWorkDir(home) : undefined;
  const place = { home, workDir: running ?? workDirHere };
  // PM2 gives a process that it restarts the environment of its first start, so they are started as new ones.
  await runPm2(place, ["delete", "all", "--silent"], PM2_RESTART_MS_MAX);
  try {
    await startRoles(place, config, PM2_RESTART_MS_MAX);
  } catch (error) {
    throw new Failure(
      "failed",
      t("nothing runs now: start it with  mimikit up  ({reason})", { reason: reasonOf(error) }),
    );
  }
}
