/** The reach of a Worker's tools, and their answers. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createToolBus } from "@mimikit/agent/bus";
import { TEXT_FILE_BYTES_MAX } from "@mimikit/agent/skills/text-file";
import { ToolText } from "@mimikit/agent/tools/tool-text";
import { findMarked, MARK_VARIABLE } from "@mimikit/runtime/process/marked-processes";
import { describe, expect, test } from "vitest";
import { BASH_TAIL_BYTES_MAX, BASH_TAIL_LINES_MAX } from "../../../../packages/agent/src/kernel/tools/bash.ts";
import { kernelTools } from "../../../../packages/agent/src/kernel/tools/index.ts";
import { PAGE_CHARS_MAX } from "../../../../packages/agent/src/kernel/tools/read-text-file.ts";
import { contextOf, taskOf, temporaryDirectory } from "../../fixtures.ts";

let marks = 0;

/** A workspace with its state directory inside, a directory outside of it, and the tools of a run. */
function open(options: { workDir?: string } = {}) {
  const outside = temporaryDirectory();
  const { workDir = join(outside, "work") } = options;
  const home = join(outside, "work", ".mimikit");
  const runDir = join(home, "runs", "r");
  mkdirSync(runDir, { recursive: true });
  writeFileSync(join(home, "token"), "secret");
  writeFileSync(join(outside, "private"), "secret");
  const mark = `kernel-tools-${process.pid}:${++marks}.a1`;
  const { signal } = new AbortController();
  const task = taskOf({ id: "t-000001.0.0", role: "worker" });
  const environment = { [MARK_VARIABLE]: mark };
  const tools = kernelTools({ task, workDir, home, sandbox: "auto", runDir, environment, signal }, []);
  const bus = createToolBus({ task, tools, reads: contextOf(), onCall: () => {} });
  /** The answer as the model reads it. */
  const call = async (name: string, input: unknown): Promise<string> => {
    const answer = await bus.call(name, input);
    return answer.ok ? ToolText.parse(answer.data).text : `${answer.code}: ${answer.message}`;
  };
  return { outside, workDir, home, runDir, mark, bus, call, at: (path: string) => join(workDir, path) };
}

describe("the tools of a model", () => {
  const calls = (path: string): [string, unknown][] => [
    ["read_text_file", { path }],
    ["write_text_file", { path, content: "forged" }],
    ["edit_text_file", { path, oldText: "secret", newText: "forged" }],
  ];

  /** A path, and where the link `l` in the workspace leads to. */
  type Attempt = (place: ReturnType<typeof open>) => { path: string; link?: string };

  test.each<[string, string, Attempt]>([
    ["the state directory", "state directory", () => ({ path: ".mimikit/token" })],
    ["it by a detour", "state directory", () => ({ path: "src/../.mimikit/./token" })],
    ["it by its absolute path", "state directory", ({ home }) => ({ path: join(home, "token") })],
    ["it through a link to it", "state directory", ({ home }) => ({ path: "l/token", link: home })],
    ["it through a link to a file", "state directory", ({ home }) => ({ path: "l", link: join(home, "token") })],
    ["new files in it", "state directory", () => ({ path: ".mimikit/teller/results/t-000001.json" })],
    ["the directory above", "outside the workspace", () => ({ path: "../private" })],
    ["a file elsewhere", "outside the workspace", ({ outside }) => ({ path: join(outside, "private") })],
    ["outside through a link", "outside the workspace", ({ outside }) => ({ path: "l/private", link: outside })],
    ["new files outside", "outside the workspace", ({ outside }) => ({ path: "l/new", link: outside })],
    ["what a dangling link means", "leads nowhere", ({ outside }) => ({ path: "l", link: join(outside, "new") })],
    ["below a dangling link", "leads nowhere", ({ outside }) => ({ path: "l/x", link: join(outside, "new") })],
    ["a neighbour whose name begins alike", "outside the workspace", () => ({ path: "../workshop" })],
    ["git's own files", "git's own", () => ({ path: ".git/hooks/post-commit" })],
    ["those of a repository below", "git's own", () => ({ path: "sub/.GIT/config" })],
    ["those through a link", "git's own", ({ at }) => ({ path: "l/config", link: at(".git") })],
    ["the file that names another repository", "git's own", () => ({ path: ".git" })],
    ["a name with a NUL", "NUL", () => ({ path: "a\0b" })],
  ])("never reach %s", async (_, why, attempt) => {
    const place = open();
    const { path, link } = attempt(place);
    if (link !== undefined) symlinkSync(link, place.at("l"));
    mkdirSync(place.at(".git"), { recursive: true });
    const wanted = calls(path).filter(([name]) => why !== "git's own" || name !== "read_text_file");
    for (const [name, input] of wanted) expect(await place.call(name, input)).toContain(why);
    expect(readFileSync(join(place.home, "token"), "utf8")).toBe("secret");
    expect(readFileSync(join(place.outside, "private"), "utf8")).toBe("secret");
    expect(existsSync(join(place.outside, "new"))).toBe(false);
  });

  test("reach links that stay inside, and directories whose names only look like ours", async () => {
    const { at, call } = open();
    mkdirSync(at(".mimikit-notes"));
    writeFileSync(at(".mimikit-notes/a"), "inside");
    symlinkSync(at(".mimikit-notes/a"), at("l"));
    expect(await call("read_text_file", { path: "l" })).toBe("inside");
    await call("write_text_file", { path: "l", content: "new" });
    expect(readFileSync(at(".mimikit-notes/a"), "utf8")).toBe("new");
  });
});

