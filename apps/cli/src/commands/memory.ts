/**
 * Lists, searches and adds to what Mimikit remembers. It reads the files itself and leaves a command for an addition, so it
 * works with everything down.
 */

import { turnOfReply } from "@mimikit/core/views/history";
import { findSaid } from "@mimikit/memory/forgotten/find-said";
import { readForgotten, shownLog } from "@mimikit/memory/forgotten/read-forgotten";
import { HistoryIndex } from "@mimikit/memory/search/history-index";
import { MemoryIndex } from "@mimikit/memory/search/memory-index";
import { closeMemorySearch, searchMemory } from "@mimikit/memory/search/search";
import { describeMemory } from "@mimikit/memory/sources/describe-memory";
import { findEntries } from "@mimikit/memory/sources/find-entries";
import { HITS_DEFAULT, HITS_MAX, MemorySearch } from "@mimikit/memory/sources/memory-query";
import { usedMemory } from "@mimikit/memory/sources/used-memory";
import { REMEMBER_CHARS_MAX, RememberTarget } from "@mimikit/protocol/records/effect";
import { entryName, isMessage } from "@mimikit/protocol/records/memory-entry";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { MemoryAnswer, MemoryStatus } from "@mimikit/protocol/wire/api";
import { readHistory } from "@mimikit/store/views/history";
import { countUnarchived } from "@mimikit/store/views/unarchived";
import { command, commandGroup } from "../arguments/command.ts";
import { readText, wordsOf } from "../arguments/text-argument.ts";
import { t, told } from "../i18n/language.ts";
import { withState } from "../instance/state.ts";
import { ask } from "../instance/write-command.ts";
import { Failure, misuseOf } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printJson, printLine, printTable, styled } from "../io/print.ts";

const KILOBYTE = 1_024;
/** Of entries that are meant by the same words, so many are named, so long. */
const NAMED_MAX = 5;
const NAMED_CHARS_MAX = 80;
/** `2026-03-01` of a moment. */
const DAY_CHARS = 10;

const statusCommand = command({
  usage: "status",
  summary: "the files of the memory, their size, and how they are searched",
  examples: [["mimikit memory status", "mimikit memory alone is the same"]],
  run: ({ json }) => status(json),
});

const indexCommand = command({
  usage: "index",
  summary: "build the search index and print its size; searches build their own",
  examples: [["mimikit memory index", "how long it takes here"]],
  run: ({ json }) => index(json),
});

const searchCommand = command({
  usage: "search <words..>",
  summary: "search the memory, the best match first",
  examples: [
    ["mimikit memory search release window", "the paragraphs that match these words best"],
    ["mimikit memory search 部署 --after 2026-03-01 --before 2026-03-31", "notes of March"],
    ["mimikit memory search deploy --source memory/summary/", "only summaries"],
  ],
  takesText: true,
  options: (yargs) =>
    yargs
      .positional("words", { type: "string", array: true, demandOption: true, describe: "the words to look for" })
      .option("limit", {
        type: "number",
        describe: t("how many, at most {max}; {preset} if not given", { max: HITS_MAX, preset: HITS_DEFAULT }),
      })
      .option("after", { type: "string", describe: "from this day on, 2026-03-01" })
      .option("before", { type: "string", describe: "up to this day, inclusive" })
      .option("source", {
        type: "string",
        array: true,
        nargs: 1,
        describe: "only files whose names begin so: memory.md, memory/, memory/summary/, docs/",
      }),
  run: ({ json, words, limit, after, before, source }) =>
    search({ limit, after, before, sources: source }, words, json),
});

const addCommand = command({
  usage: "add <text..>",
  summary: "remember something",
  examples: [
    ["mimikit memory add --long-term we deploy on Thursdays", "a fact for memory.md, which every turn may find"],
    ["mimikit memory add --target profile prefers short answers", "something about you"],
  ],
  takesText: true,
  options: (yargs) =>
    yargs
      .positional("text", {
        type: "string",
        array: true,
        demandOption: true,
        describe: "the text to remember; - reads it from the pipe",
      })
      .option("long-term", { type: "boolean", default: false, describe: "to memory.md, not to the notes of today" })
      .option("target", {
        choices: RememberTarget.options,
        describe: "to the description of Mimikit or of you, not to the memory",
      }),
  run: ({ json, text, longTerm, target }) => add(text, { longTerm, target }, json),
});

