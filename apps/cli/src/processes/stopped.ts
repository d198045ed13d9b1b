/** Does a person want nothing to run? `mimikit down` tells the watchers that would restart it, until `mimikit up`. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";
import { STOPPED_PATH } from "@mimikit/store/disk/state";
import { t } from "../i18n/language.ts";
import { reasonOf } from "../io/failure.ts";
import { printNotice } from "../io/print.ts";

export const isStopped = (home: string) => existsSync(join(home, STOPPED_PATH));

/** On a disk that takes nothing, what runs is ended all the same. */
export function markStopped(home: string): void {
  try {
    writeFileSync(join(home, STOPPED_PATH), "", { mode: 0o600 });
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ENOSPC", "EDQUOT", "EROFS", "EACCES")) throw error;
    printNotice(
      `! ${t("a service would start it again: that it is stopped cannot be noted ({reason})", { reason: reasonOf(error) })}`,
    );
  }
}

export function forgetStopped(home: string): void {
  rmSync(join(home, STOPPED_PATH), { force: true });
}
