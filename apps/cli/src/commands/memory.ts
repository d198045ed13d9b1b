/**
 * What Mimikit remembers: what there is, what is found in it, and more of it. Reads the files itself and leaves a wish for
 * what is to be added, so it works with everything down.
 */

import { MemoryIndex } from "@mimikit/memory/search/memory-index";
import { closeMemorySearch, searchMemory } from "@mimikit/memory/search/search";
import { describeMemory } from "@mimikit/memory/sources/describe-memory";
import { HITS_DEFAULT, HITS_MAX, MemorySearch } from "@mimikit/memory/sources/memory-query";
import { REMEMBER_CHARS_MAX, RememberTarget } from "@mimikit/protocol/records/effect";
import type { MemoryAnswer, MemoryStatus } from "@mimikit/protocol/wire/api";
import { countUnarchived } from "@mimikit/store/views/unarchived";
import { actions, command } from "../arguments/command.ts";
import { isPiped, readText, wordsOf } from "../arguments/text-argument.ts";
import { withState } from "../instance/state.ts";
import { ask } from "../instance/write-wish.ts";
import { Failure, misuseOf } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printJson, printLine, printTable, styled } from "../io/print.ts";

const KILOBYTE = 1_024;

export const memory = command({
  usage: "memory [action] [words..]",
  summary: "what is remembered: look, search, add",
  examples: [
    ["mimikit memory status", "the files, how much they hold, and how they are searched"],
    ["mimikit memory search release window", "the paragraphs that say most about it, the best first"],
    ["mimikit memory search 部署 --after 2026-03-01 --before 2026-03-31", "what was noted about it in March"],
    ["mimikit memory search deploy --source memory/summary/", "in the summaries only"],
    ["mimikit memory add --long-term we deploy on Thursdays", "a fact for memory.md, which every turn may find"],
    ["mimikit memory add --target profile prefers short answers", "something about you"],
    ["mimikit memory index", "builds the index here and says what is in it; nothing ever needs that"],
  ],
  options: (yargs) =>
    yargs
      .positional("action", actions("status", "index", "search", "add"))
      .positional("words", {
        type: "string",
        array: true,
        describe: "search: what to look for; add: what to remember, - reads it from the pipe",
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