describe("read_text_file", () => {
  test("shows a long file page by page, and every line once", async () => {
    const { at, call } = open();
    const lines = Array.from({ length: 3_000 }, (_, i) => `line ${i + 1} ${"x".repeat(i % 20)}`);
    writeFileSync(at("a"), `${lines.join("\n")}\n`);
    const seen: string[] = [];
    for (let fromLine = 1; ; ) {
      const page = (await call("read_text_file", { path: "a", fromLine })).split("\n");
      expect(page.join("\n").length).toBeLessThan(PAGE_CHARS_MAX + 100);
      const next = /go on with fromLine (\d+)/.exec(page.at(-1) ?? "");
      seen.push(...(next === null ? page : page.slice(0, -1)));
      if (next === null) break;
      fromLine = Number(next[1]);
    }
    expect(seen).toEqual(lines);
  });

  test.each<[string, string | Buffer, number, string]>([
    ["an empty file", "", 1, "[the file is empty]"],
    ["a line beyond the end", "a\nb\n", 9, "[the file has only 2 lines]"],
    ["a last line without an end", "a\nb", 2, "b"],
    ["an endless line", "x".repeat(PAGE_CHARS_MAX + 1), 1, "[line 1 of 1 has 16385 characters"],
    ["a binary file", Buffer.from([1, 0, 2]), 1, "is no text file"],
    ["a huge file", "x".repeat(TEXT_FILE_BYTES_MAX + 1), 1, "use the shell"],
  ])("says what there is to say about %s", async (_, content, fromLine, answer) => {
    const { at, call } = open();
    writeFileSync(at("a"), content);
    expect(await call("read_text_file", { path: "a", fromLine })).toContain(answer);
  });

  test.each<[string, Buffer, string]>([
    ["GBK", Buffer.from("\xc4\xe3\xba\xc3\r\n", "latin1"), "你好\n[read as gb18030, a guess]"],
    ["Latin-1", Buffer.from("caf\xe9\n", "latin1"), "café\n[read as windows-1252, a guess]"],
    ["UTF-16", Buffer.from("\ufeff你好\n", "utf16le"), "你好\n[read as utf-16le]"],
    ["UTF-8 with a mark", Buffer.from("\ufeff你好\n"), "你好"],
  ])("says how it has read a file in %s", async (_name, content, page) => {
    const { at, call } = open();
    writeFileSync(at("a"), content);
    expect(await call("read_text_file", { path: "a" })).toBe(page);
  });

  test("cuts a long line between two characters", async () => {
    const { at, call } = open();
    writeFileSync(at("a"), `${"a".repeat(PAGE_CHARS_MAX - 1)}😀${"b".repeat(100)}`);
    const page = await call("read_text_file", { path: "a" });
    expect(page.isWellFormed()).toBe(true);
    expect(page).toMatch(/^a+\n\[line 1 of 1 has 16485 characters/);
  });

  test("does not wait for a pipe, and tells what is no file", async () => {
    const { at, call } = open();
    execFileSync("mkfifo", [at("pipe")]);
    expect(await call("read_text_file", { path: "pipe" })).toContain("not a regular file");
    expect(await call("read_text_file", { path: "." })).toContain("not a regular file");
    expect(await call("read_text_file", { path: "gone" })).toContain("ENOENT");
    expect(await call("write_text_file", { path: "pipe", content: "" })).toContain("not a regular file");
  });
});

describe("write_text_file and edit_text_file", () => {
  test("keep the permissions of a file, and leave nothing beside it", async () => {
    const { at, call, workDir } = open();
    writeFileSync(at("run.sh"), "echo one\n");
    chmodSync(at("run.sh"), 0o754);
    expect(await call("edit_text_file", { path: "run.sh", oldText: "one", newText: "two" })).toBe("edited run.sh");
    expect(await call("write_text_file", { path: "deep/er/汉.txt", content: "汉" })).toBe(
      "created deep/er/汉.txt (3 bytes)",
    );
    expect(statSync(at("run.sh")).mode & 0o777).toBe(0o754);
    expect(execFileSync("find", [workDir, "-name", "*.tmp"]).toString()).toBe("");
  });

  test("replace a file, not what else has its content", async () => {
    const { at, call } = open();
    writeFileSync(at("a"), "old");
    linkSync(at("a"), at("b"));
    await call("write_text_file", { path: "a", content: "new" });
    expect(readFileSync(at("b"), "utf8")).toBe("old");
  });

  test.each([
    ["aXbXc", "X", "more than once"],
    ["aaa", "aa", "more than once"],
    ["abc", "x", "does not occur"],
  ])("of %j, %j names no single place", async (content, oldText, why) => {
    const { at, call } = open();
    writeFileSync(at("a"), content);
    expect(await call("edit_text_file", { path: "a", oldText, newText: "y" })).toContain(why);
    expect(readFileSync(at("a"), "utf8")).toBe(content);
  });
});

describe("edit_text_file", () => {
  const latin1 = (text: string) => Buffer.from(text, "latin1");

  test.each<[string, Buffer, string, string, Buffer]>([
    [
      "Latin-1",
      latin1("name = caf\xe9\nport = 1\n"),
      "port = 1",
      "port = 2 ü",
      latin1("name = caf\xe9\nport = 2 \xfc\n"),
    ],
    ["GBK", latin1("\xc4\xe3\xba\xc3=1\r\nb=2\r\n"), "你好=1\nb", "好=2\nb", latin1("\xba\xc3=2\r\nb=2\r\n")],
    ["Shift-JIS", latin1("\x90\xbf\x8b\x81\x8f\x91 a\n"), "a", "b", latin1("\x90\xbf\x8b\x81\x8f\x91 b\n")],
    [
      "UTF-16 with a mark",
      Buffer.from("\ufeff你=1\n", "utf16le"),
      "你=1",
      "你=2",
      Buffer.from("\ufeff你=2\n", "utf16le"),
    ],
    ["UTF-8 with a mark", Buffer.from("\ufeffport = 1\n"), "port = 1", "port = 2", Buffer.from("\ufeffport = 2\n")],
  ])("changes no other byte of a file in %s", async (_name, content, oldText, newText, edited) => {
    const { at, call } = open();
    writeFileSync(at("a"), content);
    expect(await call("edit_text_file", { path: "a", oldText, newText })).toBe("edited a");
    expect(readFileSync(at("a"))).toEqual(edited);
  });

  test.each<[string, Buffer, string, string]>([
    ["UTF-16 with half a character", latin1("\xff\xfea\0\x3d\xd8b\0"), "x", "it is not whole text in utf-16le"],
    ["UTF-8 that is cut", Buffer.from("a 你好").subarray(0, 7), "x", "it is not whole text in utf-8"],
    ["Latin-1, for a text that it cannot hold", latin1("a c\xe9\n"), "你", '"你" cannot be written in windows-1252'],
  ])("leaves a file in %s alone, and says why", async (_name, content, newText, why) => {
    const { at, call } = open();
    writeFileSync(at("a"), content);
    expect(await call("edit_text_file", { path: "a", oldText: "a", newText })).toContain(why);
    expect(readFileSync(at("a"))).toEqual(content);
  });

  test.each([
    ["a file of Windows", "a = 1\r\nb = 2\r\n", "a = 1\nb = 2", "a = 3\n\nb = 4", "a = 3\r\n\r\nb = 4\r\n"],
    ["one that quotes it as it is", "a\r\nb\r\n", "a\r\nb", "c\r\nd", "c\r\nd\r\n"],
    ["a new line in one line of it", "a\r\nb\r\nc\r\n", "b", "b\nd", "a\r\nb\r\nd\r\nc\r\n"],
    ["its last line", "a\r\nb", "b", "b\nc\n", "a\r\nb\r\nc\r\n"],
    ["a line break alone", "a\r\n\r\nb\r\n", "a\n\nb", "a\nb", "a\r\nb\r\n"],
    ["a quote that begins with one", "a\r\nb\r\n", "\nb", "\nc", "a\r\nc\r\n"],
    ["the Windows part of a mixed file", "a\nb\r\nc\r\nd\n", "b\nc", "x\ny", "a\nx\r\ny\r\nd\n"],
    ["the other part of it", "a\r\nb\nc\nd\r\n", "b\nc", "x\ny", "a\r\nx\ny\nd\r\n"],
    ["a file without a CR", "a\nb\n", "a\r\nb", "c\r\nd", "c\nd\n"],
  ])("keeps the line breaks of %s", async (_what, content, oldText, newText, edited) => {
    const { at, call } = open();
    writeFileSync(at("a"), content);
    expect(await call("edit_text_file", { path: "a", oldText, newText })).toBe("edited a");
    expect(readFileSync(at("a"), "utf8")).toBe(edited);
  });

  test("takes places that differ in their line breaks alone for the same", async () => {
    const { at, call } = open();
    writeFileSync(at("a"), "a\r\nb\r\na\nb\n");
    expect(await call("edit_text_file", { path: "a", oldText: "a\nb", newText: "c" })).toContain("more than once");
  });
});

describe("bash", () => {
  test("runs in the workspace, with its mark and without our secrets", async () => {
    process.env.OPENAI_API_KEY = "canary";
    try {
      const { call, workDir, mark } = open();
      const answer = await call("bash", { command: "pwd; env; [[ a == a ]] && echo bashism" });
      expect(answer).toContain(`[exit code 0]\n${workDir}\n`);
      expect(answer).toContain(`${MARK_VARIABLE}=${mark}\n`);
      expect(answer).toContain("bashism");
      expect(answer).not.toContain("canary");
    } finally {
      delete process.env.OPENAI_API_KEY;
    }
  });

  test("shows the end of a flood and keeps all of it", async () => {
    const { bus, mark } = open();
    const answer = await bus.call("bash", { command: "seq 1 50000" });
    const { text, artifact = "" } = ToolText.parse(answer.ok ? answer.data : null);
    expect(text.split("\n").length).toBeLessThanOrEqual(BASH_TAIL_LINES_MAX + 4);
    expect(text).toMatch(/^\[exit code 0\]\n\[the end of 288894 bytes; all of them are in .*bash-1\.txt\]\n/);
    expect(text.endsWith("\n50000\n")).toBe(true);
    expect(readFileSync(artifact, "utf8").length).toBe(288_894);
    const wide = await bus.call("bash", { command: "head -c 300000 /dev/zero | tr '\\0' x" });
    expect(ToolText.parse(wide.ok ? wide.data : null).text.length).toBeLessThan(BASH_TAIL_BYTES_MAX + 200);
    expect(await findMarked(mark)).toEqual([]);
  });

  test("stops a command at its time, with all that it started", async () => {
    const { call, mark } = open();
    const answer = await call("bash", {
      command: "echo begun; trap '' TERM; setsid sleep 60 & sleep 60",
      timeoutSec: 1,
    });
    expect(answer).toBe("[stopped after 1 s]\nbegun\n");
    expect(await findMarked(mark)).toEqual([]);
  }, 20_000);

  test("leaves nothing in the background", async () => {
    const { call, mark } = open();
    expect(await call("bash", { command: "setsid sleep 60 & sleep 60 & echo done" })).toBe("[exit code 0]\ndone\n");
    expect(await findMarked(mark)).toEqual([]);
  });

  test("says when it was killed, and when it cannot be started", async () => {
    expect(await open().call("bash", { command: "kill -9 $$" })).toBe("[ended by SIGKILL]\n");
    expect(await open({ workDir: "/nowhere" }).call("bash", { command: "true" })).toMatch(/^failed: .*ENOENT/);
    expect(await open().call("bash", { command: "true", timeoutSec: 999 })).toContain("bad_input");
  });
});
