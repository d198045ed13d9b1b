/**
 * PM2's files of our stdout and stderr never end by themselves. A file that has grown long becomes the one of before,
 * `….log.1`, and starts over. Lines of the moment in between may be lost: they are a copy of the audit files, which have
 * all of them, and of how it went.
 */
import { copyFileSync, readdirSync, renameSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";

const PROCESS_LOG_BYTES_MAX = 20 * 1_048_576;
const OURS = /^(mimikit-.+|pm2)\.log$/;

/** Bounds the logs of the PM2 of this home; another PM2 keeps its own. Throws what the disk throws. */
export function boundProcessLogs(home: string): void {
  for (const dir of [join(home, "pm2"), join(home, "pm2/logs")]) {
    for (const name of namesIn(dir)) {
      const path = join(dir, name);
      if (!OURS.test(name) || statSync(path).size <= PROCESS_LOG_BYTES_MAX) continue;
      copyFileSync(path, `${path}.new`);
      renameSync(`${path}.new`, `${path}.1`);
      // PM2 keeps the file open for appending, so it goes on at its new end.
      truncateSync(path);
    }
  }
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}
