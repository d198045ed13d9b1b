/** The overview for a user who types `mimikit` alone: whether it runs, and what to type first. */
import { VERSION } from "@mimikit/runtime/home/version";
import { t } from "./i18n/language.ts";
import { currentPlace } from "./io/place.ts";
import { padded, printLine, styled } from "./io/print.ts";
import { livingRoles } from "./processes/instance.ts";

const COMMAND_COLUMNS = 44;

const START = ["mimikit up", "start it, and print the address of its page"] as const;
const FIRST = [
  ["mimikit chat", "talk with it here"],
  ["mimikit ask 'run `date` then `df -h .`'", "ask, watch the work, get the answer"],
  ["mimikit triggers add --every 2h 'run `date`'", "work that starts by itself"],
  ["mimikit status", "models, current work and cost"],
  ["mimikit down", "stop it; nothing is lost"],
] as const;

export function printOverview(): void {
  const { home } = currentPlace();
  const living = livingRoles(home);
  const gateway = living.get("gateway");
  const state =
    gateway === undefined
      ? `${styled("yellow", living.size === 0 ? t("does not run") : t("has no gateway now"))} ${t("for {home}", { home })}`
      : `${styled("green", t("runs"))}${gateway.url === undefined ? "" : ` ${t("at {url}", { url: gateway.url })}`}`;
  printLine(
    `${styled("bold", "Mimikit")} ${t("{version}, a self-hosted, always-on assistant: it {state}", { version: VERSION, state })}`,
  );
  printLine();
  for (const [line, meaning] of gateway === undefined ? [START, ...FIRST] : FIRST)
    printLine(`  ${styled("cyan", padded(line, COMMAND_COLUMNS))}  ${t(meaning)}`);
  printLine();
  printLine(t("mimikit --help  lists every command,  mimikit <command> --help  shows examples"));
}
