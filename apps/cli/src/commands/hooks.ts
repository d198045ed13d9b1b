/** Lists the hooks and their deliveries, tests one, keeps its secret. Only the test needs a running process. */
import { createHash, randomBytes } from "node:crypto";
import { text as readAll } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { momentText } from "@mimikit/core/schedule/trigger-words";
import {
  EndedDelivery,
  FailedCalls,
  HOOK_EVENTS,
  HookDelivery,
  type HookEvent,
  HookName,
  TEST_EVENT,
} from "@mimikit/protocol/records/hook";
import { problemWith } from "@mimikit/protocol/texts/issues";
import { problemOfHookSecret, setHookSecret } from "@mimikit/runtime/config/secrets";
import { openHome } from "@mimikit/runtime/home/adoption";
import { examineHooks } from "@mimikit/runtime/hooks/hook-problems";
import type { FoundHooks, Hook } from "@mimikit/runtime/hooks/read-hooks";
import { hasCode } from "@mimikit/store/disk/error-code";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, readRecord, readUnlessTorn } from "@mimikit/store/disk/record";
import { DELIVERIES, deliveryPath, endedDeliveryPath, failedTriesPath, HOOKS } from "@mimikit/store/disk/state";
import type { Argv } from "yargs";
import { type CommonOptions, command, commandGroup } from "../arguments/command.ts";
import { nameIn, t, told } from "../i18n/language.ts";
import { withDisk } from "../instance/state.ts";
import { Failure } from "../io/failure.ts";
import { personZoneHere } from "../io/person-zone.ts";
import { adoptedHome, openedHome } from "../io/place.ts";
import { plainLine, plainText, printJson, printLine, printTable, styled } from "../io/print.ts";
import { livingRoles } from "../processes/instance.ts";

const SHOWN_MAX = 20;
const SECRET_BYTES = 32;
/** A call has 10 s; a command may take longer, and is not waited for. */
const TEST_MS_MAX = 20_000;
const LOOK_EVERY_MS = 100;

const listCommand = command({
  usage: "list",
  summary: "each hook, the event it waits for, and its last delivery",
  examples: [["mimikit hooks list", "mimikit hooks alone is the same"]],
  async run({ json }) {
    await withHooks(async ({ fs, found }) => list(json, found, await readDeliveries(fs)));
  },
});

const showCommand = command({
  usage: "show <name>",
  summary: "the last deliveries of a hook, and those that wait",
  examples: [["mimikit hooks show notify", "with the reason why each waits or failed"]],
  options: hookArgument,
  async run({ json, name }) {
    await withHooks(async ({ fs, found }) => show(json, hookNamed(name, found), found, await readDeliveries(fs)));
  },
});

const testCommand = command({
  usage: "test <name>",
  summary: "send a sample event to a hook, and print the result",
  examples: [["mimikit hooks test notify", "exit code 1 if it was not delivered"]],
  options: hookArgument,
  run: ({ json, name }) => withHooks(({ fs, home, found }) => test(json, hookNamed(name, found), found, fs, home)),
});

const secretCommand = command({
  usage: "secret <name>",
  summary: "save, make or delete a signing secret",
  examples: [
    ["mimikit hooks secret notify --new", "make one, and print it once, for the other side"],
    ["mimikit hooks secret notify < secret.txt", "save one of the other side; at a terminal it is typed unseen"],
    ["mimikit hooks secret notify --forget", "delete it: deliveries that it signs wait"],
  ],
  options: (yargs) =>
    yargs
      .positional("name", { type: "string", demandOption: true, describe: "the name of the secret" })
      .option("new", { type: "boolean", default: false, describe: "make one, and print it" })
      .option("forget", { type: "boolean", default: false, describe: "delete it" }),
  run: ({ json, name, new: isNew, forget }) => keepSecret(adoptedHome(), json, name, isNew, forget),
});

export const hooks = commandGroup({
  name: "hooks",
  summary: "programs and addresses that are called on events: list, test them, keep their secrets",
  epilogue: () =>
    t("A hook is a file hooks/<name>.yaml in the state directory. Events: {events}. See docs/hooks.md.", {
      events: HOOK_EVENTS.join(", "),
    }),
  subCommands: [listCommand, showCommand, testCommand, secretCommand],
  alone: listCommand,
});

