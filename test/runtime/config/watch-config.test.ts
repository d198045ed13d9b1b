/** config.yaml is read again when it is saved, whatever way it is saved in. */
import { renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { watchConfig } from "@mimikit/runtime/config/watch-config";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryDirectory, temporaryHome } from "../temporary-home.ts";

const COMES = { timeout: 15_000, interval: 10 };

/** The settings of a home, and every limit that was ever told of them. */
function watched() {
  const home = temporaryHome();
  const told: number[] = [];
  const settings = watchConfig(home, {}, ({ config }) => told.push(config.maxConcurrency));
  onTestFinished(() => settings.close());
  const file = join(home, "config.yaml");
  return {
    file,
    told,
    limits: async (limit: number) => {
      await vi.waitFor(() => expect(told.at(-1)).toBe(limit), COMES);
      expect(settings.current.config.maxConcurrency).toBe(limit);
    },
  };
}

test("it is read when it is made, written over, replaced by another file, and removed", async () => {
  const { file, told, limits } = watched();
  await limits(3);
  writeFileSync(file, "maxConcurrency: 4\n");
  await limits(4);
  writeFileSync(file, "maxConcurrency: 5\n");
  await limits(5);
  // As vim and `sed -i` save.
  writeFileSync(`${file}.new`, "maxConcurrency: 6\n");
  renameSync(`${file}.new`, file);
  await limits(6);
  rmSync(file);
  await limits(3);
  expect(told).toEqual([3, 4, 5, 6, 3]);
});

test("a save that nobody is told of is found all the same: that of a file behind a link", async () => {
  const elsewhere = join(temporaryDirectory(), "settings.yaml");
  writeFileSync(elsewhere, "maxConcurrency: 4\n");
  const { file, limits } = watched();
  symlinkSync(elsewhere, file);
  await limits(4);
  writeFileSync(elsewhere, "maxConcurrency: 5\n");
  await limits(5);
});

test("where neither the file nor its last valid copy can be read, the settings stay as they were", async () => {
  const home = temporaryHome();
  const file = join(home, "config.yaml");
  writeFileSync(file, "autonomy: ask\nbudget: { day: { tokens: 5 } }\n");
  const told: string[][] = [];
  const settings = watchConfig(home, {}, ({ problems }) => told.push(problems));
  onTestFinished(() => settings.close());
  writeFileSync(join(home, "config.last-good.json"), "{");
  writeFileSync(file, "autonomy: full\nbudgt: 1\n");
  await vi.waitFor(() => expect(told.at(-1)?.join()).toContain("budgt"), COMES);
  expect(settings.current.config).toMatchObject({ autonomy: "ask", budget: { day: { tokens: 5 } } });
});
