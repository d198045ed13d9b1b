/** Which files hold a word, by ripgrep where it is installed. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { hasCode } from "@mimikit/store/disk/error-code";

const GREP_MS_MAX = 2_000;
const OUTPUT_BYTES_MAX = 1_048_576;
/** Words are searched without accents, which ripgrep sees: a file that has any is read. */
const ACCENTED = "[\\u{00c0}-\\u{024f}\\u{0300}-\\u{036f}\\u{1e00}-\\u{1eff}]";
const SIGNS = /[^\p{L}\p{N}]/gu;
/** ripgrep's ways to say that no file holds any of the words, and that it could not read some of the files. */
const NOTHING_FOUND = 1;
const SOME_UNREADABLE = 2;

const run = promisify(execFile);

/**
 * The paths, of these, whose text holds any of the words, whatever their case; null without `rg`, or where it fails or
 * takes too long. The words are looked for as they are, and no shell sees them.
 */
export async function grepFiles(words: readonly string[], paths: readonly string[]): Promise<string[] | null> {
  if (words.length === 0 || paths.length === 0) return [];
  const options = ["--no-config", "--no-messages", "--files-with-matches", "--null", "--ignore-case"];
  const patterns = [...words.map((word) => word.replaceAll(SIGNS, "\\$&")), ACCENTED].map((each) => `--regexp=${each}`);
  try {
    const limits = { timeout: GREP_MS_MAX, maxBuffer: OUTPUT_BYTES_MAX, killSignal: "SIGKILL" as const };
    const { stdout } = await run("rg", [...options, ...patterns, "--", ...paths], limits);
    return pathsIn(stdout);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === NOTHING_FOUND) return [];
    // A file that is not there is no reason to doubt what it says of the others; whether it says nothing is for the scan.
    const told = toldDespite(error);
    if (told.length > 0) return told;
    if (isNoAnswer(error)) return null;
    throw error;
  }
}

/** Is it installed, and does it answer? */
export async function hasRipgrep(): Promise<boolean> {
  try {
    await run("rg", ["--version"], { timeout: GREP_MS_MAX, killSignal: "SIGKILL" });
    return true;
  } catch (error) {
    if (isNoAnswer(error)) return false;
    throw error;
  }
}

/** It is not installed, gave up, said too much, or was ended: then the files are read without it. */
function isNoAnswer(error: unknown): boolean {
  if (hasCode(error, "ENOENT", "EACCES", "E2BIG", "ERR_CHILD_PROCESS_STDIO_MAXBUFFER")) return true;
  return error instanceof Error && "code" in error && (typeof error.code === "number" || error.code === null);
}

function toldDespite(error: unknown): string[] {
  if (!(error instanceof Error && "code" in error && error.code === SOME_UNREADABLE)) return [];
  return "stdout" in error && typeof error.stdout === "string" ? pathsIn(error.stdout) : [];
}

function pathsIn(output: string): string[] {
  return output.split("\0").filter((path) => path !== "");
}
