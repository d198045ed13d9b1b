/** The cost of each attempt goes to usage/YYYY-MM-DD.jsonl, one line each, by the day on the server's clock (SPEC N2). */
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { dayOf, UsageLine } from "@mimikit/protocol/base/usage";
import { usagePath } from "@mimikit/store/disk/state";

const NEWLINE = 0x0a;

/**
 * Appends a line. Throws what the disk throws: nothing of the line counts then, and what a crash tore off before it
 * swallows nothing (docs/file-protocol.md R9).
 */
export function recordUsage(home: string, line: UsageLine): void {
  const path = join(home, usagePath(dayOf(Date.parse(line.at))));
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = openSync(path, flags, 0o600);
  try {
    const bytes = Buffer.from(appendedText(line, endsInNewline(file)));
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
  } finally {
    closeSync(file);
  }
}

/** The text that is appended to a file that ends in a newline, or does not. */
export function appendedText(line: UsageLine, isAtLineStart: boolean): string {
  return `${isAtLineStart ? "" : "\n"}${JSON.stringify(UsageLine.parse(line))}\n`;
}

function endsInNewline(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last[0] === NEWLINE;
}