function hookArgument(yargs: Argv<CommonOptions>) {
  return yargs.positional("name", {
    type: "string",
    demandOption: true,
    describe: "the hook: mimikit hooks lists them",
  });
}

async function withHooks(
  use: (parts: { fs: FileSystem; home: string; found: FoundHooks }) => Promise<void>,
): Promise<void> {
  const home = openedHome();
  await withDisk(home, async (fs) => use({ fs, home, found: await examineHooks(fs, home, process.env) }));
}

function hookNamed(name: string, { hooks: all, problems }: FoundHooks): Hook {
  const hook = all.find((each) => each.name === name);
  if (hook !== undefined) return hook;
  const problem = problems.find((each) => each.name === name);
  const reason =
    problem === undefined
      ? t("there is no {hooks}/{name}.yaml", { hooks: HOOKS, name })
      : `${problem.place}: ${told(problem.reason)}`;
  throw new Failure("failed", t("{reason}:  mimikit hooks  lists them", { reason }));
}

/** A delivery and what is known of it. */
interface Line extends HookDelivery {
  ended: EndedDelivery | null;
  failed: FailedCalls | null;
}

/** Newest first. A damaged record is passed over. */
async function readDeliveries(fs: FileSystem): Promise<Line[]> {
  const lines: Line[] = [];
  for (const name of await namesIn(fs)) {
    const [, id] = /^(d-[0-9a-f]+)\.json$/.exec(name) ?? [];
    const delivery = id === undefined ? null : await readUnlessTorn(fs, HookDelivery, deliveryPath(id));
    if (delivery === null || id === undefined) continue;
    const ended = await readUnlessTorn(fs, EndedDelivery, endedDeliveryPath(id));
    lines.push({
      ...delivery,
      ended,
      failed: ended === null ? await readUnlessTorn(fs, FailedCalls, failedTriesPath(id)) : null,
    });
  }
  return lines.sort((a, b) => (a.at < b.at ? 1 : -1));
}

