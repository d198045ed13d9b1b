/** The content of a state directory that would run or be believed, as lines for people. */
import { contentsOf } from "@mimikit/agent/home-contents";
import type { HomeContents, HomeItem } from "@mimikit/protocol/wire/api";
import type { HomePlace } from "@mimikit/runtime/home/home";
import { t, told } from "../i18n/language.ts";
import { withState } from "../instance/state.ts";
import { plainLine, printLine, styled } from "../io/print.ts";

/** Sentences of ours among the lines, of which most are texts of the directory itself. */
const OURS =
  /^(?:hook |runs without asking: )|, (?:which is no hook as it is|the conversation)$|: settings and login of the agent CLI$/;
const HEADINGS: Record<HomeItem["kind"], string> = {
  setting: "settings of config.yaml",
  command: "commands in the inbox, and hooks",
  task: "tasks that would run",
  result: "results whose effects would be applied",
  trigger: "triggers",
  skill: "skills",
  file: "files that are part of every prompt",
  browser: "browsers that are signed in",
};

/** Reads the state directory of `place`, without running any of it. */
export function readContents(place: HomePlace): Promise<HomeContents> {
  return withState(({ fs, cache }) => contentsOf(place, fs, cache, process.env), place);
}

export function printContents({ items, more }: HomeContents): void {
  if (items.length === 0) printLine(t("  nothing that would run or be believed"));
  for (const [kind, heading] of Object.entries(HEADINGS)) {
    const own = items.filter((item) => item.kind === kind);
    if (own.length === 0) continue;
    printLine(`  ${styled("bold", t(heading))}`);
    for (const { text } of own) printLine(`    ${plainLine(OURS.test(text) ? told(text) : text)}`);
  }
  if (more > 0) printLine(`  ${t("and {more} more", { more })}`);
}
