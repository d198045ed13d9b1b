/** Lists the hooks and what became of their deliveries, tries one, keeps its secret. All but the try needs no running process. */
import { createHash, randomBytes } from "node:crypto";
import { text as readAll } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { momentText } from "@mimikit/core/schedule/trigger-words";
import {
  Delivery,
  EndedDelivery,
  FailedTries,
  HOOK_EVENTS,
  type HookEvent,
  HookName,
  TEST_EVENT,
} from "@mimikit/protocol/records/hook";
import { problemOfHookSecret, setHookSecret } from "@mimikit/runtime/config/secrets";
import { isAdopted, NOT_ADOPTED, openHome } from "@mimikit/runtime/home/adoption";
import { examineHooks } from "@mimikit/runtime/hooks/hook-problems";
import type { Hook, Hooks } from "@mimikit/runtime/hooks/read-hooks";
import { hasCode } from "@mimikit/store/disk/error-code";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, readRecord } from "@mimikit/store/disk/record";
import { DELIVERIES, deliveryPath, endedDeliveryPath, failedTriesPath, HOOKS } from "@mimikit/store/disk/state";
import { actions, command } from "../arguments/command.ts";
import { terminalZone } from "../arguments/trigger-options.ts";
import { withDisk } from "../instance/state.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, plainText, printJson, printLine, printTable, styled } from "../io/print.ts";
import { livingRoles } from "../processes/instance.ts";

const SHOWN_MAX = 20;
const SECRET_BYTES = 32;
/** A call has 10 s; a command may take longer, and is not waited for. */
const TEST_MS_MAX = 20_000;
const LOOK_EVERY_MS = 100;

export const hooks = command({
  usage: "hooks [action] [name]",
  summary: "what is started or called when something happens, and what became of it; keeps their secrets",
  examples: [
    ["mimikit hooks", "each hook, what it waits for, and its last delivery"],
    ["mimikit hooks show notify", "its last deliveries, what waits, and why"],
    ["mimikit hooks test notify", "sends it a sample event, and says what came of that"],
    ["mimikit hooks secret notify --new", "makes a secret, keeps it, and prints it once, for the other side"],
    [
      "mimikit hooks secret notify < secret.txt",
      "keeps one that the other side has made; at a terminal it is typed unseen",
    ],
    ["mimikit hooks secret notify --forget", "forgets it: what has to be signed with it waits"],
  ],
  epilogue: `A hook is a file hooks/<name>.yaml in the state directory. It waits for ${HOOK_EVENTS.join(", ")}. See docs/hooks.md.`,
  options: (yargs) =>
    yargs
      .positional("action", actions("list", "show", "test", "secret"))
      .positional("name", { type: "string", describe: "the hook; for secret, the name of the secret" })
      .option("new", { type: "boolean", default: false, describe: "secret: make one, and print it" })
      .option("forget", { type: "boolean", default: false, describe: "secret: forget it" }),
  async run({ json, action, name, new: isNew, forget }) {
    const { home } = currentPlace();
    if (!isAdopted(home, process.env)) throw new Failure("failed", NOT_ADOPTED);
    if (action !== "secret" && (isNew || forget))
      throw new Failure("usage", "--new and --forget are for  mimikit hooks secret");
    if (action === "secret") return keepSecret(home, json, nameOf(name, action), isNew, forget);
    openHome(home, process.env);
    await withDisk(home, async (fs) => {
      const found = await examineHooks(fs, home, process.env);
      if (action === "list") return list(json, found, await readDeliveries(fs));
      const hook = hookNamed(nameOf(name, action), found);
      if (action === "show") show(json, hook, found, await readDeliveries(fs));
      else await test(json, hook, found, fs, home);
    });
  },
});

function nameOf(name: string | undefined, action: string): string {
  if (name === undefined) throw new Failure("usage", `say which: mimikit hooks ${action} <name>`);
  return name;
}

function hookNamed(name: string, { hooks: all, problems }: Hooks): Hook {
  const hook = all.find((each) => each.name === name);
  if (hook !== undefined) return hook;
  const problem = problems.find((each) => each.name === name);
  const reason = problem === undefined ? `there is no ${HOOKS}/${name}.yaml` : `${problem.place}: ${problem.reason}`;
  throw new Failure("failed", `${reason}:  mimikit hooks  shows what there is`);
}

/** A delivery and what is known of it. */
interface Line extends Delivery {
  ended: EndedDelivery | null;
  failed: FailedTries | null;
}