async function namesIn(fs: FileSystem): Promise<string[]> {
  try {
    return await fs.list(DELIVERIES);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}

function list(json: boolean, { hooks: all, sources, problems }: FoundHooks, lines: readonly Line[]): void {
  const facts = all.map((hook) => {
    const own = lines.filter((line) => line.hook === hook.name);
    const [last = null] = own.flatMap(({ ended }) => ended ?? []).sort((a, b) => (a.at < b.at ? 1 : -1));
    return { ...hook, waiting: own.filter(({ ended }) => ended === null).length, last };
  });
  if (json) {
    printJson({ hooks: facts, sources, problems });
    return;
  }
  const rows = facts.map(({ name, on, url, run = [], waiting, last }) => [
    name,
    [on].flat().join(", "),
    url === undefined ? run.join(" ") : new URL(url).host,
    String(waiting),
    last === null ? "–" : `${nameIn(last.outcome)} ${timeText(last.at)}`,
  ]);
  const incoming = sources.map(({ name, receive }) => [
    name,
    `POST /hooks/${name}`,
    t("runs {receive}", { receive }),
    "–",
    "–",
  ]);
  printTable(
    ["name", "on", "does", "waiting", "last"],
    [...rows, ...incoming],
    t("there are no hooks: {hooks}/<name>.yaml makes one", { hooks: HOOKS }),
  );
  for (const { place, reason } of problems) printLine(styled("yellow", plainLine(`! ${place}: ${told(reason)}`)));
}

function show(json: boolean, hook: Hook, { problems }: FoundHooks, lines: readonly Line[]): void {
  const own = lines.filter((line) => line.hook === hook.name).slice(0, SHOWN_MAX);
  const wrong = problems.filter(({ name }) => name === hook.name);
  if (json) {
    printJson({ ...hook, problems: wrong, deliveries: own });
    return;
  }
  printLine(styled("bold", hook.name));
  printLine(t("on    {events}", { events: [hook.on].flat().join(", ") }));
  printLine(t("does  {url}", { url: plainLine(hook.url ?? JSON.stringify(hook.run)) }));
  for (const { reason } of wrong) printLine(styled("yellow", plainLine(`! ${told(reason)}`)));
  printLine();
  printTable(
    ["delivery", "event", "of", "when", "result"],
    own.map(({ id, event, at, ...line }) => [id, event.type, event.data.title, timeText(at), stateText(line)]),
    t("there are no deliveries yet"),
  );
}

function stateText({ ended, failed }: Pick<Line, "ended" | "failed">): string {
  if (ended !== null)
    return t("{outcome} {moment}: {detail}", {
      outcome: nameIn(ended.outcome),
      moment: timeText(ended.at),
      detail: told(ended.detail),
    });
  if (failed === null) return nameIn("waits");
  const { tries, error } = failed;
  const moment = timeText(failed.retryAt);
  return tries === 1
    ? t("waits after 1 try until {moment}: {error}", { moment, error: told(error) })
    : t("waits after {tries} tries until {moment}: {error}", { tries, moment, error: told(error) });
}

async function test(
  json: boolean,
  { name }: Hook,
  { problems }: FoundHooks,
  fs: FileSystem,
  home: string,
): Promise<void> {
  const wrong = problems.find((each) => each.name === name);
  if (wrong !== undefined) throw new Failure("failed", `${wrong.place}: ${told(wrong.reason)}`);
  const id = `test-${randomBytes(8).toString("hex")}`;
  const at = new Date().toISOString();
  const event: HookEvent = {
    type: TEST_EVENT,
    timestamp: at,
    data: { id, title: "a sample event", text: "Sent by  mimikit hooks test." },
  };
  const delivery: HookDelivery = {
    id: `d-${createHash("sha256").update(id).digest("hex").slice(0, 32)}`,
    hook: name,
    at,
    event,
  };
  await fs.makeDir(DELIVERIES);
  await createRecord(fs, HookDelivery, deliveryPath(delivery.id), delivery);
  const isRunning = livingRoles(home).has("workers");
  const ended = isRunning ? await untilEnded(fs, delivery.id) : null;
  if (json) printJson({ delivery: delivery.id, ended });
  else if (ended === null) {
    const next = isRunning
      ? t("it has not ended yet:  mimikit hooks show {name}", { name })
      : t("it reaches the hook when Mimikit runs");
    printLine(t("kept as {id}; {next}", { id: delivery.id, next }));
  } else {
    printLine(plainLine(`${nameIn(ended.outcome)}: ${told(ended.detail)}`));
    if (ended.output !== undefined) printLine(plainText(ended.output));
  }
  if (ended !== null && ended.outcome !== "sent" && ended.outcome !== "ran") process.exitCode = 1;
}

async function untilEnded(fs: FileSystem, id: string): Promise<EndedDelivery | null> {
  for (const deadline = performance.now() + TEST_MS_MAX; performance.now() < deadline; await wait(LOOK_EVERY_MS)) {
    const ended = await readRecord(fs, EndedDelivery, endedDeliveryPath(id));
    if (ended !== null) return ended;
  }
  return null;
}

async function keepSecret(home: string, json: boolean, name: string, isNew: boolean, forget: boolean): Promise<void> {
  const problem = problemWith(HookName, name);
  if (problem !== null) throw new Failure("usage", told(problem));
  if (isNew && forget) throw new Failure("usage", t("--new and --forget exclude each other: choose one"));
  openHome(home, process.env);
  const secret = forget
    ? undefined
    : isNew
      ? `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`
      : await typed(name);
  const wrong = secret === undefined ? null : problemOfHookSecret(secret);
  if (wrong !== null) throw new Failure("usage", told(wrong));
  await setHookSecret(home, name, secret);
  if (json) printJson({ name, ...(isNew && { secret }) });
  else if (isNew) printLine(`${secret}`);
  else printLine(forget ? t("forgotten: {name}", { name }) : t("kept in secrets.json: {name}", { name }));
}

/** Through the pipe, or typed unseen: never as an argument, which others can see. */
async function typed(name: string): Promise<string> {
  if (!process.stdin.isTTY) {
    const piped = (await readAll(process.stdin)).trim();
    if (piped === "") throw new Failure("usage", t("the pipe is empty: send the secret through it, or use --new"));
    return piped;
  }
  const prompts = await import("@clack/prompts");
  const answer = await prompts.password({
    output: process.stderr,
    message: t("The secret {secret}", { secret: name }),
  });
  if (prompts.isCancel(answer)) throw new Failure("failed", t("nothing was changed"));
  return answer.trim();
}

const timeText = (at: string) => momentText(Date.parse(at), personZoneHere());
