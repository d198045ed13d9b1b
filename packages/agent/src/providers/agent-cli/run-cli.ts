/** One process of an agent CLI: it gets its words by standard input and answers in JSON lines. */

import { stripVTControlCharacters } from "node:util";
import { endOf } from "@mimikit/protocol/texts/whole-characters";
import { withoutKey } from "@mimikit/runtime/config/secrets";
import { type Child, type Ended, runChild } from "../../shell/run-child.ts";
import { JsonLines } from "./json-lines.ts";

/** Between asking the CLI to end and making it end. With the sweep after it, all is gone within 5 s. */
const TERM_MS = 1_500;
const STDERR_CHARS_MAX = 4_000;

export interface CliCommand
  extends Pick<Child<unknown>, "commandLine" | "cwd" | "environment" | "handedOver" | "mark" | "sandbox"> {
  /** Its standard input. Never an argument: arguments are seen by everybody, and bounded at 128 KB. */
  input: string;
  /** Secrets that must not appear in a message. */
  secrets: readonly string[];
}

export interface CliEnd extends Ended {
  /** The end of what it said on standard error, without secrets. */
  stderr: string;
  /** Lines of its output that were no JSON. */
  unreadable: number;
}

/** Runs a CLI until it ends or `stop` aborts, and yields what it says as it says it. */
export async function* runCli(command: CliCommand, stop: AbortSignal): AsyncGenerator<unknown, CliEnd> {
  const lines = new JsonLines();
  let stderr = "";
  const child: Child<unknown> = {
    ...command,
    termMs: TERM_MS,
    async *read(chunks) {
      for await (const chunk of chunks) yield* lines.add(chunk);
      yield* lines.end();
    },
    onStderr(chunk) {
      stderr = (stderr + chunk.toString("utf8")).slice(-2 * STDERR_CHARS_MAX);
    },
  };
  const ended = yield* runChild(child, stop);
  return { ...ended, stderr: cleaned(stderr, command.secrets), unreadable: lines.unreadable };
}

/** The end of `text` as it may be shown. */
function cleaned(text: string, secrets: readonly string[]): string {
  return endOf(stripVTControlCharacters(withoutSecrets(text, secrets)).trim(), STDERR_CHARS_MAX);
}

/** The explanation of a program that does not work: the first line that says something. */
export function firstLine(text: string): string {
  return stripVTControlCharacters(text).trim().split("\n", 1)[0]?.trim() ?? "";
}

/** `text` as it may be shown: with `[key]` for each of `secrets`. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce(withoutKey, text);
}
