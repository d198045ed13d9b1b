import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scanMemory } from "@mimikit/memory/search/scan";
import { type LeftOut, SearchThread, type ThreadLimits } from "@mimikit/memory/search/search-thread";
import { grepFiles } from "@mimikit/memory/sources/grep";
import { stampOf } from "@mimikit/memory/sources/sources";
import type { MemoryAnswer } from "@mimikit/protocol/wire/api";
import { describe, expect, onTestFinished, test } from "vitest";
import { workspace } from "./workspace.ts";

const SEARCH_WORKER = new URL("../../packages/memory/src/search/search-worker.ts", import.meta.url);
const PATIENT: ThreadLimits = { answerMs: 60_000, silenceMs: 60_000, restMs: 60_000 };

function threadOf(program: string | URL, limits: Partial<ThreadLimits> = {}, leftOut?: LeftOut): SearchThread {
  const url = typeof program === "string" ? new URL(`./threads/${program}.ts`, import.meta.url) : program;
  const thread = new SearchThread(url, { ...PATIENT, ...limits }, leftOut);
  onTestFinished(() => thread.close());
  return thread;
}

describe("a thread", () => {
  test("answers many at once, each with its own answer", async () => {
    const thread = threadOf(SEARCH_WORKER);
    const place = workspace({ ".mimikit/memory.md": "- zebra\n- camel\n- lion" });
    const other = workspace({ ".mimikit/memory.md": "- zebra elsewhere" });
    const ask = async (at: typeof place, query: string) =>
      (await thread.search({ ...at, query }))?.hits.map(({ text }) => text);
    expect(
      await Promise.all([ask(place, "zebra"), ask(other, "zebra"), ask(place, "camel"), ask(place, "lion")]),
    ).toEqual([["zebra"], ["zebra elsewhere"], ["camel"], ["lion"]]);
  });

  test("that died is started anew for the next search", async () => {
    const thread = threadOf("ends");
    const place = workspace({});
    expect(await thread.search({ ...place, query: "zebra" })).toBeNull();
    writeFileSync(join(place.workDir, "answer"), "");
    expect(await thread.search({ ...place, query: "zebra" })).toEqual({ method: "bm25", hits: [] });
  });

  test("that dies again and again is left alone for a while", async () => {
    const thread = threadOf("ends");
    const place = workspace({});
    for (let death = 0; death < 2; death++) expect(await thread.search({ ...place, query: "zebra" })).toBeNull();
    writeFileSync(join(place.workDir, "answer"), "");
    expect(await thread.search({ ...place, query: "zebra" })).toBeNull();
  });

  test("that takes too long, or fails, has no answer", async () => {
    const place = workspace({});
    expect(await threadOf("hangs", { answerMs: 1 }).search({ ...place, query: "zebra" })).toBeNull();
    expect(await threadOf("fails").search({ ...place, query: "zebra" })).toBeNull();
  });

  test("says what went wrong in it, whatever that was", async () => {
    const place = workspace({ answer: "" });
    const told: string[] = [];
    const ask = async (thread: SearchThread) => {
      thread.onFailure = (reason) => told.push(reason);
      expect(await thread.search({ ...place, query: "zebra" })).toBeNull();
    };
    await ask(threadOf("fails"));
    await ask(threadOf("is-missing"));
    await ask(threadOf("hangs", { answerMs: 20, silenceMs: 1 }));
    expect(told).toEqual([
      "the disk is ill",
      expect.stringContaining("is-missing"),
      expect.stringMatching(/^it was silent for \d+ ms$/),
    ]);
  });

  test("brings the index of a place up to date, and says what is in it", async () => {
    const place = workspace({ ".mimikit/memory.md": "- zebra\n- camel" });
    expect(await threadOf(SEARCH_WORKER).index(place)).toMatchObject({ files: 1, units: 2 });
    expect(await threadOf("fails").index(place)).toBeNull();
  });

  test("that is stuck is ended, and whoever still waits for it is told", async () => {
    const thread = threadOf("hangs", { answerMs: 500, silenceMs: 1 });
    const place = workspace({});
    const both = [thread.search({ ...place, query: "zebra" }), thread.search({ ...place, query: "camel" })];
    expect(await Promise.all(both)).toEqual([null, null]);
  });

  test("that hangs on a document is ended, names it once, and no other thread reads it until it changes", async () => {
    const leftOut: LeftOut = new Map();
    const told: string[] = [];
    const make = () => {
      const thread = threadOf("hangs-on-a-document", { answerMs: 5_000, silenceMs: 0 }, leftOut);
      thread.onFailure = (reason) => told.push(reason);
      return thread;
    };
    const first = make();
    const place = workspace({});
    expect(await first.search({ ...place, query: "zebra" })).toBeNull();
    await expect.poll(() => first.isStarted).toBe(false);
    const answer = { method: "scan", hits: [] };
    expect(await first.search({ ...place, query: "zebra" })).toEqual(answer);
    expect(await make().scan({ ...place, query: "zebra" })).toEqual(answer);
    expect(told.filter((reason) => reason.includes("bad.md"))).toEqual([
      "bad.md could not be read in time, and is left out until it changes",
    ]);
  });

  test("leaves out the version of a document that it was given, and reads the next one", async () => {
    const place = workspace({ ".mimikit/memory.md": "- zebra", "docs/bad.md": "a zebra, too" });
    const path = join(place.workDir, "docs/bad.md");
    const leftOut: LeftOut = new Map([[path, { path, stamp: stampOf(path) ?? "" }]]);
    const sourcesOf = (answer: MemoryAnswer | null) => answer?.hits.map(({ source }) => source);
    const thread = threadOf(SEARCH_WORKER, {}, leftOut);
    expect(sourcesOf(await thread.search({ ...place, query: "zebra" }))).toEqual(["memory.md"]);
    expect(sourcesOf(await thread.scan({ ...place, query: "zebra" }))).toEqual(["memory.md"]);
    writeFileSync(path, "a zebra that has changed");
    expect(sourcesOf(await thread.search({ ...place, query: "zebra" }))).toContain("docs/bad.md");
    expect(sourcesOf(await thread.scan({ ...place, query: "zebra" }))).toContain("docs/bad.md");
  });

  test("that is closed answers nobody any more", async () => {
    const thread = threadOf("hangs");
    const waiting = thread.search({ ...workspace({}), query: "zebra" });
    await thread.close();
    expect(await waiting).toBeNull();
    expect(await thread.search({ ...workspace({}), query: "zebra" })).toBeNull();
  });
});

