/** The command line of Mimikit. Every command is one file in commands/ and one line here. */

import { VERSION } from "@mimikit/runtime/home/version";
import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import type { Command } from "./arguments/command.ts";
import { completeIds } from "./arguments/complete-ids.ts";
import { misuseText } from "./arguments/misuse.ts";
import { markWords } from "./arguments/text-argument.ts";
import { Unreachable } from "./instance/client.ts";
import { asCalled } from "./io/as-called.ts";
import { EXIT, Failure, reasonOf } from "./io/failure.ts";
import { printLine } from "./io/print.ts";
import { printOverview } from "./overview.ts";

/** In the order of the help. Each is loaded when it is typed: what a command needs costs the others nothing. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  up: async () => (await import("./commands/up.ts")).up,
  down: async () => (await import("./commands/down.ts")).down,
  restart: async () => (await import("./commands/restart.ts")).restart,
  service: async () => (await import("./commands/service.ts")).service,
  status: async () => (await import("./commands/status.ts")).status,
  demo: async () => (await import("./commands/demo.ts")).demo,
  connect: async () => (await import("./commands/connect.ts")).connect,
  adopt: async () => (await import("./commands/adopt.ts")).adopt,
  logs: async () => (await import("./commands/logs.ts")).logs,
  send: async () => (await import("./commands/send.ts")).send,
  ask: async () => (await import("./commands/ask.ts")).ask,
  chat: async () => (await import("./commands/chat.ts")).chat,
  steer: async () => (await import("./commands/steer.ts")).steer,
  stop: async () => (await import("./commands/stop.ts")).stop,
  retry: async () => (await import("./commands/retry.ts")).retry,
  clear: async () => (await import("./commands/clear.ts")).clear,
  pair: async () => (await import("./commands/pair.ts")).pair,
  devices: async () => (await import("./commands/devices.ts")).devices,
  tasks: async () => (await import("./commands/tasks.ts")).tasks,
  queue: async () => (await import("./commands/queue.ts")).queue,
  triggers: async () => (await import("./commands/triggers.ts")).triggers,
  questions: async () => (await import("./commands/questions.ts")).questions,
  approvals: async () => (await import("./commands/approvals.ts")).approvals,
  memory: async () => (await import("./commands/memory.ts")).memory,
  history: async () => (await import("./commands/history.ts")).history,
  backlog: async () => (await import("./commands/backlog.ts")).backlog,
  improve: async () => (await import("./commands/improve.ts")).improve,
  undo: async () => (await import("./commands/undo.ts")).undo,
  usage: async () => (await import("./commands/usage.ts")).usage,
  skills: async () => (await import("./commands/skills.ts")).skills,
  channels: async () => (await import("./commands/channels.ts")).channels,
  pool: async () => (await import("./commands/pool.ts")).pool,
  pools: async () => (await import("./commands/pools.ts")).pools,
  hooks: async () => (await import("./commands/hooks.ts")).hooks,
  recipe: async () => (await import("./commands/recipe.ts")).recipe,
  import: async () => (await import("./commands/import.ts")).importCommand,
  config: async () => (await import("./commands/config.ts")).config,
  audit: async () => (await import("./commands/audit.ts")).audit,
  backup: async () => (await import("./commands/backup.ts")).backup,
  restore: async () => (await import("./commands/restore.ts")).restore,
  update: async () => (await import("./commands/update.ts")).update,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  chaos: async () => (await import("./commands/chaos.ts")).chaos,
  bench: async () => (await import("./commands/bench.ts")).bench,
  completion: async () => (await import("./commands/completion.ts")).completion,
  mcp: async () => (await import("./commands/mcp.ts")).mcp,
};

/** Options that are followed by people's own words. */
const WITH_TEXT = new Set([
  "send",
  "ask",
  "steer",
  "triggers add",
  "triggers change",
  "questions answer",
  "devices add",
  "history search",
  "memory search",
  "memory add",
  "memory forget",
  "backlog add",
  "backlog done",
  "backlog remove",
  "config set",
]);

/** How a shell asks what can come next. */
const COMPLETION = "--get-yargs-completions";

class Misuse extends Error {}

/** The command that is typed, or all of them where none is: for the help, and for what to type instead. */
function commandsFor([name = ""]: readonly string[]): Promise<Command[]> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return Promise.all((load === undefined ? Object.values(COMMANDS) : [load]).map((command) => command()));
}

function parserOf(words: string[], commands: readonly Command[]) {
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
    .demandCommand(1, "missing command")
    .exitProcess(false)
    .fail((message, error) => {
      throw error ?? new Misuse(message);
    });
  for (const command of commands) command.addTo(parser);
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
  process.stderr.write(`mimikit: ${asCalled(reasonOf(failure))}\n`);
  process.exitCode =
    failure instanceof Failure ? failure.exitCode : failure instanceof Unreachable ? EXIT.notRunning : EXIT.failed;
}

async function run([first, ...rest]: string[]): Promise<void> {
  if (first === undefined && process.stdout.isTTY) return printOverview();
  const ids = first === COMPLETION ? await completeIds(rest.slice(1, -1)) : null;
  if (ids === null) await parserOf(argumentsOf(process.argv), await commandsFor(hideBin(process.argv))).parseAsync();
  else for (const id of ids) printLine(id);
}

/** The output of `mimikit <name> --help`. */
function helpOf(name: string | undefined, commands: readonly Command[]): Promise<string> {
  const words = name === undefined ? ["--help"] : [name, "--help"];
  return new Promise((resolve) => {
    parserOf([], commands).parse(words, (_error: unknown, _options: unknown, help: string) => resolve(help));
  });
}

function optionsIn(help: string): string[] {
  return [...help.matchAll(/(?<=^ +(?:-\w, )?)--[a-z-]+/gm)].map(([option]) => option);
}

async function explained(complaint: string, words: readonly string[]): Promise<Failure> {
  const commands = await commandsFor([]);
  const usages = new Map(commands.map(({ name, usage }) => [name, usage]));
  const name = words.find((word) => usages.has(word));
  return new Failure(
    "usage",
    misuseText(complaint, { words, usages, options: optionsIn(await helpOf(name, commands)) }),
  );
}
