/** The context in which a test executes actions of the supervisor, on a disk of its own. */
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import type { ExecContext } from "../../apps/supervisor/src/execute/exec-context.ts";
import { NOON_MS } from "../core/facts.ts";

export async function contextOf(fs: FileSystem, audit: ExecContext["audit"] = () => undefined): Promise<ExecContext> {
  const archiveIndex = new ArchiveIndex(fs, () => undefined);
  await archiveIndex.load();
  return {
    fs,
    archiveIndex,
    token: "a token",
    nowMs: () => NOON_MS,
    lock: (_path, work) => work(),
    audit,
    restart: async () => undefined,
  };
}
