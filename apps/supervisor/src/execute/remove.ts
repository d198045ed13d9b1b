/** Removes applied records, after the archive is durable. */
import type { Removal } from "@mimikit/core/base/action";
import {
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

async function removeOne(removal: Removal, { fs, archiveIndex }: ExecContext): Promise<void> {
  switch (removal.from) {
    case "inbox":
      await fs.unlink(inboxPath(removal.id));
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
