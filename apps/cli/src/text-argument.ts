/** The text of a message: the words of the command line, or `-` for what comes through the pipe. */
import { text as readAll } from "node:stream/consumers";
import { MESSAGE_CHARS_MAX } from "@mimikit/protocol/inbox";
import type { Argv } from "yargs";
import type { CommonOptions } from "./command.ts";
import { Failure } from "./failure.ts";

export function textArgument(yargs: Argv<CommonOptions>) {
  return yargs.positional("text", { type: "string", array: true, describe: "the message; - reads it from the pipe" });
}

/** Throws `Failure` (usage) when there is none or when it is too long. */
export async function readText(words: readonly string[] | undefined): Promise<string> {
  const isPiped = words?.length === 1 && words[0] === "-";
  const text = (isPiped ? await readAll(process.stdin) : (words ?? []).join(" ")).trim();
  if (text === "") throw new Failure("usage", "say what to send: mimikit send <text>, or - to read it from a pipe");
  if (text.length > MESSAGE_CHARS_MAX) {
    throw new Failure(
      "usage",
      `a message has at most ${MESSAGE_CHARS_MAX} characters, and this one has ${text.length}`,
    );
  }
  return text;
}
