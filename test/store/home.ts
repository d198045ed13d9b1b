/** A state directory on a real disk for a test, gone when the test ends. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDisk } from "@mimikit/store/disk/disk";
import { DIRECTORIES } from "@mimikit/store/disk/state";
import { onTestFinished } from "vitest";

export function temporaryState(home = mkdtempSync(join(tmpdir(), "mimikit-store-"))) {
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const dir of DIRECTORIES) mkdirSync(join(home, dir), { recursive: true, mode: 0o700 });
  return { home, fs: openDisk(home, "test-1-1") };
}
