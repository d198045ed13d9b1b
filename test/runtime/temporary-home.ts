/** A state directory of a test's own, gone when the test ends. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareHome } from "@mimikit/runtime/home/home";
import { onTestFinished } from "vitest";

/** An empty directory. */
export function temporaryDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), "mimikit-runtime-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A complete state directory. */
export function temporaryHome(): string {
  const home = join(temporaryDirectory(), "home");
  prepareHome(home);
  return home;
}
