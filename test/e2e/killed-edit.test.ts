/** The real supervisor is killed in the middle of an edit, just after somebody has saved the same document. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { Instance } from "../support/instance.ts";

let mimikit: Instance | undefined;
afterEach(() => mimikit?.dispose());

const KILL_EDIT = join(import.meta.dirname, "../support/kill-edit.ts");

test("a line that was saved into memory.md right before the kill is there after the restart, and so is the edit, once", async () => {
  const instance = await Instance.start({ env: { NODE_OPTIONS: `--import=${KILL_EDIT}` } });
  mimikit = instance;
  const path = join(instance.home, "memory.md");
  writeFileSync(path, "- mine\n");
  const pid = instance.pidOf("supervisor");
  await instance.api("/api/memory", { method: "POST", body: { content: "ours", longTerm: true } });
  const read = () => readFileSync(path, "utf8");
  await instance.until(
    "the edit after the kill",
    () => (instance.pidOf("supervisor") !== pid && /ours/.test(read())) || undefined,
  );
  await instance.drained();
  expect(existsSync(`${instance.home}.saved`)).toBe(true);
  expect(read().replace(/<!-- \S+ -->/g, "<!-- id -->")).toBe("- mine\n- theirs\n- ours <!-- id -->\n");
  expect(readdirSync(instance.home).filter((name) => name.startsWith(".replaced-"))).toEqual([]);
});
