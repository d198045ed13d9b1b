/** The lock of a document that people edit too: one of ours at a time, and nobody in the midst of a save (PROTOCOL R5). */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { lockDocument } from "@mimikit/runtime/document-lock";
import { expect, test } from "vitest";
import { temporaryState } from "../store/home.ts";

/** An editor that empties a file before it writes it takes this long, in ms: less than a lock waits for it. */
const SAVE_MS = 10;

test("those who ask for a document have it one after the other", async () => {
  const { home } = temporaryState();
  const order: string[] = [];
  const hold = (name: string) =>
    lockDocument(home, "backlog.md", async () => {
      order.push(`${name} has it`);
      await turn();
      order.push(`${name} lets go`);
    });
  await Promise.all([hold("one"), hold("one")]);
  expect(order).toEqual(["one has it", "one lets go", "one has it", "one lets go"]);
});

test("a document that is being saved is not looked at before it is whole, whether or not we have just changed it", async () => {
  const { home } = temporaryState();
  const path = join(home, "backlog.md");
  for (const text of ["- [ ] first\n", "- [ ] first\n- [ ] second\n"]) {
    writeFileSync(path, "");
    setTimeout(() => writeFileSync(path, text), SAVE_MS);
    expect(await lockDocument(home, "backlog.md", async () => readFileSync(path, "utf8"))).toBe(text);
  }
});

test("what goes wrong while it is held goes to whoever held it, and it is free again", async () => {
  const { home } = temporaryState();
  const failing = lockDocument(home, "backlog.md", async () => {
    throw new Error("the disk is full");
  });
  await expect(failing).rejects.toThrow("the disk is full");
  expect(await lockDocument(home, "backlog.md", async () => "free")).toBe("free");
});
