/** Stops Mimikit and leaves no process behind: neither a role nor anything that a task has started. */
import { existsSync } from "node:fs";
import { endProcesses } from "@mimikit/runtime/process/process-table";
import { command } from "../arguments/command.ts";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { printJson, printLine } from "../io/print.ts";
import { findDaemons, findProcesses, foreignApps } from "../processes/instance.ts";
import { runPm2, takeTurn } from "../processes/pm2.ts";
import { markStopped } from "../processes/stopped.ts";

/** PM2 gives each role its kill_timeout of 10 s. */
const PM2_KILL_MS_MAX = 30_000;
/** Grace for processes that PM2 left or does not watch; short, because the state survives a kill at any instant. */
const TERM_MS = 3_000;

export const down = command({
  usage: "down",
  summary: "stop Mimikit and everything that it started",
  examples: [["mimikit down", "stop; nothing is lost, the next start goes on where this one ended"]],
  async run({ json }) {
    const { home, workDir } = currentPlace("any");
    if (!existsSync(home)) {
      say(json, home, 0);
      return;
    }
    await takeTurn(home);
    const [foreign, ...others] = await foreignApps(home);
    if (foreign !== undefined) {
      throw new Failure(
        "failed",
        t("another PM2 would restart them: run  PM2_HOME='{pm2Home}' pm2 delete {roles}", {
          pm2Home: foreign.dir,
          roles: [foreign, ...others].flatMap(({ dir, name }) => (dir === foreign.dir ? [name] : [])).join(" "),
        }),
      );
    }
    // Before anything ends, so that no service takes it for a death.
    markStopped(home);
    const before = await findProcesses(home);
    if (before.length > 0) await stop({ home, workDir });
    say(json, home, before.length);
  },
});

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

function say(json: boolean, home: string, ended: number): void {
  if (json) printJson({ home, ended });
  else
    printLine(
      ended === 0 ? t("Mimikit is not running for {home}", { home }) : t("Mimikit is stopped; its state is kept"),
    );
}
