/** The command line of Mimikit. Every command is one file in commands/ and one line here. */

import { VERSION } from "@mimikit/runtime/home/version";
import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import type { Command } from "./arguments/command.ts";
import { completeIds } from "./arguments/complete-ids.ts";
import { misuseText } from "./arguments/misuse.ts";
import { markWords } from "./arguments/text-argument.ts";
import { adopt } from "./commands/adopt.ts";
import { ask } from "./commands/ask.ts";
import { audit } from "./commands/audit.ts";
import { backlog } from "./commands/backlog.ts";
import { backup } from "./commands/backup.ts";
import { bench } from "./commands/bench.ts";
import { chaos } from "./commands/chaos.ts";
import { chat } from "./commands/chat.ts";
import { clear } from "./commands/clear.ts";
import { completion } from "./commands/completion.ts";
import { config } from "./commands/config.ts";
import { doctor } from "./commands/doctor.ts";
import { down } from "./commands/down.ts";
import { history } from "./commands/history.ts";
import { improve } from "./commands/improve.ts";
import { logs } from "./commands/logs.ts";
import { mcp } from "./commands/mcp.ts";
import { memory } from "./commands/memory.ts";
import { pair } from "./commands/pair.ts";
import { questions } from "./commands/questions.ts";
import { restart } from "./commands/restart.ts";
import { restore } from "./commands/restore.ts";
import { send } from "./commands/send.ts";
import { skills } from "./commands/skills.ts";
import { status } from "./commands/status.ts";
import { steer } from "./commands/steer.ts";
import { stop } from "./commands/stop.ts";
import { tasks } from "./commands/tasks.ts";
import { triggers } from "./commands/triggers.ts";
import { undo } from "./commands/undo.ts";
import { up } from "./commands/up.ts";
import { usage } from "./commands/usage.ts";
import { Unreachable } from "./instance/client.ts";
import { EXIT, Failure, reasonOf } from "./io/failure.ts";
import { printLine } from "./io/print.ts";
import { printOverview } from "./overview.ts";

const COMMANDS: readonly Command[] = [
  up,
  down,
  restart,
  status,
  adopt,
  logs,
  send,
  ask,
  chat,
  steer,
  stop,
  clear,
  pair,
  tasks,
  triggers,
  questions,
  memory,
  history,
  backlog,
  improve,
  undo,
  usage,
  skills,
  config,
  audit,
  backup,
  restore,
  doctor,
  chaos,
  bench,
  completion,
  mcp,
];

/** What is followed by the words of people. */
const WITH_TEXT = new Set([
  "send",
  "ask",
  "steer",
  "triggers add",
  "triggers change",
  "questions answer",
  "history search",
  "memory search",
  "memory add",
  "backlog add",
  "backlog done",
  "backlog remove",
  "config set",
]);

/** How a shell asks what can come next. */
const COMPLETION = "--get-yargs-completions";

class Misuse extends Error {}

const cli = parserOf(argumentsOf(process.argv));

function parserOf(words: string[]) {
  const parser = yargs(words)
    .scriptName("mimikit")
    .locale("en")
    .usage(
      "$0 <command>\n\nA self-hosted, always-on assistant. Exit codes: 0 done, 1 failed, 2 usage, 3 not running, 4 timed out, 5 waits for your answer.",
    )
    .example("mimikit up", "start it, and print its address")
    .example("mimikit chat", "talk with it; mimikit ask and send are for scripts")
    .option("json", { type: "boolean", default: false, describe: "print one JSON document", global: true })
    .parserConfiguration({ "parse-positional-numbers": false, "strip-dashed": true })
    .version(VERSION)
    .help()
    .alias({ help: "h", version: "v" })
    .strict()
    .demandCommand(1, "say what to do")
    .exitProcess(false)
    .fail((message, error) => {
      throw error ?? new Misuse(message);
    });
  for (const command of COMMANDS) command.addTo(parser);
  return parser;
}

/** The words of a message are data, whatever yargs would make of them. */
function argumentsOf(argv: string[]): string[] {
  const words = hideBin(argv);
  const [name = "", action = ""] = words;
  return WITH_TEXT.has(name) || WITH_TEXT.has(`${name} ${action}`) ? markWords(words) : words;
}

// A reader that has seen enough (`mimikit logs | head`) is not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : EXIT.failed));

try {
  await run(hideBin(process.argv));
} catch (error) {
  const failure = error instanceof Misuse ? await explained(error.message, hideBin(process.argv)) : error;
  process.stderr.write(`mimikit: ${reasonOf(failure)}\n`);
  process.exitCode =
    failure instanceof Failure ? failure.exitCode : failure instanceof Unreachable ? EXIT.notRunning : EXIT.failed;
}

async function run([first, ...rest]: string[]): Promise<void> {
  if (first === undefined && process.stdout.isTTY) return printOverview();
  const ids = first === COMPLETION ? await completeIds(rest.slice(1, -1)) : null;
  if (ids === null) await cli.parseAsync();
  else for (const id of ids) printLine(id);
}

/** What `mimikit <name> --help` says. */
function helpOf(name: string | undefined): Promise<string> {
  const words = name === undefined ? ["--help"] : [name, "--help"];
  return new Promise((resolve) => {
    parserOf([]).parse(words, (_error: unknown, _options: unknown, help: string) => resolve(help));
  });
}

function optionsIn(help: string): string[] {
  return [...help.matchAll(/(?<=^ +(?:-\w, )?)--[a-z-]+/gm)].map(([option]) => option);
}

async function explained(complaint: string, words: readonly string[]): Promise<Failure> {
  const usages = new Map(COMMANDS.map(({ name, usage }) => [name, usage]));
  const name = words.find((word) => usages.has(word));
  return new Failure("usage", misuseText(complaint, { words, usages, options: optionsIn(await helpOf(name)) }));
}