const forgetCommand = command({
  usage: "forget [words..]",
  summary: "remove the entry with these words, or hide what was said from models; mimikit undo restores it",
  examples: [["mimikit memory forget Thursdays", "refused if several entries contain the word"]],
  takesText: true,
  options: (yargs) =>
    yargs.positional("words", {
      type: "string",
      array: true,
      describe: "words of one entry; - reads them from the pipe",
    }),
  run: ({ json, words }) => forget(words, json),
});

const usedCommand = command({
  usage: "used [reply]",
  summary: "the entries that a reply was based on, and whether they have changed since",
  examples: [["mimikit memory used", "those of the last reply"]],
  options: (yargs) =>
    yargs.positional("reply", { type: "string", describe: "the id of a reply; the last one if not given" }),
  run: ({ json, reply }) => used(reply, json),
});

export const memory = commandGroup({
  name: "memory",
  summary: "the memory: search, add, forget, and see what a reply used",
  subCommands: [statusCommand, indexCommand, searchCommand, addCommand, forgetCommand, usedCommand],
  alone: statusCommand,
});

async function add(
  words: readonly string[],
  how: { longTerm: boolean; target: RememberTarget | undefined },
  json: boolean,
): Promise<void> {
  const content = await readText(words, "memory add");
  if (content.length > REMEMBER_CHARS_MAX)
    throw new Failure(
      "usage",
      t("at most {max} characters at once, and this has {count}: longer texts are files of the workspace's docs/", {
        max: REMEMBER_CHARS_MAX,
        count: content.length,
      }),
    );
  const asked = await ask(currentPlace().home, { kind: "memory-add", content, ...how });
  if (json) printJson(asked);
  else printLine(told(asked.outcome ?? "") || t("queued; it is written when Mimikit runs"));
}

/** Removes the one entry that contains the words. @throws Failure if none does, or several do. */
async function forget(words: readonly string[] | undefined, json: boolean): Promise<void> {
  const sought = (await readText(words, "memory forget")).trim();
  const found = await withState((place) => findEntries(sought, place));
  const [first] = found;
  if (first === undefined || found.every(({ entry }) => isMessage(entry))) return forgetSaid(sought, json);
  if (found.length > 1) {
    const named = found
      .slice(0, NAMED_MAX)
      .map(({ document, entry }) => `  ${document}: ${beginningOf(plainLine(entry.text), NAMED_CHARS_MAX)}`);
    throw new Failure(
      "usage",
      t("{count} entries contain these words; add words of the one you mean:\n{named}", {
        count: found.length,
        named: named.join("\n"),
      }),
    );
  }
  const { document, entry } = first;
  const asked = await ask(currentPlace().home, { kind: "memory-edit", document, entry: entryName(entry) });
  if (json) printJson({ ...asked, document, entry: entry.text });
  else
    printLine(`${plainLine(entry.text)}: ${told(asked.outcome ?? "") || t("queued; it is removed when Mimikit runs")}`);
}

/** No model is shown again what was only said. @throws Failure if nobody has said it, or it may be one of several. */
async function forgetSaid(sought: string, json: boolean): Promise<void> {
  const found = await withState(async ({ home, fs, cache }) => {
    const { messages } = await readHistory(fs, cache.archiveIndex);
    return findSaid(sought, shownLog(new HistoryIndex(home).with(messages), await readForgotten(home)));
  });
  if ("nearest" in found)
    throw new Failure(
      "failed",
      t("no entry contains these words, and no message says so:  mimikit memory search <words>  finds similar ones"),
    );
  const content = beginningOf(found.said, REMEMBER_CHARS_MAX);
  const asked = await ask(currentPlace().home, {
    kind: "memory-add",
    content,
    longTerm: true,
    target: "forgotten",
  });
  if (json) printJson({ ...asked, said: content });
  else
    printLine(`${plainLine(content)}: ${told(asked.outcome ?? "") || t("queued; it is forgotten when Mimikit runs")}`);
}