/** Newest first. */
async function readDeliveries(fs: FileSystem): Promise<Line[]> {
  const lines: Line[] = [];
  for (const name of await namesIn(fs)) {
    const [, id] = /^(d-[0-9a-f]+)\.json$/.exec(name) ?? [];
    const delivery = id === undefined ? null : await readRecord(fs, Delivery, deliveryPath(id));
    if (delivery === null || id === undefined) continue;
    const ended = await readRecord(fs, EndedDelivery, endedDeliveryPath(id));
    lines.push({
      ...delivery,
      ended,
      failed: ended === null ? await readRecord(fs, FailedTries, failedTriesPath(id)) : null,
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

function list(json: boolean, { hooks: all, sources, problems }: Hooks, lines: readonly Line[]): void {
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
    last === null ? "–" : `${last.outcome} ${timeText(last.at)}`,
  ]);
  const incoming = sources.map(({ name, receive }) => [name, `POST /hooks/${name}`, `runs ${receive}`, "–", "–"]);
  printTable(
    ["name", "on", "does", "waiting", "last"],
    [...rows, ...incoming],
    `there are no hooks: ${HOOKS}/<name>.yaml makes one`,
  );
  for (const { place, reason } of problems) printLine(styled("yellow", plainLine(`! ${place}: ${reason}`)));
}

function show(json: boolean, hook: Hook, { problems }: Hooks, lines: readonly Line[]): void {
  const own = lines.filter((line) => line.hook === hook.name).slice(0, SHOWN_MAX);
  const wrong = problems.filter(({ name }) => name === hook.name);
  if (json) {
    printJson({ ...hook, problems: wrong, deliveries: own });
    return;
  }
  printLine(styled("bold", hook.name));
  printLine(`on    ${[hook.on].flat().join(", ")}`);
  printLine(`does  ${plainLine(hook.url ?? JSON.stringify(hook.run))}`);
  for (const { reason } of wrong) printLine(styled("yellow", plainLine(`! ${reason}`)));
  printLine();
  printTable(
    ["delivery", "event", "of", "when", "what became of it"],
    own.map(({ id, event, at, ...line }) => [id, event.type, event.data.title, timeText(at), stateText(line)]),
    "nothing has happened yet",
  );
}

function stateText({ ended, failed }: Pick<Line, "ended" | "failed">): string {
  if (ended !== null) return `${ended.outcome} ${timeText(ended.at)}: ${ended.detail}`;
  if (failed === null) return "waits";
  return `waits after ${failed.tries} ${failed.tries === 1 ? "try" : "tries"} until ${timeText(failed.retryAt)}: ${failed.error}`;
}

async function test(json: boolean, { name }: Hook, { problems }: Hooks, fs: FileSystem, home: string): Promise<void> {
  const wrong = problems.find((each) => each.name === name);
  if (wrong !== undefined) throw new Failure("failed", `${wrong.place}: ${wrong.reason}`);
  const id = `test-${randomBytes(8).toString("hex")}`;
  const at = new Date().toISOString();
  const event: HookEvent = {
    type: TEST_EVENT,
    timestamp: at,
    data: { id, title: "a sample event", text: "Sent by  mimikit hooks test." },
  };
  const delivery: Delivery = {
    id: `d-${createHash("sha256").update(id).digest("hex").slice(0, 32)}`,
    hook: name,
    at,
    event,
  };
  await fs.makeDir(DELIVERIES);
  await createRecord(fs, Delivery, deliveryPath(delivery.id), delivery);
  const isRunning = livingRoles(home).has("workers");
  const ended = isRunning ? await untilEnded(fs, delivery.id) : null;
  if (json) printJson({ delivery: delivery.id, ended });
  else if (ended === null) {
    const next = isRunning
      ? `it has not ended yet:  mimikit hooks show ${name}`
      : "it reaches the hook when Mimikit runs";
    printLine(`kept as ${delivery.id}; ${next}`);
  } else {
    printLine(plainLine(`${ended.outcome}: ${ended.detail}`));
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
  const problem = HookName.safeParse(name).error?.issues[0]?.message;
  if (problem !== undefined) throw new Failure("usage", problem);
  if (isNew && forget) throw new Failure("usage", "either --new or --forget");
  openHome(home, process.env);
  const secret = forget
    ? undefined
    : isNew
      ? `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`
      : await typed(name);
  const wrong = secret === undefined ? null : problemOfHookSecret(secret);
  if (wrong !== null) throw new Failure("usage", wrong);
  await setHookSecret(home, name, secret);
  if (json) printJson({ name, ...(isNew && { secret }) });
  else if (isNew) printLine(`${secret}`);
  else printLine(forget ? `forgotten: ${name}` : `kept in secrets.json: ${name}`);
}

/** Through the pipe, or typed unseen: never as an argument, which others can see. */
async function typed(name: string): Promise<string> {
  if (!process.stdin.isTTY) {
    const piped = (await readAll(process.stdin)).trim();
    if (piped === "") throw new Failure("usage", "no secret came through the pipe");
    return piped;
  }
  const prompts = await import("@clack/prompts");
  const answer = await prompts.password({ output: process.stderr, message: `The secret ${name}` });
  if (prompts.isCancel(answer)) throw new Failure("failed", "nothing was changed");
  return answer.trim();
}

const timeText = (at: string) => momentText(Date.parse(at), terminalZone());
