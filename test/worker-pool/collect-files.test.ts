/** The files that go home with a result: those that a person may read there, as they were when the run ended. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FILES_BYTES_MAX, FILES_CARRIED_BYTES_MAX } from "@mimikit/protocol/pools/messages";
import { expect, test } from "vitest";
import { collectFiles, TooMuch } from "../../apps/worker-pool/src/remote/collect-files.ts";

const workDir = mkdtempSync(join(tmpdir(), "mimikit-collect-"));
const home = join(workDir, ".mimikit-pool");
mkdirSync(home);
const dir = join(home, "away/job.out");
const collect = (...paths: string[]) => {
  const result = { files: paths.map((path) => ({ path, action: "added", summary: "" })) };
  return collectFiles({ resultType: "code_change", result }, "t-000001.0.0", { home, workDir }, dir);
};

test("files of the workspace go, and none of the state of the machine or from elsewhere", async () => {
  writeFileSync(join(workDir, "a.txt"), "a");
  writeFileSync(join(home, "pool.json"), "the key");
  const files = await collect("a.txt", "gone.txt", ".mimikit-pool/pool.json", "/etc/hostname");
  expect(files.map(({ path, bytes }) => [path, bytes])).toEqual([["a.txt", 1]]);
});

test("small files are in the outcome itself, and the others are copied as they are now", async () => {
  const text = "a".repeat(FILES_CARRIED_BYTES_MAX);
  writeFileSync(join(workDir, "small"), text.slice(1));
  writeFileSync(join(workDir, "large"), text);
  writeFileSync(join(workDir, "last"), "b");
  const files = await collect("small", "large", "last");
  expect(files.map(({ path, data }) => [path, data && Buffer.from(data, "base64").toString()])).toEqual([
    ["small", text.slice(1)],
    ["large", undefined],
    ["last", "b"],
  ]);
  expect(readFileSync(join(dir, files[1]?.id ?? ""), "utf8")).toBe(text);
  expect(readdirSync(dir)).toHaveLength(1);
});

test("more than the bound is refused, with what to do", async () => {
  writeFileSync(join(workDir, "large"), "");
  truncateSync(join(workDir, "large"), FILES_BYTES_MAX + 1);
  const refused = collect("large");
  await expect(refused).rejects.toThrow(TooMuch);
  await expect(refused).rejects.toThrow("let the task name fewer, or copy them yourself");
});
