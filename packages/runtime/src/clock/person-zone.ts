/**
 * The time zone in which the owner means "at nine": that of the setting `timezone`, else that of the browser that was
 * signed in last, else that of this machine.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { isTimeZone } from "@mimikit/protocol/triggers/condition";
import { TimeZone } from "@mimikit/protocol/triggers/condition-schema";
import { hasCode } from "@mimikit/store/disk/error-code";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { replaceView } from "@mimikit/store/disk/record";
import { BROWSER_ZONE_PATH } from "@mimikit/store/disk/state";
import { z } from "zod";
import { systemTimeZone } from "./system-zone.ts";

const BrowserZone = z.object({ timeZone: TimeZone, at: z.iso.datetime() });

export interface PersonZone {
  /** An IANA name. */
  timeZone: string;
  /** A setting counts wherever a message was written; a zone that was only seen counts where the message names none. */
  isSetting: boolean;
}

/** @param timezone the setting. */
export function personZone(home: string, { timezone }: { timezone?: string | undefined }): PersonZone {
  if (timezone !== undefined) return { timeZone: timezone, isSetting: true };
  return { timeZone: browserZone(home) ?? systemTimeZone(), isSetting: false };
}

/** The zone of the browser that was signed in last; null where there was none, and where the record is damaged. */
function browserZone(home: string): string | null {
  try {
    return parseRecord(BrowserZone, readFileSync(join(home, BROWSER_ZONE_PATH), "utf8")).timeZone;
  } catch (error) {
    if (error instanceof BadJson || hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return null;
    throw error;
  }
}

/** Keeps the zone of a signed-in browser. A zone that this machine does not know is not kept. Throws what the disk throws. */
export async function rememberBrowserZone(
  home: string,
  fs: FileSystem,
  timeZone: string,
  nowMs: number,
): Promise<void> {
  if (!isTimeZone(timeZone) || browserZone(home) === timeZone) return;
  const record = { timeZone, at: new Date(nowMs).toISOString() };
  await replaceView(fs, BROWSER_ZONE_PATH, `${JSON.stringify(record)}\n`);
}
