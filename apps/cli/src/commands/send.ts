/** Hands a message over and does not wait for the answer. Works with everything down: a message is a file in inbox/. */
import { readLine } from "@mimikit/protocol/wire/slash-command";
import { attachOption } from "../arguments/attach-files.ts";
import { command } from "../arguments/command.ts";
import { isOnlyPiped, readMessage, textArgument } from "../arguments/text-argument.ts";
import { t } from "../i18n/language.ts";
import { type HandOver, handOver, printHanded, wantedBy, withFiles } from "../instance/hand-over.ts";
import { Failure } from "../io/failure.ts";
import { printJson, printLine } from "../io/print.ts";
import { mistakeText, slashHelp } from "../terminal/slash-help.ts";

export const send = command({
  usage: "send [text..]",
  summary: "send a message without waiting for the answer",
  examples: [
    ["mimikit send remind me to water the plants", "saved, also while Mimikit is stopped"],
    ["mimikit send --next then tidy up", "answered separately, after the turn that runs"],
    ["mimikit send /stop", "the commands of the chat work here, too; // begins a message with a slash"],
    ["mimikit send --attach error.png what is wrong here", "with a picture, a document or any other file"],
    ["git log -5 | mimikit send", "send the text from the pipe, even if it begins with a slash"],
  ],
  takesText: true,
  options: (yargs) =>
    attachOption(textArgument(yargs)).option("next", {
      type: "boolean",
      default: false,
      describe: "answer it separately, after the turn that runs",
    }),
  async run({ json, text: words, next, attach }) {
    const { text, files } = await readMessage(words, "send", attach);
    const isData = isOnlyPiped(words);
    const wanted = next ? ({ kind: "message", text, mode: "next" } as const) : isData ? asIs(text) : read(text);
    if (wanted === "help" && json) printJson({ help: slashHelp() });
    else if (wanted === "help") printLine(slashHelp());
    else printHanded(await handOver(withFiles(wanted, files)), json);
  },
});

function asIs(text: string): HandOver {
  return { kind: "message", text };
}

/** Throws `Failure` (usage) for a command that there is not, or that is not complete. */
function read(text: string): HandOver | "help" {
  const line = readLine(text);
  if (line.kind === "mistake") throw new Failure("usage", mistakeText(line));
  if (line.kind === "help") return "help";
  if (line.kind === "attach") throw new Failure("usage", t("here a file goes along with  --attach <file>"));
  return wantedBy(line);
}
