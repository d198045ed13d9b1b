/** Reads what comes through the pipe, or from the file, on standard input. */
import { fstatSync } from "node:fs";
import { ATTACHMENT_BYTES_MAX } from "@mimikit/protocol/base/attachment";
import { hasWriterBeside, stdinPosition } from "@mimikit/runtime/platform/standard-input";
import { tooLarge } from "@mimikit/store/attachments/attachments";
import { t, told } from "../i18n/language.ts";
import { Failure, reasonOf } from "../io/failure.ts";
import { printProgress } from "../io/print.ts";

/** How long a pipe is waited for into which no command of the same pipeline writes. */
const FIRST_BYTE_MS = 3_000;

/** Reads standard input to its end, whatever it is. @throws Failure where it is larger than a file may be, or cannot be read. */
export async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of process.stdin) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > ATTACHMENT_BYTES_MAX) throw new Failure("usage", told(tooLarge().message));
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure("failed", t("the pipe cannot be read: {reason}", { reason: reasonOf(error) }));
  }
  return Buffer.concat(chunks);
}

/**
 * Reads what comes beside the words of a command: never from a terminal or a device, and without waiting for a pipe that
 * nobody writes to. Input that is left unread is named on stderr. @throws Failure as `readStdin`.
 */
export async function readBeside(): Promise<Buffer> {
  const stdin = fstatSync(0);
  if (stdin.isFile()) {
    const position = stdinPosition();
    if (position === 0) return readStdin();
    // A loop that reads its next line from the file would miss it.
    if (position < stdin.size)
      printProgress(t("the rest of the file on standard input is not sent; with  -  as the last word it is"));
    return Buffer.alloc(0);
  }
  if (!stdin.isFIFO() && !stdin.isSocket()) return Buffer.alloc(0);
  if (!(await comesWithin(FIRST_BYTE_MS))) {
    if (!hasWriterBeside()) {
      printProgress(
        t(
          "nothing came through the pipe for {sec} s, so the words are sent alone; with  -  as the last word it is waited for, and  < /dev/null  says that there is nothing",
          {
            sec: FIRST_BYTE_MS / 1_000,
          },
        ),
      );
      process.stdin.destroy();
      return Buffer.alloc(0);
    }
    printProgress(t("waiting for the pipe"));
  }
  return readStdin();
}

/** Is there something to read on standard input, its end included, before `ms` are over? */
async function comesWithin(ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const came = () => resolve(true);
  const timer = setTimeout(() => resolve(false), ms);
  // The reason of an error is found, and said, by whoever reads.
  for (const event of ["readable", "end", "error", "close"]) process.stdin.once(event, came);
  const comes = await promise;
  clearTimeout(timer);
  for (const event of ["readable", "end", "error", "close"]) process.stdin.off(event, came);
  return comes;
}

/** The text in UTF-8; null for bytes that are none. */
export function textIn(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
