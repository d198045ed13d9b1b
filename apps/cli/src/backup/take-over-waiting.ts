/**
 * Commands that a newer version of Mimikit accepted wait in a state that this version cannot read. Where an earlier state takes its place,
 * they go along: what was acknowledged is not lost with an update that is taken back.
 */
import { copyFileSync, existsSync, lstatSync, mkdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { RECORD_BYTES_MAX, tryJson } from "@mimikit/protocol/base/json";
import { DroppedCommand, InboxCommand } from "@mimikit/protocol/records/inbox";
import { namesIn } from "@mimikit/runtime/home/copies";
import { ARCHIVE, ATTACHMENTS, INBOX } from "@mimikit/store/disk/state";
import { z } from "zod";

export interface TakenOver {
  /** Commands that wait again, by their file names. */
  waiting: string[];
  /** Messages that the newer version has answered; they are in the state that is put aside alone. */
  answered: string[];
  /** Commands in a form that this version does not know. */
  unknown: string[];
}

/** @param home the state of the newer version. @param beside the earlier state, which takes its place. */
export function takeOverWaiting(home: string, beside: string): TakenOver {
  const taken: TakenOver = { waiting: [], answered: [], unknown: [] };
  const isIn = (root: string, dir: string, name: string) => existsSync(join(root, dir, name));
  const isKnown = (name: string) => isIn(beside, INBOX, name) || isIn(beside, ARCHIVE, name);
  for (const name of namesIn(join(home, INBOX))) {
    if (isKnown(name) || isIn(home, ARCHIVE, name)) continue;
    const path = join(home, INBOX, name);
    const info = lstatSync(path, { throwIfNoEntry: false });
    if (info?.isFile() !== true || info.size > RECORD_BYTES_MAX) continue;
    const value = tryJson(readFileSync(path, "utf8").replace(/^\ufeff/, ""));
    // The supervisor wrote it about something that did not happen in the earlier state.
    if (kindOf(value) === "event") continue;
    const command = InboxCommand.or(DroppedCommand).safeParse(value);
    if (!command.success) {
      taken.unknown.push(name);
      continue;
    }
    if (command.data.kind === "message")
      for (const file of command.data.attachments ?? [])
        takeFile(home, beside, typeof file === "string" ? file : file.id);
    mkdirSync(join(beside, INBOX), { recursive: true, mode: 0o700 });
    copyFileSync(path, join(beside, INBOX, name));
    // The id of a dropped file follows from its time.
    utimesSync(join(beside, INBOX, name), info.atimeMs / 1_000, info.mtimeMs / 1_000);
    taken.waiting.push(name);
  }
  for (const name of namesIn(join(home, ARCHIVE)))
    if (name.startsWith("m-") && name.endsWith(".json") && !isKnown(name)) taken.answered.push(name);
  return taken;
}

const kindOf = (value: unknown) => z.object({ kind: z.string() }).safeParse(value).data?.kind;

/** A file of a message, and the record beside it. */
function takeFile(home: string, beside: string, id: string): void {
  mkdirSync(join(beside, ATTACHMENTS), { recursive: true, mode: 0o700 });
  for (const name of namesIn(join(home, ATTACHMENTS)).filter((each) => each.startsWith(id)))
    if (!existsSync(join(beside, ATTACHMENTS, name)))
      copyFileSync(join(home, ATTACHMENTS, name), join(beside, ATTACHMENTS, name));
}
