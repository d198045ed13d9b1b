/** AGENTS.md and CLAUDE.md of a workspace: which of them count, how much of them, and what does not. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GUIDES_BYTES_MAX, readGuides } from "@mimikit/agent/skills/guides";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../fixtures.ts";

/** A workspace with its state directory inside, and these files. */
function place(files: Record<string, string>) {
  const workDir = temporaryDirectory();
  const home = join(workDir, ".mimikit");
  mkdirSync(home);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(workDir, name), text);
  return { workDir, home, read: () => readGuides(workDir, home) };
}

test("both count, AGENTS.md first", async () => {
  const { read } = place({ "CLAUDE.md": "No semicolons.\n", "AGENTS.md": "\nTabs.\n" });
  expect(await read()).toEqual({
    guides: [
      { file: "AGENTS.md", text: "Tabs." },
      { file: "CLAUDE.md", text: "No semicolons." },
    ],
    problems: [],
  });
});

test.each([
  ["are alike", "Tabs.\n"],
  ["are one, by an import", "@AGENTS.md\n"],
  ["are one, because the other is empty", "\n"],
])("one counts where they %s", async (_, claude) => {
  const { read } = place({ "AGENTS.md": "Tabs.\n", "CLAUDE.md": claude });
  expect(await read()).toEqual({ guides: [{ file: "AGENTS.md", text: "Tabs." }], problems: [] });
});

test("one counts by a link that stays in the workspace", async () => {
  const { workDir, read } = place({ "notes.md": "Tabs.\n" });
  symlinkSync("notes.md", join(workDir, "CLAUDE.md"));
  expect(await read()).toEqual({ guides: [{ file: "CLAUDE.md", text: "Tabs." }], problems: [] });
});

test("of long ones the beginning is shown, in whole characters, and how long they are", async () => {
  const long = `${"x".repeat(GUIDES_BYTES_MAX - 1)}中文`;
  const { read } = place({ "AGENTS.md": long, "CLAUDE.md": "No semicolons." });
  const { guides, problems } = await read();
  expect(guides).toEqual([
    { file: "AGENTS.md", text: "x".repeat(GUIDES_BYTES_MAX - 1), cutOf: GUIDES_BYTES_MAX + 5 },
    { file: "CLAUDE.md", text: "N", cutOf: 14 },
  ]);
  expect(problems).toEqual([]);
  const full = place({ "AGENTS.md": "x".repeat(GUIDES_BYTES_MAX), "CLAUDE.md": "No semicolons." });
  expect(await full.read()).toMatchObject({ guides: [{ file: "AGENTS.md" }], problems: [{ file: "CLAUDE.md" }] });
});

test.each<[string, string, (path: string, home: string) => void]>([
  ["a link to the state directory", "leaves the workspace", (path, home) => symlinkSync(join(home, "token"), path)],
  ["a link out of the workspace", "leaves the workspace", (path) => symlinkSync("/etc/hostname", path)],
  ["a link in a circle", "ELOOP", (path) => symlinkSync("AGENTS.md", path)],
  ["a pipe", "not a regular file", (path) => execFileSync("mkfifo", [path])],
  ["a folder", "not a regular file", (path) => mkdirSync(path)],
  ["no text", "no text file", (path) => writeFileSync(path, "a\0b")],
])("one that is %s does not count, and is told; the other does", async (_, reason, make) => {
  const { workDir, home, read } = place({ "CLAUDE.md": "No semicolons." });
  writeFileSync(join(home, "token"), "state-canary");
  chmodSync(join(home, "token"), 0o600);
  make(join(workDir, "AGENTS.md"), home);
  expect(await read()).toEqual({
    guides: [{ file: "CLAUDE.md", text: "No semicolons." }],
    problems: [{ file: "AGENTS.md", reason: expect.stringContaining(reason) }],
  });
});
