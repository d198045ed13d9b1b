/** Ends everything that runs for a home, whichever version it is of. */
import { endProcesses } from "@mimikit/runtime/process/process-table";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { findDaemons, findProcesses } from "./instance.ts";
import { runPm2 } from "./pm2.ts";

/** PM2 gives each role its kill_timeout of 10 s. */
const PM2_KILL_MS_MAX = 30_000;
/** Grace for processes that PM2 left or does not watch; short, because the state survives a kill at any instant. */
const TERM_MS = 3_000;

/** Throws `Failure` with the names of what could not be ended. */
export async function stop(place: { home: string; workDir: string }): Promise<void> {
  const find = () => findProcesses(place.home);
  try {
    if ((await findDaemons(place.home)).length > 0) await runPm2(place, ["kill", "--silent"], PM2_KILL_MS_MAX);
  } catch (error) {
    // A daemon that does not obey is ended below, like everything else.
    if (!(error instanceof Failure)) throw error;
  }
  const left = await endProcesses(find, TERM_MS);
  if (left.length > 0) {
    throw new Failure(
      "failed",
      t("could not be ended: {left}", { left: left.map(({ what, pid }) => `${what} (${pid})`).join(", ") }),
    );
  }
}
