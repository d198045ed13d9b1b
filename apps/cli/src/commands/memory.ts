/**
 * What Mimikit remembers: what there is, what is found in it, and more of it. Reads the files itself and leaves a wish for
 * what is to be added, so it works with everything down.
 */

import { turnOfReply } from "@mimikit/core/views/history";
import { MemoryIndex } from "@mimikit/memory/search/memory-index";
import { closeMemorySearch, searchMemory } from "@mimikit/memory/search/search";
import { describeMemory } from "@mimikit/memory/sources/describe-memory";
import { findEntries } from "@mimikit/memory/sources/find-entries";
import { HITS_DEFAULT, HITS_MAX, MemorySearch } from "@mimikit/memory/sources/memory-query";
import { usedMemory } from "@mimikit/memory/sources/used-memory";
import { REMEMBER_CHARS_MAX, RememberTarget } from "@mimikit/protocol/records/effect";
import { entryName } from "@mimikit/protocol/records/memory-entry";
import type { MemoryAnswer, MemoryStatus } from "@mimikit/protocol/wire/api";
import { readHistory } from "@mimikit/store/views/history";
import { countUnarchived } from "@mimikit/store/views/unarchived";
import { actions, command } from "../arguments/command.ts";
import { isPiped, readText, wordsOf } from "../arguments/text-argument.ts";
import { withState } from "../instance/state.ts";
import { ask } from "../instance/write-wish.ts";
import { Failure, misuseOf } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printJson, printLine, printTable, styled } from "../io/print.ts";

const KILOBYTE = 1_024;
/** Of entries that are meant by the same words, so many are named, so long. */
const NAMED_MAX = 5;
const NAMED_CHARS_MAX = 80;
/** `2026-03-01` of a moment. */
const DAY_CHARS = 10;

export const memory = command({
  usage: "memory [action] [words..]",
  summary: "what is remembered: look, search, add, forget",
  examples: [
    ["mimikit memory status", "the files, how much they hold, and how they are searched"],
    ["mimikit memory search release window", "the paragraphs that say most about it, the best first"],
    ["mimikit memory search 部署 --after 2026-03-01 --before 2026-03-31", "what was noted about it in March"],
    ["mimikit memory search deploy --source memory/summary/", "in the summaries only"],
    ["mimikit memory add --long-term we deploy on Thursdays", "a fact for memory.md, which every turn may find"],
    ["mimikit memory add --target profile prefers short answers", "something about you"],
    ["mimikit memory forget Thursdays", "takes out the one entry that says so; mimikit undo brings it back"],
    ["mimikit memory used", "what of it the last reply was given, and whether it still says so"],
    ["mimikit memory index", "builds the index here and says what is in it; nothing ever needs that"],
  ],
  options: (yargs) =>
    yargs
      .positional("action", actions("status", "index", "search", "add", "forget", "used"))
      .positional("words", {
        type: "string",
        array: true,
        describe:
          "search: what to look for; add: what to remember, - reads it from the pipe; forget: words of one entry; used: the id of a reply, the last one if not given",
      })
      .option("limit", {
        type: "number",
        describe: `search: how many, at most ${HITS_MAX}; ${HITS_DEFAULT} if not given`,
      })
      .option("after", { type: "string", describe: "search: from this day on, 2026-03-01" })
      .option("before", { type: "string", describe: "search: up to this day, inclusive" })
      .option("source", {
        type: "string",
        array: true,
        nargs: 1,
        describe: "search: only files whose names begin so: memory.md, memory/, memory/summary/, docs/",
      })
      .option("long-term", { type: "boolean", describe: "add: to memory.md, not to the notes of today" })
      .option("target", {
        choices: RememberTarget.options,
        describe: "add: to what Mimikit knows of itself or of you, not to memory",
      }),
  async run({ json, action, words, limit, after, before, source, longTerm, target }) {
    assertOnlyFor("search", action, { limit, after, before, source });
    assertOnlyFor("add", action, { "long-term": longTerm, target });
    if (action === "add") await add(words, { longTerm: longTerm ?? false, target }, json);
    else if (action === "forget") await forget(words, json);
    else if (action === "used") await used(words, json);
    else if (action === "search") await search({ limit, after, before, sources: source }, words, json);
    else if ((words ?? []).length > 0) throw new Failure("usage", `mimikit memory ${action} takes no words`);
    else if (action === "index") await index(json);
    else await status(json);
  },
});

/** @throws Failure (usage): an option that would do nothing is a mistake. */
function assertOnlyFor(meant: string, action: string, options: Record<string, unknown>): void {
  const [said] = Object.entries(options).find(([, value]) => value !== undefined) ?? [];
  if (said !== undefined && action !== meant)
    throw new Failure("usage", `--${said} is for  mimikit memory ${meant}, not ${action}`);
}

