/**
 * The lock of a document that people edit too: one of ours at a time, and nobody in the midst of a save
 * (docs/file-protocol.md R5).
 */
import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { lockDocument } from "@mimikit/runtime/home/document-lock";
import { DocumentBusy } from "@mimikit/store/documents/document";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryState } from "../../store/home.ts";

const LOOK_EVERY_MS = 5;

/** Again and again, as the supervisor, whose tick has other things to do meanwhile. */
async function whenFree<T>(home: string, work: () => Promise<T>): Promise<{ done: T; refusals: number }> {
  for (let refusals = 0; ; refusals++) {
    try {
      return { done: await lockDocument(home, "backlog.md", work), refusals };
    } catch (error) {
      if (!(error instanceof DocumentBusy)) throw error;
      await wait(LOOK_EVERY_MS);
    }
  }
}

async function isRefused(home: string): Promise<boolean> {
  try {
    await lockDocument(home, "backlog.md", async () => undefined);
    return false;
  } catch (error) {
    if (!(error instanceof DocumentBusy)) throw error;
    return true;
  }
}

test("a document that another holds is refused, and not waited for", async () => {
  const { home } = temporaryState();
  await lockDocument(home, "backlog.md", async () => {
    await expect(lockDocument(home, "backlog.md", async () => "had it too")).rejects.toThrow(DocumentBusy);
  });
  expect(await lockDocument(home, "backlog.md", async () => "free")).toBe("free");
});

test("a document that is being saved is refused until it is whole, whether or not we have just changed it", async () => {
  const { home } = temporaryState();
  const path = join(home, "backlog.md");
  for (const text of ["- [ ] first\n", "- [ ] first\n- [ ] second\n"]) {
    // On a busy machine more time may have gone by than an editor needs: then it starts over.
    do writeFileSync(path, "");
    while (!(await isRefused(home)));
    writeFileSync(path, text);
    const { done } = await whenFree(home, async () => readFileSync(path, "utf8"));
    expect(done).toBe(text);
  }
});

test("a document that was changed within this very millisecond is being saved, and one of the far future is not", async () => {
  const { home } = temporaryState();
  const path = join(home, "backlog.md");
  writeFileSync(path, "");
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  utimesSync(path, Date.now() / 1_000 + 0.000_5, Date.now() / 1_000 + 0.000_5);
  expect(await isRefused(home)).toBe(true);
  utimesSync(path, Date.now() / 1_000 + 3_600, Date.now() / 1_000 + 3_600);
  expect(await isRefused(home)).toBe(false);
});

test("a document that is saved all the time is edited all the same", async () => {
  const { home } = temporaryState();
  const path = join(home, "backlog.md");
  const saving = setInterval(() => writeFileSync(path, `- [ ] ${Date.now()}\n`), 1);
  onTestFinished(() => clearInterval(saving));
  writeFileSync(path, "");
  const { refusals } = await whenFree(home, async () => undefined);
  expect(refusals).toBeGreaterThan(0);
});

test("what goes wrong while it is held goes to whoever held it, and it is free again", async () => {
  const { home } = temporaryState();
  const failing = lockDocument(home, "backlog.md", async () => {
    throw new Error("the disk is full");
  });
  await expect(failing).rejects.toThrow("the disk is full");
  expect(await lockDocument(home, "backlog.md", async () => "free")).toBe("free");
});
