/** Removes applied records, after the archive is durable. */
import type { Removal } from "@mimikit/core/base/action";
import { readWaiting } from "@mimikit/store/disk/same-command";
import {
  archivePath,
  claimPath,
  failedAttemptPath,
  inboxPath,
  joinedPath,
  questionPath,
  queuePath,
  resultPath,
  runningOf,
  signalPath,
  streamPath,
  triggerPath,
} from "@mimikit/store/disk/state";
import { quarantine } from "./commands.ts";
import type { ExecContext } from "./exec-context.ts";
import { sideBySide } from "./side-by-side.ts";

/** Removals that wait for the disk at the same time. */
const REMOVALS_AT_ONCE_MAX = 16;

/** Files of one record are removed in order; records do not wait for each other. */
export async function remove(removals: Removal[], context: ExecContext): Promise<void> {
  await context.archiveIndex.makeDurable();
  await sideBySide(
    removals,
    ({ id }) => id,
    REMOVALS_AT_ONCE_MAX,
    (removal) => removeOne(removal, context),
  );
}

async function removeOne(removal: Removal, context: ExecContext): Promise<void> {
  const { fs, archiveIndex } = context;
  switch (removal.from) {
    case "inbox":
      await removeApplied(removal.id, context);
      break;
    case "signals":
      await fs.unlink(signalPath(removal.id));
      break;
    case "questions":
      await fs.unlink(questionPath(removal.id));
      break;
    case "triggers":
      await fs.unlink(triggerPath(removal.id, removal.version));
      break;
    case "queue":
      await fs.unlink(queuePath(removal.role, removal.id));
      await fs.unlink(streamPath(removal.id));
      break;
    case "results":
      await fs.unlink(resultPath(removal.role, removal.id));
      break;
    case "outages":
      // The remains of such an attempt, whatever is lost on the way, must not look like one that was cut off.
      if (removal.isJoined) await fs.unlink(joinedPath(removal.role, removal.id, removal.attempt));
      await fs.unlink(claimPath(removal.role, removal.id, removal.attempt));
      await fs.syncDir(runningOf(removal.role));
      await fs.unlink(failedAttemptPath(removal.role, removal.id, removal.attempt));
      break;
    case "running":
      // A claim whose task came into the queue since it was listed is no orphan.
      if (!archiveIndex.has(removal.id) && (await fs.exists(queuePath(removal.role, removal.id)))) break;
      if (removal.isJoined) await fs.unlink(joinedPath(removal.role, removal.id, removal.attempt));
      await fs.unlink(failedAttemptPath(removal.role, removal.id, removal.attempt));
      await fs.unlink(claimPath(removal.role, removal.id, removal.attempt));
      break;
    default:
      removal satisfies never;
  }
}

/**
 * A program may write a message under an id of its own. With other words than the archived one it is no repeat: it is put aside, and
 * reported, as nothing was done (docs/decisions/0059-a-key-is-its-content.md).
 */
async function removeApplied(id: string, context: ExecContext): Promise<void> {
  const { fs, archiveIndex } = context;
  const path = inboxPath(id);
  const [waiting, archived] = [await fs.info(path), await fs.info(archivePath(id))];
  // Archiving a message gives its file a second name.
  if (waiting !== null && waiting.inode !== archived?.inode) {
    const [said, first] = [await readWaiting(id, fs), await archiveIndex.read(id)];
    const isOther =
      said?.kind === "message" &&
      first !== null &&
      "kind" in first &&
      first.kind === "message" &&
      first.text !== said.text;
    if (isOther) return quarantine(path, "its id was used before, for another message", waiting.inode, context);
  }
  await fs.unlink(path);
}
