/** `mimikit memory` and `mimikit backlog`: the files are read and commands are left with everything down. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InboxCommand } from "@mimikit/protocol/records/inbox";
import { prepareHome, readToken } from "@mimikit/runtime/home/home";
import { isSigned } from "@mimikit/store/disk/sign";
import { expect, onTestFinished, test } from "vitest";
import { type CliPlace, runCli } from "../run-cli.ts";

function place(files: Record<string, string> = {}): CliPlace {
  const dir = mkdtempSync(join(tmpdir(), "mimikit-cli-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const at = { home: join(dir, "home"), workDir: join(dir, "work") };
  mkdirSync(at.workDir);
  prepareHome(at.home);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at.home, name), text);
  return at;
}

function commands({ home }: CliPlace): InboxCommand[] {
  return readdirSync(join(home, "inbox")).map((name) =>
    InboxCommand.parse(JSON.parse(readFileSync(join(home, "inbox", name), "utf8"))),
  );
}

test("memory is searched by words, days and files, for people and as JSON", async () => {
  const at = place({
    "memory.md": "- we deploy on Thursdays\n",
    "memory/summary/2026-03.md": "- the deployment became blue and green\n",
    "memory/summary/2025-03.md": "- the deployment was done by hand\n",
  });
  const shown = await runCli(at, ["memory", "search", "deployment", "blue"]);
  expect(shown).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^memory\/summary\/2026-03\.md {2}1\.00\n {2}the deployment became blue and green\n/),
  });
  const narrow = ["--after", "2025-01-01", "--before", "2025-12-31", "--source", "memory/summary/", "--json"];
  const { hits } = JSON.parse((await runCli(at, ["memory", "search", "deployment", ...narrow])).out);
  expect(hits.map(({ source }: { source: string }) => source)).toEqual(["memory/summary/2025-03.md"]);
});

test("the status of memory counts its files, and the index is nothing that has to be built", async () => {
  const at = place({ "memory.md": "- one\n- two\n", "memory/2026-11-20-kick-off.md": "- three\n" });
  const status = JSON.parse((await runCli(at, ["memory", "status", "--json"])).out);
  expect(status).toMatchObject({
    sources: [
      { source: "memory.md", files: 1, bytes: 12 },
      { source: "memory/", files: 1, bytes: 8 },
    ],
    newestNote: "memory/2026-11-20-kick-off.md",
    newestSummaries: [],
    unarchived: 0,
    index: { files: 2, units: 3 },
  });
  const shown = await runCli(at, ["memory", "index"]);
  expect(shown.out).toMatch(/^3 paragraphs and list items of 2 files, read in \d+ ms\n.*There is nothing to be built/s);
});

test("what is to be remembered becomes a signed command, which waits where nothing runs", async () => {
  const at = place();
  expect(await runCli(at, ["memory", "add", "--long-term", "we", "deploy", "on", "Thursdays"])).toMatchObject({
    code: 0,
    out: "queued; it is written when Mimikit runs\n",
  });
  const [command] = commands(at);
  expect(command).toMatchObject({ kind: "memory-add", content: "we deploy on Thursdays", longTerm: true });
  expect(command !== undefined && "mac" in command && isSigned(readToken(at.home), command)).toBe(true);
  expect(readdirSync(join(at.home, "tmp"))).toEqual([]);
});

test("the one entry that says so is to be forgotten; several, or none, are said", async () => {
  const at = place({
    "memory.md": "- tea at four <!-- t-000001.0 -->\n- Tea at five\n",
    "user_profile.md": "- likes tea\n",
  });
  const several = await runCli(at, ["memory", "forget", "tea"]);
  expect(several).toMatchObject({ code: 2, error: expect.stringContaining("3 entries contain these words") });
  expect(several.error).toContain("user_profile.md: likes tea");
  expect(await runCli(at, ["memory", "forget", "coffee"])).toMatchObject({
    code: 1,
    error: expect.stringContaining("no entry contains these words"),
  });
  expect(commands(at)).toEqual([]);
  expect(await runCli(at, ["memory", "forget", "tea", "at", "FIVE"])).toMatchObject({
    code: 0,
    out: "Tea at five: queued; it is removed when Mimikit runs\n",
  });
  expect(commands(at)).toMatchObject([{ kind: "memory-edit", document: "memory.md", entry: "Tea at five" }]);
});

test("what was only said is to be forgotten by its words", async () => {
  const at = place();
  const said = {
    id: "m-1",
    role: "user",
    at: "2026-11-22T12:00:00.000Z",
    text: "My wife Anna eats no fish. It rains.",
  };
  writeFileSync(join(at.home, "history.json"), JSON.stringify({ throughTurn: 1, messages: [said] }));
  expect(await runCli(at, ["memory", "forget", "Anna", "eats", "no", "fish"])).toMatchObject({
    code: 0,
    out: expect.stringContaining("queued; it is forgotten when Mimikit runs"),
  });
  expect(commands(at)).toMatchObject([
    { kind: "memory-add", target: "forgotten", content: "Anna eats no fish\nMy wife Anna eats no fish." },
  ]);
  expect(await runCli(at, ["memory", "forget", "the", "boiler"])).toMatchObject({ code: 1 });
});

test("the backlog is shown with the numbers of its items, and a change of it is a command", async () => {
  const at = place({ "backlog.md": "# Mine\r\n- [ ] first <!-- t-000001.0 -->\r\n* [x] second\r\n" });
  expect((await runCli(at, ["backlog"])).out).toBe("   done  item\n1        first\n2  x     second\n");
  expect(await runCli(at, ["backlog", "done", "2", "--json"])).toMatchObject({ code: 0 });
  expect(commands(at)).toMatchObject([{ kind: "backlog-edit", op: "done", item: "2" }]);
});

test("what was typed wrongly is said in one line, and nothing is kept of it", async () => {
  const at = place();
  mkdirSync(join(at.home, "backlog.md"));
  const wrong: [string[], number, string][] = [
    [["memory", "search", "x", "--after", "spring"], 2, "--after: must be a day like 2026-12-01"],
    [
      ["memory", "search", "x", "--long-term"],
      2,
      "mimikit memory search takes no --long-term: it is an option of  mimikit memory add",
    ],
    [["memory", "add", "x".repeat(2_001)], 2, "at most 2000 characters"],
    [["backlog"], 1, "backlog.md cannot be read: not a regular file"],
  ];
  for (const [words, code, error] of wrong)
    expect(await runCli(at, words), words.join(" ").slice(0, 40)).toMatchObject({
      code,
      error: expect.stringContaining(error),
    });
  expect(commands(at)).toEqual([]);
});
