/** The command line of Mimikit. Every command is one file in commands/ and one line here. */

import { settleTimeZone } from "@mimikit/runtime/clock/system-zone";
import { VERSION } from "@mimikit/runtime/home/version";
import { useProxyLater } from "@mimikit/runtime/network/use-proxy";
import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import { type Command, examplesText } from "./arguments/command.ts";
import { commandFirst, nameIn } from "./arguments/command-first.ts";
import { completeIds } from "./arguments/complete-ids.ts";
import { listOfCommands } from "./arguments/groups.ts";
import { misuseText } from "./arguments/misuse.ts";
import { markWords } from "./arguments/text-argument.ts";
import { translateWords } from "./i18n/help.ts";
import { chooseLanguage, t, told } from "./i18n/language.ts";
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

/** How a shell asks what can come next. */
const COMPLETION = "--get-yargs-completions";

class Misuse extends Error {}

/** A line with its command, or with all of them where it names none: for the help, and to suggest one. */
interface Line {
  /** The command comes first, then the sub-command. */
  words: string[];
  commands: Command[];
  /** The command or sub-command that would run. */
  leaf?: Command;
}

async function lineOf(words: readonly string[]): Promise<Line> {
  const name = nameIn(words) ?? "";
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined) return { words: [...words], commands: await allCommands() };
  const command = await load();
  const ordered = commandFirst(words, command);
  const leaf = command.subCommands.find((each) => each.name === ordered[1]) ?? command;
  return { words: ordered, commands: [command], leaf };
}

function allCommands(): Promise<Command[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load()));
}

const EXAMPLES = [
  ["mimikit up", "start it, and print its address"],
  ["mimikit chat", "talk with it; mimikit ask and send are for scripts"],
] as const;

/** @param isOverview the help lists the commands by what they are for. */
function parserOf(words: string[], commands: readonly Command[], isOverview = false) {
  const parser = translateWords(yargs(words).scriptName("mimikit").locale("en"))
    .usage(
      `$0 <command>\n\n${t("A self-hosted, always-on assistant. Exit codes: 0 done, 1 failed, 2 usage, 3 not running, 4 timed out, 5 waits for your answer.")}`,
    )
    .epilogue(isOverview ? `${listOfCommands(commands)}\n\n${examplesText(EXAMPLES)}` : "")
    .option("json", { type: "boolean", default: false, describe: t("print one JSON document"), global: true })
    .parserConfiguration({ "parse-positional-numbers": false, "strip-dashed": true })
    .version(VERSION)
    .help()
    .alias({ help: "h", version: "v" })
    .strict()
    .demandCommand(1)
    .exitProcess(false)
    .fail((message, error) => {
      throw error ?? new Misuse(message);
    });
  for (const command of commands) command.addTo(parser, !isOverview);
  return parser;
}

// A reader that has seen enough (`mimikit logs | head`) is not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : EXIT.failed));

// Most commands make no request beyond this machine, and need not know.
useProxyLater(async () => (await import("./io/own-proxy.ts")).useOwnProxy());

settleTimeZone(process.env);
await chooseLanguage(process.env, hideBin(process.argv));
try {
  await run(hideBin(process.argv));
} catch (error) {
  const failure = error instanceof Misuse ? await explained(error.message, hideBin(process.argv)) : error;
  process.stderr.write(`mimikit: ${asCalled(told(reasonOf(failure)))}\n`);
  process.exitCode =
    failure instanceof Failure ? failure.exitCode : failure instanceof Unreachable ? EXIT.notRunning : EXIT.failed;
}

async function run(words: string[]): Promise<void> {
  if (words.length === 0 && process.stdout.isTTY) return printOverview();
  if (words[0] === COMPLETION) return complete(words.slice(2));
  const { words: ordered, commands, leaf } = await lineOf(words);
  await parserOf(leaf?.takesText ? markWords(ordered) : ordered, commands, leaf === undefined).parseAsync();
}

/** @param words those of the line, of which the last is completed. */
async function complete(words: string[]): Promise<void> {
  // A dash alone would be a word, and it begins an option.
  const { words: ordered, commands } = await lineOf(words.at(-1) === "-" ? words.with(-1, "--") : words);
  const ids = await completeIds(ordered.slice(0, -1));
  if (ids === null) await parserOf([COMPLETION, "mimikit", ...ordered], commands).parseAsync();
  else for (const id of ids) printLine(id);
}

/** The options in the help of `mimikit <path>`. */
function optionsOf(path: readonly string[], commands: readonly Command[]): string[] {
  let help = "";
  parserOf([], commands).parse([...path, "--help"], (_error: unknown, _options: unknown, text: string) => {
    help = text;
  });
  return [...help.matchAll(/^ +(?:(-\w), )?(--?[a-z-]+)/gm)].flatMap(([, ...options]) => options.filter(Boolean));
}

async function explained(complaint: string, typed: readonly string[]): Promise<Failure> {
  const { words } = await lineOf(typed);
  const commands = await allCommands();
  const text = misuseText(complaint, { words, commands, optionsOf: (path) => optionsOf(path, commands) });
  return new Failure("usage", text);
}