async function add(
  words: readonly string[] | undefined,
  how: { longTerm: boolean; target: RememberTarget | undefined },
  json: boolean,
): Promise<void> {
  if ((words ?? []).length === 0)
    throw new Failure("usage", "say what to remember: mimikit memory add <text>, or - to read it from a pipe");
  const content = await readText(words, "memory add");
  if (content.length > REMEMBER_CHARS_MAX)
    throw new Failure(
      "usage",
      `at most ${REMEMBER_CHARS_MAX} characters at once, and this has ${content.length}: longer texts are files of the workspace's docs/`,
    );
  const asked = await ask(currentPlace().home, { kind: "memory-add", content, ...how });
  if (json) printJson(asked);
  else printLine(asked.outcome ?? "kept; it is written down when Mimikit runs");
}

/** Takes out the one entry that says so. @throws Failure where none does, or several do. */
async function forget(words: readonly string[] | undefined, json: boolean): Promise<void> {
  const sought = (await readText(words, "memory forget")).trim();
  if (sought === "") throw new Failure("usage", "say what to forget: mimikit memory forget <words of the entry>");
  const found = await withState((place) => findEntries(sought, place));
  const [first] = found;
  if (first === undefined)
    throw new Failure("failed", "nothing that is remembered says so:  mimikit memory search  finds it");
  if (found.length > 1) {
    const named = found
      .slice(0, NAMED_MAX)
      .map(({ document, entry }) => `  ${document}: ${plainLine(entry.text).slice(0, NAMED_CHARS_MAX)}`);
    throw new Failure("usage", `${found.length} entries say so, say more words of the one:\n${named.join("\n")}`);
  }
  const { document, entry } = first;
  const asked = await ask(currentPlace().home, { kind: "memory-edit", document, entry: entryName(entry) });
  if (json) printJson({ ...asked, document, entry: entry.text });
  else printLine(`${plainLine(entry.text)}: ${asked.outcome ?? "kept; it is taken out when Mimikit runs"}`);
}

async function search(
  options: Omit<MemorySearch, "query">,
  words: readonly string[] | undefined,
  json: boolean,
): Promise<void> {
  if (isPiped(words)) throw new Failure("usage", "say what to look for on the command line");
  const query = wordsOf(words).join(" ").trim();
  if (query === "") throw new Failure("usage", "say what to look for: mimikit memory search <words>");
  const checked = MemorySearch.safeParse({ query, ...options });
  if (!checked.success) throw misuseOf(checked.error);
  const found = await withState(({ home, workDir }) => searchMemory({ home, workDir, ...checked.data }));
  await closeMemorySearch();
  if (json) printJson(found);
  else show(found);
}

function show({ hits }: MemoryAnswer): void {
  if (hits.length === 0) printLine("nothing is remembered about this");
  for (const { source, text, score } of hits) {
    printLine(`${styled("bold", plainLine(source))}  ${styled("dim", score.toFixed(2))}`);
    printLine(`  ${plainLine(text)}`);
  }
}

/** Lists the memories that the model was shown for a reply. @throws Failure where there is no such reply. */
async function used([id, ...more]: readonly string[] = [], json: boolean): Promise<void> {
  if (more.length > 0) throw new Failure("usage", "mimikit memory used takes the id of one reply");
  const answer = await withState(async ({ home, workDir, fs, mirror }) => {
    const { messages } = await readHistory(fs, mirror.ledger);
    const reply = id ?? messages.findLast((message) => turnOfReply(message.id) !== undefined)?.id;
    return reply === undefined ? null : usedMemory(reply, { home, workDir }, mirror.ledger);
  });
  if (answer === null)
    throw new Failure(
      "failed",
      `there is no ${id === undefined ? "reply yet" : `reply ${plainLine(id)}:  mimikit history --json  shows their ids`}`,
    );
  if (json) {
    printJson(answer);
    return;
  }
  if (answer.used.length === 0) printLine("nothing of memory was shown for this reply");
  for (const { source, message, text, at, always, isAsShown } of answer.used) {
    const facts = [at?.slice(0, DAY_CHARS), always && "always told", !isAsShown && "changed or forgotten since"];
    const place = source ?? `said in ${message}`;
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
  printLine(`${state.units} paragraphs and list items of ${state.files} files, read in ${state.ms} ms`);
  printLine("The index lives in the memory of each process that searches: it is built at the first search and follows");
  printLine("the files from then on. There is nothing to be built or kept up to date by hand.");
}

async function status(json: boolean): Promise<void> {
  const found = await withState(async ({ home, workDir, mirror }): Promise<MemoryStatus> => {
    const place = { home, workDir };
    const files = await describeMemory(place);
    const unarchived = await countUnarchived(mirror.ledger);
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
  printTable(["source", "files", "size"], rows, "nothing is remembered yet");
  printLine();
  printLine(`newest note: ${plainLine(newestNote ?? "none yet")}`);
  printLine(`newest summaries: ${newestSummaries.map(plainLine).join(", ") || "none yet"}`);
  printLine(`said since the last note: ${unarchived} messages`);
  if (index !== null)
    printLine(`index: ${index.units} paragraphs and list items of ${index.files} files, in ${index.ms} ms`);
  printLine(
    hasRipgrep ? "ripgrep: there" : "ripgrep: not there; what the index does not find is looked for file by file",
  );
}
