/** A workspace for tests of memory, whose state directory is `.mimikit`. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { MemoryPlace } from "@mimikit/memory/sources/memory-query";
import { onTestFinished } from "vitest";

export function workspace(files: Record<string, string>): MemoryPlace {
  const workDir = mkdtempSync(join(tmpdir(), "mimikit-memory-"));
  onTestFinished(() => rmSync(workDir, { recursive: true, force: true }));
  writeFiles(workDir, files);
  return { workDir, home: join(workDir, ".mimikit") };
}

export function writeFiles(workDir: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(workDir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
