/** Finds what was said, and writes it out, of everything that was ever said. Reads the files itself, so it works with everything down. */

import { newestVersions } from "@mimikit/core/views/history";
import { EXPORT_FORMATS, historyFile } from "@mimikit/core/views/history-file";
import { HistoryIndex } from "@mimikit/memory/search/history-index";
import { HistoryMessage } from "@mimikit/protocol/records/history";
import { HISTORY_HITS_DEFAULT, HISTORY_HITS_MAX, type HistoryHit, HistoryQuery } from "@mimikit/protocol/wire/api";
import { readHistory } from "@mimikit/store/views/history";
import { wholeHistory } from "@mimikit/store/views/whole-history";
import { command, commandGroup } from "../arguments/command.ts";
import { wordsOf } from "../arguments/text-argument.ts";
import { t } from "../i18n/language.ts";
import { momentText } from "../i18n/moments.ts";
import { sourceName } from "../import/brought.ts";
import { withState } from "../instance/state.ts";
import { Failure, misuseOf } from "../io/failure.ts";
import { plainLine, printJson, printLine, styled } from "../io/print.ts";

const DAY = /^\d{4}-\d{2}-\d{2}$/;

const limitOption = () =>
  ({
    type: "number",
    default: HISTORY_HITS_DEFAULT,
    describe: t("how many, at most {max}", { max: HISTORY_HITS_MAX }),
  }) as const;

const roleOption = {
  choices: HistoryMessage.shape.role.options,
  array: true,
  describe: "only messages of the user, the assistant or the system",
} as const;

const listCommand = command({
  usage: "list",
  summary: "the newest messages, the newest at the end",
  examples: [
    ["mimikit history list", "mimikit history alone is the same"],
    ["mimikit history list --limit 5 --role assistant", "the last five replies"],
  ],
  options: (yargs) => yargs.option("limit", limitOption()).option("role", roleOption),
  run: ({ json, limit, role }) => list(limit, role, json),
});

const search = command({
  usage: "search <words..>",
  summary: "search all messages ever, the best match first",
  examples: [
    ["mimikit history search release window", "the messages that match these words best"],
    ["mimikit history search 部署 --from 2026-03-01 --to 2026-03-31 --role user", "your own messages of March"],
  ],
  takesText: true,
  options: (yargs) =>
    yargs
      .positional("words", { type: "string", array: true, demandOption: true, describe: "the words to look for" })
      .option("limit", limitOption())
      .option("from", { type: "string", describe: "from this day on, or this moment: 2026-03-01, or ISO 8601" })
      .option("to", { type: "string", describe: "up to this day, inclusive, or this moment" })
      .option("role", roleOption),
  async run({ json, words, limit, from, to, role }) {
    const query = wordsOf(words).join(" ").trim();
    if (query === "") throw new Failure("usage", t("name words to look for: mimikit history search <words>"));
    const checked = HistoryQuery.safeParse({
      query,
      limit,
      roles: role,
      from: from === undefined ? undefined : momentOf("--from", from, 0),
      // A day is over when the next one begins.
      to: to === undefined ? undefined : momentOf("--to", to, 1),
    });
    if (!checked.success) throw misuseOf(checked.error);
    const hits = await withState(async ({ home, fs, cache }) => {
      const { messages } = await readHistory(fs, cache.archiveIndex);
      return new HistoryIndex(home).with(messages).search(checked.data);
    });
    if (json) printJson({ hits });
    else show(hits);
  },
});

const exportCommand = command({
  usage: "export",
  summary: "print the whole history, to read or to keep elsewhere",
  examples: [
    ["mimikit history export > conversation.md", "Markdown to read"],
    ["mimikit history export --format json > conversation.json", "with earlier versions and all details"],
  ],
  options: (yargs) =>
    yargs.option("format", {
      choices: EXPORT_FORMATS,
      default: "md" as const,
      describe: "Markdown to read, or JSON with earlier versions and all details",
    }),
  async run({ json, format }) {
    const messages = await withState(async ({ home, fs, cache }) =>
      wholeHistory(home, (await readHistory(fs, cache.archiveIndex)).messages),
    );
    process.stdout.write(historyFile(messages, json ? "json" : format));
  },
});

export const history = commandGroup({
  name: "history",
  summary: "the conversation: the newest messages, a search of all of them, an export",
  subCommands: [listCommand, search, exportCommand],
  alone: listCommand,
});

async function list(limit: number, roles: readonly string[] | undefined, json: boolean): Promise<void> {
  if (!Number.isInteger(limit) || limit < 1 || limit > HISTORY_HITS_MAX)
    throw new Failure("usage", t("--limit is a whole number from 1 to {max}", { max: HISTORY_HITS_MAX }));
  const { messages } = await withState(({ fs, cache }) => readHistory(fs, cache.archiveIndex));
  const newest = newestVersions(messages)
    .filter((message) => roles === undefined || roles.includes(message.role))
    .slice(-limit);
  if (json) printJson({ messages: newest });
  else if (newest.length === 0) printLine(t("there are no messages yet:  mimikit chat  starts a conversation"));
  else show(newest);
}

/** A day is its first moment by the clock here, `days` later; a moment is itself. Throws `Failure` (usage). */
function momentOf(option: string, text: string, days: number): string {
  const isDay = DAY.test(text);
  const moment = new Date(isDay ? `${text}T00:00` : text);
  // A February 31 would be a day of March.
  const isReal = !Number.isNaN(moment.getTime()) && (!isDay || moment.getDate() === Number(text.slice(-2)));
  if (!isReal)
    throw new Failure(
      "usage",
      t("{option} is a day like 2026-03-01, or a moment like 2026-03-01T09:00:00+08:00", { option }),
    );
  if (isDay) moment.setDate(moment.getDate() + days);
  return moment.toISOString();
}

function show(hits: readonly Pick<HistoryHit, "id" | "role" | "at" | "text" | "origin">[]): void {
  if (hits.length === 0) printLine(t("no messages match"));
  for (const { id, role, at, text, origin } of hits) {
    const from = origin === undefined ? "" : `, from ${plainLine(sourceName(origin))}`;
    printLine(`${styled("bold", `${momentText(at)}  ${t(role)}${from}`)}  ${styled("dim", id)}`);
    printLine(`  ${plainLine(text)}`);
  }
}
