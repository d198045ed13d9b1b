/** Stops Mimikit and leaves no process behind: neither a role nor anything that a task has started. */
import { existsSync } from "node:fs";
import { command } from "../arguments/command.ts";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { printJson, printLine } from "../io/print.ts";
import { findProcesses, foreignApps } from "../processes/instance.ts";
import { takeTurn } from "../processes/pm2.ts";
import { stop } from "../processes/stop.ts";
import { markStopped } from "../processes/stopped.ts";

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

function say(json: boolean, home: string, ended: number): void {
  if (json) printJson({ home, ended });
  else
    printLine(
      ended === 0 ? t("Mimikit is not running for {home}", { home }) : t("Mimikit is stopped; its state is kept"),
    );
}
