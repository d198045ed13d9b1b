import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { keywordsOf } from "@mimikit/memory/keywords";
import { searchMemory, splitUnits } from "@mimikit/memory/search";
import { tokenize } from "@mimikit/memory/tokenize";
import { describe, expect, onTestFinished, test } from "vitest";

/** A workspace whose state directory is `.mimikit`, with these files. */
function workspace(files: Record<string, string>): { home: string; workDir: string } {
  const workDir = mkdtempSync(join(tmpdir(), "mimikit-memory-"));
  onTestFinished(() => rmSync(workDir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    const path = join(workDir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return { workDir, home: join(workDir, ".mimikit") };
}

const find = async (files: Record<string, string>, query: string, limit?: number) =>
  (await searchMemory({ ...workspace(files), query, ...(limit !== undefined && { limit }) })).map(
    ({ source, text }) => `[${source}] ${text}`,
  );

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
    expect(await find(files, "zebra")).toEqual([
      "[memory.md] zebra one",
      "[memory/2026-11-20.md] zebra two",
      "[memory/summary/2026-10-01.md] zebra three",
      "[MEMORY.md] zebra four",
      "[docs/deep/guide.md] zebra five",
    ]);
  });

  test("a monthly summary hides the days of its month", async () => {
    const files = {
      ".mimikit/memory/summary/2026-10.md": "zebra of the month",
      ".mimikit/memory/summary/2026-10-03.md": "zebra of the day",
      ".mimikit/memory/summary/2026-09-03.md": "zebra of another month",
    };
    expect(await find(files, "zebra")).toEqual([
      "[memory/summary/2026-10.md] zebra of the month",
      "[memory/summary/2026-09-03.md] zebra of another month",
    ]);
  });

  test("not through links, nor in files that are no Markdown", async () => {
    const place = workspace({ "docs/a.txt": "zebra", "secret/b.md": "zebra" });
    symlinkSync(join(place.workDir, "secret"), join(place.workDir, "docs/linked"));
    symlinkSync(join(place.workDir, "secret/b.md"), join(place.workDir, "docs/b.md"));
    expect(await searchMemory({ ...place, query: "zebra" })).toEqual([]);
  });

  test("stop words alone find nothing but themselves", async () => {
    const files = { ".mimikit/memory.md": "- what is the plan\n- pnpm is fast\n" };
    expect(await find(files, "what is pnpm")).toEqual(["[memory.md] pnpm is fast"]);
    expect(await find(files, "？！")).toEqual([]);
  });
});

describe("a hit", () => {
  test("is at most 300 characters of a long text, around what was found", async () => {
    const head = await find({ ".mimikit/memory.md": `needle ${"x ".repeat(400)}` }, "needle");
    expect(head[0]).toMatch(/^\[memory\.md\] needle x .*…\[truncated\]$/);
    const middle = await find({ ".mimikit/memory.md": `${"x ".repeat(400)}needle ${"y ".repeat(400)}` }, "needle");
    expect(middle[0]).toMatch(/^\[memory\.md\] …x .* needle y .*…\[truncated\]$/);
    for (const [hit = ""] of [head, middle]) expect(hit.length).toBeLessThan(340);
  });

  test("is a paragraph or a list item, with the heading above it and without comments", () => {
    const markdown =
      "# Deploy\n\nFirst line\nsecond line <!-- hidden\nstill --> here\n\n- [x] item one\n  goes on\n- item two\n\n## Empty\n<!-- open";
    expect(splitUnits(markdown)).toEqual([
      "Deploy: First line second line  here",
      "item one goes on",
      "item two",
      "Empty",
    ]);
  });
});

test("tokens are words, and pairs and words of Chinese", () => {
  expect(tokenize("Use pnpm_v9, не npm!")).toEqual(["use", "pnpm_v9", "не", "npm"]);
  expect(tokenize("用pnpm管理")).toEqual(["用", "pnpm", "管理"]);
  expect(new Set(tokenize("包管理器"))).toEqual(
    new Set(["包管", "管理", "理器", ...tokenize("包管理器").filter((word) => word.length > 2)]),
  );
});

describe("keywords", () => {
  test("come from the pending messages first, then from the newest of the last five, six in all", () => {
    const history = ["too old", "one", "two", "three", "four", "five"];
    expect(keywordsOf(["please deploy the server"], history)).toEqual([
      "deploy",
      "server",
      "five",
      "four",
      "three",
      "two",
    ]);
  });

  test("leave out stop words, single letters and repeats", () => {
    expect(keywordsOf(["what is the PNPM a b pnpm?"], [])).toEqual(["pnpm"]);
    expect(keywordsOf(["", "！"], [])).toEqual([]);
  });

  test("are words in Chinese, and a run that has none is itself", () => {
    expect(keywordsOf(["发布窗口是每周四"], [])).toEqual(expect.arrayContaining(["发布", "窗口"]));
    expect(keywordsOf(["甲乙"], [])).toEqual(["甲乙"]);
  });
});
