/** The lines typed in the chat, for the arrow keys of the next one. Each line stands in the file as it was typed. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "@mimikit/runtime/home/replace-file";
import { CHAT_LINES_PATH } from "@mimikit/store/disk/state";

/** How many lines the arrow keys bring back. */
export const CHAT_LINES_MAX = 500;
/** Longer lines are not kept. */
const CHAT_LINE_CHARS_MAX = 2_000;

/** The newest first, as line editors want it. */
export function readChatLines(home: string): string[] {
  const path = join(home, CHAT_LINES_PATH);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines
    .filter((line) => line !== "")
    .slice(-CHAT_LINES_MAX)
    .reverse();
}

/** Keeps a line after what other chats have kept meanwhile; what was typed before is kept where it is typed last. */
export function keepChatLine(home: string, line: string): void {
  if (line.trim() === "" || line.length > CHAT_LINE_CHARS_MAX) return;
  const older = readChatLines(home).filter((other) => other !== line);
  const lines = [line, ...older].slice(0, CHAT_LINES_MAX).reverse();
  replaceFile(join(home, CHAT_LINES_PATH), `${lines.join("\n")}\n`);
}
