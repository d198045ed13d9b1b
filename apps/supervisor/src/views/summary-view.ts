/**
 * sessions/chat.summary.md: what models are told of the conversation in place of its old part, for people to read (SPEC
 * F3). A view of one archived turn: it is never read back, and may be deleted.
 */
import { summaryIn } from "@mimikit/core/views/history";
import { turnId } from "@mimikit/protocol/base/id";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { replaceView } from "@mimikit/store/disk/record";
import { CHAT, summaryPath } from "@mimikit/store/disk/state";
import type { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";

/** @param compressed the turn whose summary stands; without one the file goes. */
export async function writeSummary(
  fs: FileSystem,
  archiveIndex: ArchiveIndex,
  compressed: number | undefined,
): Promise<void> {
  const path = summaryPath(CHAT);
  const turn = compressed === undefined ? null : await archiveIndex.readResult(turnId(compressed));
  const summary = turn === null ? undefined : summaryIn(turn);
  if (turn === null || summary === undefined) return fs.unlink(path);
  const remark = `A view of ${turn.id}, made at ${turn.completedAt}; what is written here changes nothing.`;
  await replaceView(fs, path, `# The conversation so far\n\n${remark}\n\n${summary.trim()}\n`);
}