async function search(options: Omit<MemorySearch, "query">, words: readonly string[], json: boolean): Promise<void> {
  const query = wordsOf(words).join(" ").trim();
  if (query === "") throw new Failure("usage", t("name words to look for: mimikit memory search <words>"));
  const checked = MemorySearch.safeParse({ query, ...options });
  if (!checked.success) throw misuseOf(checked.error);
  const found = await withState(({ home, workDir }) => searchMemory({ home, workDir, ...checked.data }));
  await closeMemorySearch();
  if (json) printJson(found);
  else show(found);
}

function show({ hits, unanswered }: MemoryAnswer): void {
  if (unanswered) printLine(t("memory could not be searched in time"));
  else if (hits.length === 0) printLine(t("no entries match"));
  for (const { source, text, score } of hits) {
    printLine(`${styled("bold", plainLine(source))}  ${styled("dim", score.toFixed(2))}`);
    printLine(`  ${plainLine(text)}`);
  }
}

/** Lists the entries that the model was given for a reply. @throws Failure if there is no such reply. */
async function used(id: string | undefined, json: boolean): Promise<void> {
  const answer = await withState(async ({ home, workDir, fs, cache }) => {
    const { messages } = await readHistory(fs, cache.archiveIndex);
    const reply = id ?? messages.findLast((message) => turnOfReply(message.id) !== undefined)?.id;
    return reply === undefined ? null : usedMemory(reply, { home, workDir }, cache.archiveIndex);
  });
  if (answer === null)
    throw new Failure(
      "failed",
      id === undefined
        ? t("there is no reply yet")
        : t("there is no reply {id}:  mimikit history --json  shows their ids", { id: plainLine(id) }),
    );
  if (json) {
    printJson(answer);
    return;
  }
  if (answer.used.length === 0) printLine(t("this reply used no entries"));
  for (const { source, message, text, at, always, isAsShown } of answer.used) {
    const facts = [at?.slice(0, DAY_CHARS), always && t("always told"), !isAsShown && t("changed or forgotten since")];
    const place = source ?? t("said in {message}", { message: message ?? "" });
    printLine(`${styled("bold", plainLine(place))}  ${styled("dim", facts.filter(Boolean).join(", "))}`);
    printLine(`  ${plainLine(text)}`);
  }
}

async function index(json: boolean): Promise<void> {
  const state = await withState((place) => new MemoryIndex(place).refresh());
  if (json) {
    printJson(state);
    return;
  }
  printLine(
    t("{units} paragraphs and list items of {files} files, read in {ms} ms", {
      units: state.units,
      files: state.files,
      ms: state.ms,
    }),
  );
  printLine(
    t("The index lives in the memory of each process that searches: it is built at the first search and follows"),
  );
  printLine(t("the files from then on. There is nothing to be built or kept up to date by hand."));
}

async function status(json: boolean): Promise<void> {
  const found = await withState(async ({ home, workDir, cache }): Promise<MemoryStatus> => {
    const place = { home, workDir };
    const files = await describeMemory(place);
    const unarchived = await countUnarchived(cache.archiveIndex);
    return { ...files, unarchived, index: await new MemoryIndex(place).refresh() };
  });
  if (json) {
    printJson(found);
    return;
  }
  const { sources, newestNote, newestSummaries, unarchived, index, hasRipgrep } = found;
  const rows = sources.map(({ source, files, bytes }) => [
    source,
    String(files),
    `${(bytes / KILOBYTE).toFixed(1)} KB`,
  ]);
  printTable(["source", "files", "size"], rows, t("the memory is empty"));
  printLine();
  printLine(t("newest note: {newestNote}", { newestNote: plainLine(newestNote ?? t("none yet")) }));
  printLine(
    t("newest summaries: {newestSummaries}", {
      newestSummaries: newestSummaries.map(plainLine).join(", ") || t("none yet"),
    }),
  );
  printLine(t("messages since the last note: {unarchived}", { unarchived }));
  if (index !== null)
    printLine(
      t("index: {units} paragraphs and list items of {files} files, in {ms} ms", {
        units: index.units,
        files: index.files,
        ms: index.ms,
      }),
    );
  printLine(
    hasRipgrep ? t("ripgrep: installed") : t("ripgrep: not installed; without a hit in the index, each file is read"),
  );
}
