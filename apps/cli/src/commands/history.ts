/** Finds what was said, and writes it out, of everything that was ever said. Reads the files itself, so it works with everything down. */

import { newestVersions } from "@mimikit/core/views/history";
import { EXPORT_FORMATS, historyFile } from "@mimikit/core/views/history-file";
import { HistoryIndex } from "@mimikit/memory/search/history-index";
import { HistoryMessage } from "@mimikit/protocol/records/history";
import { HISTORY_HITS_DEFAULT, HISTORY_HITS_MAX, type HistoryHit, HistoryQuery } from "@mimikit/protocol/wire/api";
import { readHistory } from "@mimikit/store/views/history";
import { wholeHistory } from "@mimikit/store/views/whole-history";
import { actions, command } from "../arguments/command.ts";
import { wordsOf } from "../arguments/text-argument.ts";
import { sourceName } from "../import/brought.ts";
import { withState } from "../instance/state.ts";
import { Failure, misuseOf } from "../io/failure.ts";
import { plainLine, printJson, printLine, styled } from "../io/print.ts";

const DAY = /^\d{4}-\d{2}-\d{2}$/;

export const history = command({
  usage: "history [action] [words..]",
  summary: "what was said last, a search of everything that was ever said, and all of it as a file",
  examples: [
    ["mimikit history", "the newest messages, the newest at the end"],
    ["mimikit history search release window", "the messages that say most about it, the best first"],
    ["mimikit history export > conversation.md", "all of it, to read or to take along; --format json has every detail"],
    ["mimikit history search 部署 --from 2026-03-01 --to 2026-03-31 --role user", "what you said about it in March"],
  ],
  options: (yargs) =>
    yargs
      .positional("action", actions("list", "search", "export"))
      .positional("words", { type: "string", array: true, describe: "search: what to look for" })
      .option("limit", {
        type: "number",
        default: HISTORY_HITS_DEFAULT,
        describe: `how many, at most ${HISTORY_HITS_MAX}`,
      })
      .option("format", {
        choices: EXPORT_FORMATS,
        default: "md" as const,
        describe: "export: Markdown to read, or JSON with earlier versions and all details",
      })
      .option("from", { type: "string", describe: "from this day on, or this moment: 2026-03-01, or ISO 8601" })
      .option("to", { type: "string", describe: "up to this day, inclusive, or this moment" })
      .option("role", {
        choices: HistoryMessage.shape.role.options,
        array: true,
        describe: "only what the user, the assistant or the system said",
      }),
  async run({ json, action, words, limit, format, from, to, role }) {
    if (action === "export") {
      if ((words ?? []).length > 0 || from !== undefined || to !== undefined || role !== undefined)
        throw new Failure("usage", "an export is everything that was ever said: it takes  --format  alone");
      const messages = await withState(async ({ home, fs, mirror }) =>
        wholeHistory(home, (await readHistory(fs, mirror.ledger)).messages),
      );
      process.stdout.write(historyFile(messages, json ? "json" : format));
      return;
    }
    if (action === "list") {
      if ((words ?? []).length > 0 || from !== undefined || to !== undefined)
        throw new Failure("usage", "words, --from and --to are for  mimikit history search");
      await list(limit, role, json);
      return;
    }
    const query = wordsOf(words).join(" ").trim();
    if (query === "") throw new Failure("usage", "say what to look for: mimikit history search <words>");
    const checked = HistoryQuery.safeParse({
      query,
      limit,
      roles: role,
      from: from === undefined ? undefined : momentOf("--from", from, 0),
      // A day is over when the next one begins.
      to: to === undefined ? undefined : momentOf("--to", to, 1),
    });
    if (!checked.success) throw misuseOf(checked.error);
    const hits = await withState(async ({ home, fs, mirror }) => {
      const { messages } = await readHistory(fs, mirror.ledger);
      return new HistoryIndex(home).with(messages).search(checked.data);
    });
    if (json) printJson({ hits });
    else show(hits);
  },
});

async function list(limit: number, roles: readonly string[] | undefined, json: boolean): Promise<void> {
  if (!Number.isInteger(limit) || limit < 1 || limit > HISTORY_HITS_MAX)
    throw new Failure("usage", `--limit is a whole number from 1 to ${HISTORY_HITS_MAX}`);
  const { messages } = await withState(({ fs, mirror }) => readHistory(fs, mirror.ledger));
  const newest = newestVersions(messages)
    .filter((message) => roles === undefined || roles.includes(message.role))
    .slice(-limit);
  if (json) printJson({ messages: newest });
  else if (newest.length === 0) printLine("nothing was said yet:  mimikit chat  begins");
  else show(newest);
}

/** A day is its first moment by the clock here, `days` later; a moment is itself. Throws `Failure` (usage). */
function momentOf(option: string, text: string, days: number): string {
  const isDay = DAY.test(text);
  const moment = new Date(isDay ? `${text}T00:00` : text);
  // A February 31 would be a day of March.
  const isReal = !Number.isNaN(moment.getTime()) && (!isDay || moment.getDate() === Number(text.slice(-2)));
  if (!isReal)
    throw new Failure("usage", `${option} is a day like 2026-03-01, or a moment like 2026-03-01T09:00:00+08:00`);
  if (isDay) moment.setDate(moment.getDate() + days);
  return moment.toISOString();
}

function show(hits: readonly Pick<HistoryHit, "id" | "role" | "at" | "text" | "origin">[]): void {
  if (hits.length === 0) printLine("nothing was said about this");
  for (const { id, role, at, text, origin } of hits) {
    const from = origin === undefined ? "" : `, from ${plainLine(sourceName(origin))}`;
    printLine(`${styled("bold", `${new Date(at).toLocaleString()}  ${role}${from}`)}  ${styled("dim", id)}`);
    printLine(`  ${plainLine(text)}`);
  }
}
