import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { restoreDirectories } from "@mimikit/store/disk/restore-directories";
import { watchState } from "@mimikit/store/disk/watch";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryState } from "../home.ts";

/** However slow the machine is. */
const PATIENCE = { timeout: 60_000 };

function watched(onReplaced: (home: string) => void) {
  const { home } = temporaryState();
  const heard: (string | null)[] = [];
  const problems: unknown[] = [];
  const stop = watchState(home, ["inbox", "teller/queue"], {
    onChange: (dir, name) => heard.push(`${dir}/${name}`),
    onReplaced: () => onReplaced(home),
    onProblem: (error) => problems.push(error),
  });
  onTestFinished(stop);
  /** A file is put there, and its watcher hears of it. */
  const hears = (path: string) => {
    writeFileSync(join(home, path), "");
    return vi.waitFor(() => expect(heard).toContain(path), PATIENCE);
  };
  return { home, heard, problems, hears };
}

test.each([
  ["it was removed", (home: string) => rmSync(join(home, "teller/queue"), { recursive: true })],
  ["the one above it was removed", (home: string) => rmSync(join(home, "teller"), { recursive: true })],
  ["it was moved away", (home: string) => renameSync(join(home, "teller/queue"), join(home, "queue.away"))],
])("what comes into a directory that takes the place of another is heard of: %s", async (_how, remove) => {
  const { home, heard, problems, hears } = watched(restoreDirectories);
  await hears("teller/queue/a.json");
  remove(home);
  await vi.waitFor(() => expect(heard).toContain("teller/queue/null"), PATIENCE);
  await hears("teller/queue/b.json");
  await hears("inbox/c.json");
  expect(problems).toEqual([]);
});

test("a directory that nobody brings back is watched from when it is there again", async () => {
  let replaced = 0;
  const { home, hears } = watched(() => replaced++);
  rmSync(join(home, "inbox"), { recursive: true });
  await vi.waitFor(() => expect(replaced).toBe(1), PATIENCE);
  mkdirSync(join(home, "inbox"));
  await vi.waitFor(() => expect(replaced).toBe(2), PATIENCE);
  await hears("inbox/a.json");
});