test("a thread has its own bound of memory, whatever the process may take", () => {
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const program = `
    const { SearchThread } = await import(${url("../../packages/memory/src/search/search-thread.ts")});
    const thread = new SearchThread(new URL(${url("./threads/tells-its-bound.ts")}));
    thread.heapMb = 64;
    console.log((await thread.index({ home: "", workDir: "" })).units);`;
  const args = ["--max-old-space-size=512", "--max-semi-space-size=1", "--input-type=module", "-e", program];
  const boundMb = Number(execFileSync(process.execPath, args, { encoding: "utf8", timeout: 20_000 }));
  expect(boundMb).toBeGreaterThanOrEqual(64);
  expect(boundMb).toBeLessThan(100);
});

test("a process that has searched ends by itself", () => {
  const { home, workDir } = workspace({ ".mimikit/memory.md": "- zebra" });
  const search = new URL("../../packages/memory/src/search/search.ts", import.meta.url).href;
  const program = `
    const { searchMemory } = await import(${JSON.stringify(search)});
    const { method, hits } = await searchMemory(${JSON.stringify({ home, workDir, query: "zebra" })});
    console.log(method, hits.length);`;
  const options = { encoding: "utf8", timeout: 20_000 } as const;
  expect(execFileSync(process.execPath, ["--input-type=module", "-e", program], options)).toBe("bm25 1\n");
});

test("no thread is started while there is nothing to search, and the turn that needs it first does not wait for it", () => {
  const { home, workDir } = workspace({});
  const search = new URL("../../packages/memory/src/search/search.ts", import.meta.url).href;
  const memory = join(home, "memory.md");
  const program = `
    const { mkdirSync, writeFileSync } = await import("node:fs");
    let threads = 0;
    process.on("worker", () => threads++);
    const { recallMemory, searchMemory } = await import(${JSON.stringify(search)});
    const query = ${JSON.stringify({ home, workDir, query: "zebra" })};
    const tell = (answer) => console.log(answer?.hits.length, answer?.method === "bm25", threads);
    tell(await recallMemory(query));
    tell(await searchMemory(query));
    mkdirSync(${JSON.stringify(home)}, { recursive: true });
    writeFileSync(${JSON.stringify(memory)}, "- zebra");
    tell(await recallMemory(query));
    tell(await recallMemory(query));`;
  const options = { encoding: "utf8", timeout: 20_000 } as const;
  const told = execFileSync(process.execPath, ["--input-type=module", "-e", program], options);
  expect(told.trim().split("\n")).toEqual(["undefined false 0", "0 false 0", "1 false 1", "1 true 1"]);
});

const missing = await grepFiles(["zebra"], [import.meta.filename]).then((paths) => paths === null);
if (missing) console.info("without rg: that ripgrep names the files to read is not tried here");

describe.skipIf(missing)("ripgrep", () => {
  test("names the files that hold any of the words, whatever their case, and reads no pattern into them", async () => {
    const { workDir } = workspace({ "a b.md": "a ZEBRA", "--help": "c.mel", "c.md": "camel", "d.md": "发布窗口" });
    const paths = ["a b.md", "--help", "c.md", "d.md"].map((name) => join(workDir, name));
    expect((await grepFiles(["zebra", "c.mel", "$(x)"], paths))?.toSorted()).toEqual([paths[1], paths[0]]);
    expect(await grepFiles(["窗口"], paths)).toEqual([paths[3]]);
    expect(await grepFiles(["lion"], paths)).toEqual([]);
  });

  test("narrows a search without an index down", async () => {
    const place = workspace({ ".mimikit/memory.md": "- superstructure\n- else", "docs/a.md": "nothing" });
    expect(await scanMemory({ ...place, query: "struct" })).toMatchObject({
      method: "rg",
      hits: [{ source: "memory.md", text: "superstructure", score: 1 }],
    });
  });
});
