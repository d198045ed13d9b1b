import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { scanMemory } from "@mimikit/memory/search/scan";
import { searchMemory } from "@mimikit/memory/search/search";
import { keywordsOf } from "@mimikit/memory/text/keywords";
import { splitUnits } from "@mimikit/memory/text/units";
import { describe, expect, test } from "vitest";
import { workspace } from "./workspace.ts";

const find = async (files: Record<string, string>, query: string, limit?: number) =>
  (await searchMemory({ ...workspace(files), query, limit })).hits.map(({ source, text }) => `[${source}] ${text}`);

describe("finding", () => {
  test("nothing, where there is nothing yet", async () => {
    expect(await find({}, "pnpm")).toEqual([]);
    expect(await find({ ".mimikit/memory.md": "" }, "pnpm")).toEqual([]);
  });

  test("something in one note, or in two", async () => {
    const one = { ".mimikit/memory.md": "- 我喜欢用 pnpm <!-- t-000042.1 -->\n" };
    expect(await find(one, "pnpm")).toEqual(["[memory.md] 我喜欢用 pnpm"]);
    const two = { ...one, ".mimikit/memory/2026-01-28-deploy.md": "We deploy with pnpm on Thursdays.\n" };
    expect(await find(two, "deploy pnpm")).toEqual([
      "[memory/2026-01-28-deploy.md] We deploy with pnpm on Thursdays.",
      "[memory.md] 我喜欢用 pnpm",
    ]);
  });

  test.each(["发布窗口", "每周四", "窗口是什么时候", "喜欢"])("Chinese by %s", async (query) => {
    const memory = "- 发布窗口是每周四下午，我喜欢提前准备\n- 数据库备份在凌晨\n";
    expect(await find({ ".mimikit/memory.md": memory }, query)).toEqual([
      "[memory.md] 发布窗口是每周四下午，我喜欢提前准备",
    ]);
  });

  test("a rare word weighs more than common ones, over many notes", async () => {
    const files: Record<string, string> = {};
    for (let i = 0; i < 300; i++)
      files[`.mimikit/memory/2026-01-${String(i).padStart(3, "0")}.md`] = "The server was restarted.";
    files[".mimikit/memory/2026-02-01.md"] = "The server keeps its certificate in vault.";
    expect((await find(files, "server certificate"))[0]).toContain("certificate in vault");
    expect(await find(files, "server certificate")).toHaveLength(5);
    expect(await find(files, "server", 2)).toHaveLength(2);
  });

  test("every source of the specification, long-term memory first among equals", async () => {
    const files = {
      ".mimikit/memory.md": "zebra one",
      ".mimikit/memory/2026-11-20.md": "zebra two",
      ".mimikit/memory/summary/2026-10-01.md": "zebra three",
      "MEMORY.md": "zebra four",
      "docs/deep/guide.md": "zebra five",
    };
    const found = await find(files, "zebra");
    expect(found.toSorted()).toEqual(
      Object.entries(files)
        .map(([name, text]) => `[${name.replace(".mimikit/", "")}] ${text}`)
        .toSorted(),
    );
    // Units of the same length, each with the words of its file's name.
    const order = (...names: string[]) => found.filter((hit) => names.some((name) => hit.startsWith(`[${name}]`)));
    expect(order("memory.md", "MEMORY.md", "docs/deep/guide.md")).toEqual([
      "[memory.md] zebra one",
      "[MEMORY.md] zebra four",
      "[docs/deep/guide.md] zebra five",
    ]);
    expect(order("memory/2026-11-20.md", "memory/summary/2026-10-01.md")).toEqual([
      "[memory/2026-11-20.md] zebra two",
      "[memory/summary/2026-10-01.md] zebra three",
    ]);
  });

  test("a day that stands beside the summary of its month is not in there yet, and is found", async () => {
    const files = {
      ".mimikit/memory/summary/2026-10.md": "zebra of the month",
      ".mimikit/memory/summary/2026-10-03.md": "zebra of the day",
      ".mimikit/memory/summary/2026-09-03.md": "zebra of another month",
    };
    expect(await find(files, "zebra")).toEqual([
      "[memory/summary/2026-10.md] zebra of the month",
      "[memory/summary/2026-10-03.md] zebra of the day",
      "[memory/summary/2026-09-03.md] zebra of another month",
    ]);
  });

  test("not through links, nor in files that are no Markdown", async () => {
    const place = workspace({ "docs/a.txt": "zebra", "secret/b.md": "zebra" });
    symlinkSync(join(place.workDir, "secret"), join(place.workDir, "docs/linked"));
    symlinkSync(join(place.workDir, "secret/b.md"), join(place.workDir, "docs/b.md"));
    symlinkSync(join(place.workDir, "secret/b.md"), join(place.workDir, "MEMORY.md"));
    expect((await searchMemory({ ...place, query: "zebra" })).hits).toEqual([]);
  });

  test("stop words alone find nothing but themselves", async () => {
    const files = { ".mimikit/memory.md": "- what is the plan\n- pnpm is fast\n" };
    expect(await find(files, "what is pnpm")).toEqual(["[memory.md] pnpm is fast"]);
    expect(await find(files, "？！")).toEqual([]);
  });
});

