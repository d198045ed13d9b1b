/**
 * Makes changes of config.yaml undoable: the supervisor keeps the text that it noticed last, and records it when a valid
 * one has replaced it. A bad file is no change: the good one before it stays in force (SPEC J3).
 */
import { titleOf } from "@mimikit/core/base/title";
import { BadJson } from "@mimikit/protocol/base/json";
import { type ConfigChange, UndoableChange } from "@mimikit/protocol/records/change";
import { CONFIG_FILE, CONFIG_FILE_BYTES_MAX, problemOfConfig, settingsIn } from "@mimikit/runtime/config/config-file";
import { createRecord, replaceView } from "@mimikit/store/disk/record";
import { changePath } from "@mimikit/store/disk/state";
import { type Edit, type Edited, editDocument, readIfDocument } from "@mimikit/store/documents/document";
import type { ExecContext } from "./exec-context.ts";
import { sha256 } from "./notes.ts";

/** The settings that were noticed last, in the words of their file. */
const NOTICED_FILE = "config.noticed.yaml";

type ConfigContext = Pick<ExecContext, "fs" | "lock" | "nowMs" | "audit">;

/** Records the change that was made since the last time, if any; the first time only notes the present text. */
export async function noticeConfig(context: ConfigContext): Promise<void> {
  const { fs, lock, nowMs, audit } = context;
  if (
    (await readIfDocument(fs, CONFIG_FILE, CONFIG_FILE_BYTES_MAX)) ===
    (await fs.read(NOTICED_FILE, CONFIG_FILE_BYTES_MAX))
  )
    return;
  await lock(CONFIG_FILE, async () => {
    const info = await fs.info(CONFIG_FILE);
    const text = await readIfDocument(fs, CONFIG_FILE, CONFIG_FILE_BYTES_MAX);
    const before = await fs.read(NOTICED_FILE, CONFIG_FILE_BYTES_MAX);
    if (text === null || text === before || problemOfConfig(text) !== null) return;
    if (before !== null) {
      // The same file gets the same id, however often it is looked at (docs/file-protocol.md R2).
      const seed = JSON.stringify([sha256(before), sha256(text), info?.inode, info?.mtimeMs]);
      const change: ConfigChange = {
        kind: "change",
        id: `config-${sha256(seed).slice(0, 32)}`,
        at: new Date(nowMs()).toISOString(),
        by: "user",
        title: titleOf(changedIn(before, text)),
        what: "config",
        op: "edit",
        before,
        after: sha256(text),
      };
      if (await createRecord(fs, UndoableChange, changePath(change.id), change))
        audit({ event: "config_changed", detail: { id: change.id, settings: change.title } });
    }
    await replaceView(fs, NOTICED_FILE, text);
  });
}

/**
 * Writes the settings back as they were, unless they were changed since.
 * @param standing is asked in the moment of the edit: since another process wrote them back, they may have been set again.
 */
export async function restoreConfig(
  change: ConfigChange,
  standing: NonNullable<Edit["standing"]>,
  { fs, lock }: ConfigContext,
): Promise<Edited> {
  const isChanged = {
    problem: `${CONFIG_FILE} was changed again since: undo the later change first, or edit the file`,
  };
  const write = async (text: string) => {
    if (text === change.before) return text;
    if (sha256(text) !== change.after) return isChanged;
    const problem = problemOfConfig(change.before);
    if (problem !== null)
      return { problem: `this version does not take what was there before (${problem}): edit ${CONFIG_FILE}` };
    // Noted first: the restored text does not count as a change.
    await replaceView(fs, NOTICED_FILE, change.before);
    return change.before;
  };
  try {
    return await editDocument(fs, lock, CONFIG_FILE, { standing, write });
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    return isChanged;
  }
}

/** The settings that are different, by their topmost names. */
function changedIn(before: string, after: string): string {
  const [old, fresh] = [settingsIn(before), settingsIn(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
  const changed = names.filter((name) => JSON.stringify(old[name]) !== JSON.stringify(fresh[name]));
  return changed.sort().join(", ") || "only comments";
}
