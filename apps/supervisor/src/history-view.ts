/** history.json: the last messages of the conversation, folded from settled turns. A view: it may be behind, or deleted. */
import type { FileSystem } from "@mimikit/store/file-system";
import { readHistory, readHistoryView } from "@mimikit/store/history";
import type { Ledger } from "@mimikit/store/ledger";
import { replaceView } from "@mimikit/store/record";
import { HISTORY_PATH } from "@mimikit/store/state";

/** Brings history.json up to the last settled turn. */
export async function writeHistory(fs: FileSystem, ledger: Ledger): Promise<void> {
  const view = await readHistoryView(fs);
  if (view !== null && view.throughTurn >= ledger.settledTurn) return;
  await replaceView(fs, HISTORY_PATH, `${JSON.stringify(await readHistory(fs, ledger))}\n`);
}