describe.each([
  ["by the index", searchMemory],
  ["without it", scanMemory],
])("what is asked for, %s,", (_, search) => {
  const files = {
    ".mimikit/memory/2026-02-10-a.md": "zebra a",
    ".mimikit/memory/2026-03-05.md": "zebra b",
    ".mimikit/memory/summary/2026-01.md": "zebra c",
    "docs/guide.md": "zebra d",
  };
  const names = async (part: object) =>
    (await search({ ...workspace(files), query: "zebra", ...part })).hits.map(({ source }) => source).sort();

  test("may have to be of some days, by the names of its files", async () => {
    expect(await names({ after: "2026-02-10", before: "2026-03-05" })).toEqual([
      "memory/2026-02-10-a.md",
      "memory/2026-03-05.md",
    ]);
    expect(await names({ after: "2026-02-11", before: "2026-03-04" })).toEqual([]);
  });

  test("is of a whole month where a file is", async () => {
    expect(await names({ after: "2026-01-20", before: "2026-02-01" })).toEqual(["memory/summary/2026-01.md"]);
    expect(await names({ before: "2025-12-31" })).toEqual([]);
  });

  test("is of the day of its last change where its name has none", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const changed = await search({ ...workspace({ "docs/guide.md": "zebra" }), query: "zebra", after: today });
    expect(changed.hits).toMatchObject([{ source: "docs/guide.md", score: 1 }]);
    expect(await names({ after: "2999-01-01" })).toEqual([]);
  });

  test("may be of some sources only, and at most fifty", async () => {
    expect(await names({ sources: ["memory/summary/", "docs/"] })).toEqual([
      "docs/guide.md",
      "memory/summary/2026-01.md",
    ]);
    const many = workspace({ ".mimikit/memory.md": "- zebra\n".repeat(80) });
    expect((await search({ ...many, query: "zebra", limit: 1_000 })).hits).toHaveLength(50);
  });
});

test.each(["  ", ".*", "[a-z]+(", "the of and", "的 了", "🦓🎉", "\0", "-rf --help", "$(reboot)", "x".repeat(100_000)])(
  "a hostile query finds nothing, and harms nothing (%#)",
  async (query) => {
    expect((await searchMemory({ ...workspace({ ".mimikit/memory.md": "zebra\n\n马" }), query })).hits).toEqual([]);
  },
);

test("of a hostile query the words still find what they are in", async () => {
  const memory = { ".mimikit/memory.md": "- zebra (in the zoo)\n- deploy 🎉\n- cost: $5 & more" };
  for (const query of ["(zebra|", "zebra\0", `zebra ${"🎉".repeat(50_000)}`, "ＺＥＢＲＡ"])
    expect(await find(memory, query)).toEqual(["[memory.md] zebra (in the zoo)"]);
});

test.each([
  ["by the index", searchMemory],
  ["without it", scanMemory],
])("a word is found in its other forms, %s", async (_, search) => {
  const place = workspace({ ".mimikit/memory.md": "- decided: blue and green\n- two copies of the key\n- lunch" });
  const texts = async (query: string) => (await search({ ...place, query })).hits.map(({ text }) => text);
  for (const query of ["decide", "decides", "deciding"])
    expect(await texts(query)).toEqual(["decided: blue and green"]);
  expect(await texts("copies")).toEqual(["two copies of the key"]);
});

test("what the index cannot find is looked for inside of words", async () => {
  const place = workspace({ ".mimikit/memory.md": "- the superstructure stands" });
  const { method, hits } = await searchMemory({ ...place, query: "struct" });
  expect(["rg", "scan"]).toContain(method);
  expect(hits).toMatchObject([{ source: "memory.md", text: "the superstructure stands", score: 1 }]);
  expect((await searchMemory({ ...place, query: "superstructure" })).method).toBe("bm25");
});

describe("a hit", () => {
  test("is at most 300 characters of a long text, around what was found", async () => {
    const head = await find({ ".mimikit/memory.md": `needle ${"x ".repeat(400)}` }, "needle");
    expect(head[0]).toMatch(/^\[memory\.md\] needle x .*…\[truncated\]$/);
    const middle = await find({ ".mimikit/memory.md": `${"x ".repeat(400)}needle ${"y ".repeat(400)}` }, "needle");
    expect(middle[0]).toMatch(/^\[memory\.md\] …x .* needle y .*…\[truncated\]$/);
    for (const [hit = ""] of [head, middle]) expect(hit.length).toBeLessThan(340);
  });

  test("shows something of a text whose small letters take more room than it", async () => {
    const [hit] = await find({ ".mimikit/memory.md": `${"İ".repeat(600)} needle` }, "needle");
    expect(hit).toContain("needle");
  });

  test("ends in whole characters", async () => {
    const [hit] = await find({ ".mimikit/memory.md": `needle ${"🎉".repeat(400)}` }, "needle");
    expect(hit?.isWellFormed()).toBe(true);
  });

  test("is a paragraph or a list item, with the heading above it and without comments", () => {
    const markdown =
      "# Deploy\n\nFirst line\nsecond line <!-- hidden\nstill --> here\n\n- [x] item one\n  goes on\n- item two\n\n## Empty\n<!-- open";
    expect(splitUnits(markdown).map(({ text }) => text)).toEqual([
      "Deploy: First line second line  here",
      "item one goes on",
      "item two",
      "Empty",
    ]);
  });
});

describe("keywords", () => {
  test("come from the newest of the last five texts, six in all", () => {
    const history = ["too old", "zero", "ten", "two", "three", "please deploy the server"];
    expect(keywordsOf(history)).toEqual(["deploy", "server", "three", "two", "ten", "zero"]);
  });

  test("leave out stop words, single letters and repeats", () => {
    expect(keywordsOf(["what is the PNPM a b pnpm?"])).toEqual(["pnpm"]);
    expect(keywordsOf(["", "！"])).toEqual([]);
  });

  test("are words in Chinese, and a run that has none is itself", () => {
    expect(keywordsOf(["发布窗口是每周四"])).toEqual(expect.arrayContaining(["发布", "窗口"]));
    expect(keywordsOf(["甲乙"])).toEqual(["甲乙"]);
  });
});
