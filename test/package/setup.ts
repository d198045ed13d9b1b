/** Makes the package of this working tree once for all tests of it, with a cache of npm that they share. */
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { type Packed, pack, ROOT, user } from "./npm.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The package, and the cache of npm. */
    packed: Packed & { cache: string };
  }
}

export default async function setup(project: TestProject): Promise<() => void> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "mimikit 包 é-")));
  const cache = join(directory, "cache");
  mkdirSync(cache);
  if (user.uid !== undefined && user.gid !== undefined)
    for (const path of [directory, cache]) chownSync(path, user.uid, user.gid);
  project.provide("packed", { ...(await pack(ROOT, directory)), cache });
  return () => rmSync(directory, { recursive: true, force: true });
}
