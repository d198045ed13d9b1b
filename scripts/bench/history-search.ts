/**
 * How long a search of 100,000 messages takes, how long it takes until the first one can begin, and how much memory that
 * costs: `node --expose-gc scripts/bench/history-search.ts [messages]`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HistoryIndex } from "@mimikit/memory/search/history-index";
import { subjectOf } from "@mimikit/memory/subject/subject";
import { HistoryQuery } from "@mimikit/protocol/wire/api";
import { QUERIES, writeTalk } from "./measure/talk.ts";

const MESSAGES_DEFAULT = 100_000;
const RUNS = 15;
/** As many hits as a turn asks for. */
const RECALLED = 12;

/** Memory in use, in bytes; including garbage if the collector is not exposed. */
function bytesInUse(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const messages = Number(process.argv[2] ?? MESSAGES_DEFAULT);
const home = mkdtempSync(join(tmpdir(), "mimikit-bench-"));
try {
  const chars = await writeTalk(home, messages);
  const index = new HistoryIndex(home);
  const bytesBefore = bytesInUse();
  const began = performance.now();
  await index.refresh();
  const line = (ms: number, text: string) => process.stdout.write(`${ms.toFixed(1).padStart(8)} ms  ${text}\n`);
  line(performance.now() - began, `to read ${messages} messages, ${chars} characters`);
  process.stdout.write(`${((bytesInUse() - bytesBefore) / 1e6).toFixed(1).padStart(8)} MB  to keep them\n`);
  const said = index.with([]);
  const time = async (what: string, look: () => Promise<unknown>) => {
    const times: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const start = performance.now();
      await look();
      times.push(performance.now() - start);
    }
    line(times.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0, `${what} (the median of ${RUNS})`);
  };
  for (const query of QUERIES) {
    await time(`to find "${query}"`, () => said.search(HistoryQuery.parse({ query })));
    const subject = subjectOf(query, []);
    if (subject === null) continue;
    const asked = { subject, asked: query, limit: RECALLED, isKnown: () => false, forgotten: new Set<number>() };
    await time("to recall what it is about", () => said.recall(asked));
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
