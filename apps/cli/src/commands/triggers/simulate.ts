/** `mimikit triggers simulate` */

import { simulateTriggers } from "@mimikit/core/triggers/simulate";
import type { Trigger } from "@mimikit/protocol/records/trigger";
import { meanCost } from "@mimikit/store/views/mean-cost";
import { UsageLog } from "@mimikit/store/views/usage-log";
import { z } from "zod";
import { command } from "../../arguments/command.ts";
import { secondsOf } from "../../arguments/trigger-options.ts";
import { t } from "../../i18n/language.ts";
import { durationIn } from "../../i18n/words.ts";
import { shortId, withState } from "../../instance/state.ts";
import { Failure } from "../../io/failure.ts";
import { personZoneHere } from "../../io/person-zone.ts";
import { printJson } from "../../io/print.ts";
import { printSimulation } from "../../terminal/simulation-text.ts";
import { triggerIn } from "./trigger-argument.ts";

const SIMULATED_DEFAULT = "7d";
const SIMULATED_SEC_MAX = 366 * 86_400;
const FIRINGS_LISTED = 50;

export const simulate = command({
  usage: "simulate [trigger]",
  summary: "list coming firings and their cost; nothing runs",
  examples: [
    ["mimikit triggers simulate --to 30d", "all triggers, for a month"],
    ["mimikit triggers simulate standup", "one trigger, for a week"],
  ],
  options: (yargs) =>
    yargs
      .positional("trigger", { type: "string", describe: "one of them, by its title or id; all if not given" })
      .option("from", { type: "string", describe: "the first moment, ISO 8601 or 2h from now; now if not given" })
      .option("to", { type: "string", default: SIMULATED_DEFAULT, describe: "the last moment" })
      .option("limit", { type: "number", default: FIRINGS_LISTED, describe: "how many firings are listed" }),
  async run(options) {
    const { json, limit, trigger: given } = options;
    const nowMs = Date.now();
    const fromMs = options.from === undefined ? nowMs : momentIn("--from", options.from, nowMs);
    const toMs = momentIn("--to", options.to, fromMs);
    if (toMs <= fromMs) throw new Failure("usage", t("--to must be after --from"));
    if (toMs - fromMs > SIMULATED_SEC_MAX * 1_000)
      throw new Failure("usage", t("at most {duration} at once", { duration: durationIn(SIMULATED_SEC_MAX) }));
    if (!Number.isInteger(limit) || limit < 1) throw new Failure("usage", t("--limit is a whole number above 0"));
    const timeZone = personZoneHere();
    const simulation = await withState(async (state) => {
      const chosen = given === undefined ? [...state.triggers.values()] : [triggerIn(state, given)];
      const usageLog = new UsageLog(state.home);
      const costOf = (trigger: Trigger) => meanCost(trigger, usageLog, nowMs);
      return simulateTriggers(chosen, fromMs, toMs, { timeZone, costOf });
    });
    if (json) printJson(simulation);
    else printSimulation({ simulation, timeZone, limit, shortId });
  },
});

/** A moment, or a length of time after `sinceMs`. */
function momentIn(option: string, text: string, sinceMs: number): number {
  const seconds = secondsOf(text);
  if (seconds !== null) return sinceMs + seconds * 1_000;
  const moment = z.iso.datetime({ offset: true }).safeParse(text);
  if (!moment.success)
    throw new Failure(
      "usage",
      t("{option} is a moment with its zone like 2026-12-01T09:00:00+08:00, or 2h, 7d from now", { option }),
    );
  return Date.parse(moment.data);
}
