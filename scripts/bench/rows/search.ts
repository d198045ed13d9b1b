/** Rows about what was said: the first search after a start, and the index of the history beside MiniSearch. */

import { HistoryIndex } from "@mimikit/memory/search/history-index";
import { keepMonthIndexes } from "@mimikit/memory/search/keep-month-indexes";
import type { HistoryTurn } from "@mimikit/protocol/records/history";
import { type HistoryHit, HistoryQuery } from "@mimikit/protocol/wire/api";
import { prepareHome } from "@mimikit/runtime/home/home";
import { openDisk } from "@mimikit/store/disk/disk";
import { appendHistory } from "@mimikit/store/views/history-partitions";
import MiniSearch from "minisearch";
import type { Instance } from "../../../test/support/instance.ts";
import { makeFolder, removeFolder } from "../measure/cleanup.ts";
import { type Figures, latencies, median } from "../measure/figures.ts";
import { memoryOf } from "../measure/processes.ts";
import { QUERIES, talkOf, writeTalk } from "../measure/talk.ts";
import { instance } from "./instances.ts";
import type { Row, Sizes } from "./row.ts";

const RUNS = 5;
/** A month written a moment ago has no index; so much later it has one. */
const SETTLED_MS = 60_000;
const NEWEST = { turn: 10_000_000, month: "2027-01", at: "2027-01-15T12:00:00.000Z" };

const firstSearch: Row = {
  name: "first-search",
  about:
    "the first search of a long history through the gateway, as soon as the instance is ready, and the ones after it: where the months that are over have their indexes, as from the second start on, and where they have none yet",
  contestants: ({ messages }) => [
    instance("Mimikit", () => ({ prepare: (home) => prepareTalk(home, messages, true) }), searchFirst),
    instance("without indexes", () => ({ prepare: (home) => prepareTalk(home, messages, false) }), searchFirst),
  ],
};

async function prepareTalk(home: string, messages: number, hasIndexes: boolean): Promise<void> {
  prepareHome(home);
  await writeTalk(home, messages);
  if (hasIndexes) await keepMonthIndexes(home, openDisk(home, `bench-${process.pid}`), Date.now() + SETTLED_MS);
}

async function searchFirst(mimikit: Instance): Promise<Figures> {
  const times: number[] = [];
  for (const query of QUERIES) {
    const startMs = performance.now();
    const { hits } = await mimikit.api<{ hits: HistoryHit[] }>(`/api/history/search?q=${encodeURIComponent(query)}`);
    times.push(performance.now() - startMs);
    if (times.length === 1 && hits.length === 0) throw new Error(`nothing was found for ${query}`);
  }
  const [first = Number.NaN, ...others] = times;
  const { rss } = memoryOf([mimikit.pidOf("gateway")]);
  return { "first search, ms": first, ...latencies("later searches", others), "RSS of the gateway, MB": rss };
}

const index: Row = {
  name: "index",
  about:
    "an index of a long history in one process: read and built, one turn more, and a search (the median of seven queries). MiniSearch takes the texts from memory, and its own tokenizer, which does not tell Chinese words apart",
  rounds: 2,
  contestants: ({ messages }: Sizes) => [
    { name: "Mimikit", missing: null, round: () => ourIndex(messages) },
    { name: "MiniSearch", missing: null, round: () => miniSearch(messages) },
  ],
};

async function ourIndex(messages: number): Promise<Figures> {
  const home = makeFolder();
  try {
    await writeTalk(home, messages);
    const said = new HistoryIndex(home);
    const built = await timed(() => said.refresh());
    const updated = await timed(async () => {
      await appendHistory(home, NEWEST.month, [newestTurn()]);
      await said.refresh();
    });
    return figuresOf(built, updated, await searched((query) => said.with([]).search(HistoryQuery.parse({ query }))));
  } finally {
    removeFolder(home);
  }
}

async function miniSearch(messages: number): Promise<Figures> {
  const documents = [...talkOf(messages)].flatMap(({ turns }) =>
    turns.flatMap((turn) => turn.messages.map(({ id, text }) => ({ id, text }))),
  );
  const mini = new MiniSearch({ fields: ["text"] });
  const built = await timed(async () => mini.addAll(documents));
  const updated = await timed(async () => mini.addAll(newestTurn().messages));
  return figuresOf(built, updated, await searched(async (query) => mini.search(query)));
}

function newestTurn(): HistoryTurn {
  const { turn, at } = NEWEST;
  return {
    turn,
    messages: [
      { id: "m-newest", role: "user", text: "what is new?", at },
      { id: `t-${turn}.reply`, role: "assistant", text: "nothing at all", at, answers: ["m-newest"] },
    ],
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

async function searched(search: (query: string) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) for (const query of QUERIES) times.push(await timed(() => search(query)));
  return median(times);
}

const figuresOf = (built: number, updated: number, search: number): Figures => ({
  "built, ms": built,
  "one turn more, ms": updated,
  "search, p50, ms": search,
});

export const SEARCH_ROWS: readonly Row[] = [firstSearch, index];
