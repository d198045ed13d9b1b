/**
 * Adopts a state directory that was found here and not made here: it lists everything that would run or be believed, and
 * asks. Until then nothing of it runs (docs/security.md).
 */
import { existsSync } from "node:fs";
import { keepKeys } from "@mimikit/runtime/config/keep-keys";
import { disown, isAdopted, putCodeAside, adopt as record } from "@mimikit/runtime/home/adoption";
import { command } from "../arguments/command.ts";
import { t } from "../i18n/language.ts";
import { confirm } from "../io/confirm.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { printJson, printLine, printProgress, styled } from "../io/print.ts";
import { findDaemons, livingRoles, runningText } from "../processes/instance.ts";
import { printContents, readContents } from "../terminal/home-contents.ts";

export const adopt = command({
  usage: "adopt",
  summary: "trust a state directory that was not made here, after a look at what would run",
  examples: [
    ["mimikit adopt", "lists what would run, and asks"],
    ["mimikit adopt --json", "lists it, and changes nothing"],
    ["mimikit adopt --yes", "for scripts"],
    [
      "mimikit adopt --revoke",
      "trust it no longer, which leaves no file outside of it: the last line of an uninstallation",
    ],
  ],
  options: (yargs) =>
    yargs
      .option("yes", { alias: "y", type: "boolean", default: false, describe: "adopt it without asking" })
      .option("revoke", {
        type: "boolean",
        default: false,
        describe: "take the record away that says it is yours; nothing of it runs until it is adopted again",
      }),
  async run({ json, yes, revoke }) {
    const { home, workDir } = currentPlace();
    if (!existsSync(home))
      throw new Failure("failed", t("there is no state directory {home}: nothing to adopt", { home }));
    if (revoke && yes) throw new Failure("usage", t("--yes adopts, and --revoke undoes that: use only one of them"));
    if (revoke) return takeBack(home, json);
    const contents = await readContents({ home, workDir });
    const wasAdopted = isAdopted(home, process.env);
    if (!json && !wasAdopted) {
      printLine(
        t("{home} was not made here, so nothing in it runs. Once you adopt it, this runs or is believed:", { home }),
      );
      printContents(contents);
      if (!yes && !(await confirm(t("Did you make it, or trust all of this?"), "mimikit adopt --yes")))
        throw new Failure(
          "failed",
          t("nothing was changed; if you do not trust it, delete it:  rm -r '{home}'", { home }),
        );
    }
    if (!json || yes) {
      // The list does not show code that PM2 would load; a PM2 that runs has made its folder itself.
      if (!wasAdopted && (await findDaemons(home)).length === 0) putCodeAside(home, process.env);
      record(home, process.env);
      for (const line of (await keepKeys(home, process.env)).lines) printProgress(line);
    }
    if (json) printJson({ adopted: isAdopted(home, process.env), ...contents });
    else
      printLine(
        `${styled("green", "✓")} ${wasAdopted ? t("{home} is yours already", { home }) : t("{home} is adopted; if it is running, it continues by itself", { home })}`,
      );
  },
});

/** @throws Failure while something of it runs, which would go on as before. */
function takeBack(home: string, json: boolean): void {
  const living = livingRoles(home);
  if (living.size > 0)
    throw new Failure(
      "failed",
      t("Mimikit runs in {home}: stop it with  mimikit down  ({running})", { home, running: runningText(living) }),
    );
  const revoked = disown(home, process.env);
  if (json) printJson({ revoked });
  else
    printLine(
      revoked
        ? t("{home} is trusted no longer; it is kept as it is", { home })
        : t("there is no record of {home}", { home }),
    );
}
