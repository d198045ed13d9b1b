/** Connects a model: who answers from now on, with which key or login, and which model. Works with everything down. */
import { text as readAll } from "node:stream/consumers";
import { forgetKey, saveConnection } from "@mimikit/agent/connect/save-connection";
import { API_TITLES, type ProviderId } from "@mimikit/protocol/base/provider";
import { Role } from "@mimikit/protocol/base/role";
import {
  type ConnectAnswer,
  ConnectBody,
  type ConnectionTest,
  type ProviderEntry,
} from "@mimikit/protocol/wire/connect";
import { command } from "../arguments/command.ts";
import { NO_ARGUMENT } from "../arguments/misuse.ts";
import {
  type ConnectContext,
  entriesOf,
  entryOf,
  keyOfShell,
  named,
  nameOf,
  openConnection,
  refusing,
  tested,
  trialText,
} from "../connect/connection.ts";
import { nameIn, t, told } from "../i18n/language.ts";
import { withDisk } from "../instance/state.ts";
import { Failure } from "../io/failure.ts";
import { plainLine, printHint, printJson, printLine, printProgress, printTable, styled } from "../io/print.ts";

/** With one of these it answers, but not as it should: the owner may want it all the same. */
const BEARABLE: readonly string[] = ["tools", "window"];
const NAMES_SHOWN = 20;

export const connect = command({
  usage: "connect [provider]",
  summary: "connect a model or an agent CLI: set its key or login, test it, and use it",
  examples: [
    ["mimikit connect", "at a terminal: asks step by step, and keeps what you paste to itself"],
    ["mimikit connect --list", "the providers, with what each has and lacks"],
    ["mimikit connect ollama", "a server of this machine; a script gets its only model, or names one with --model"],
    ["mimikit connect openai --model gpt-5 --key-stdin < key.txt", "for scripts: the key comes through the pipe alone"],
    [
      "mimikit connect openai --url http://127.0.0.1:9000/v1 --model some-model",
      "any address that speaks Chat Completions or Responses",
    ],
    ["mimikit connect codex --role worker", "for the Workers alone; the others keep theirs"],
    ["mimikit connect openai --forget", "forgets the key that is kept"],
  ],
  epilogue:
    "Everything is tried before it is saved, with one small request, and takes effect at once, without a restart. Keys are kept in secrets.json, which this user alone may read; a variable that holds one goes before it.",
  options: (yargs) =>
    yargs
      .positional("provider", {
        type: "string",
        describe: "openai, anthropic, google, ollama, codex, …: --list names all",
      })
      .option("url", { type: "string", describe: "where it is, if not at its own address" })
      .option("model", { type: "string", describe: "the model, by the name it has there" })
      .option("key-stdin", { type: "boolean", default: false, describe: "read its key from the pipe" })
      .option("role", {
        choices: Role.options,
        array: true,
        describe: "for this role alone; may be said more than once",
      })
      .option("test", {
        type: "boolean",
        default: true,
        describe: "try it before it is saved; --no-test leaves that out",
      })
      .option("list", { type: "boolean", default: false, describe: "list the providers" })
      .option("forget", { type: "boolean", default: false, describe: "forget its key" })
      .option("key", { type: "string", hidden: true }),
  async run({ json, provider, url, model, keyStdin, role, test, list, forget, key }) {
    if (key !== undefined) throw new Failure("usage", t(NO_ARGUMENT));
    const at = await openConnection();
    if (list && json) return printJson({ providers: entriesOf(at) });
    if (list) return show(entriesOf(at));
    const id = provider === undefined ? undefined : await named(provider);
    if (forget) return forgetIt(json, id, at);
    const isTold = keyStdin || model !== undefined || url !== undefined || role !== undefined || !test || json;
    if (!isTold && process.stdin.isTTY && process.stderr.isTTY) {
      const { guide } = await import("../connect/guide.ts");
      return save(json, await guide(at, id), undefined, at);
    }
    if (id === undefined)
      throw new Failure("usage", t("name a provider: mimikit connect <provider>  (--list names all)"));
    if (!ConnectBody.shape.baseUrl.safeParse(url).success)
      throw new Failure("usage", t("--url: must be an address that begins with http:// or https://"));
    const wanted: ConnectBody = {
      provider: id,
      ...(url !== undefined && { baseUrl: url }),
      ...(role !== undefined && { roles: role }),
      ...(await keyOf({ provider: id, ...(url !== undefined && { baseUrl: url }) }, keyStdin, at)),
    };
    const full = { ...wanted, ...(await modelOf(id, model, wanted, at)) };
    const trial = test && id !== "offline" ? await tryOut(full, at, json) : undefined;
    await save(json, full, trial, at);
  },
});

async function keyOf(
  place: Pick<ConnectBody, "provider" | "baseUrl">,
  isPiped: boolean,
  at: ConnectContext,
): Promise<{ key?: string }> {
  if (isPiped) {
    if (process.stdin.isTTY) throw new Failure("usage", t("--key-stdin reads the key from a pipe: … < key.txt"));
    const key = (await readAll(process.stdin)).trim();
    if (key === "") throw new Failure("usage", t("no key came through the pipe"));
    return { key };
  }
  const ofShell = keyOfShell(place, at);
  if (ofShell === undefined) return {};
  printProgress(t("using the key from {variable}; it will be saved in secrets.json", { variable: ofShell.variable }));
  return { key: ofShell.key };
}

/** The model that is named, or that it has already; of a server that has just one, that one. */
async function modelOf(
  id: ProviderId,
  name: string | undefined,
  wanted: ConnectBody,
  at: ConnectContext,
): Promise<{ model?: string }> {
  const { kind, model } = entryOf(id, at);
  const known = name ?? model;
  if (known !== undefined) return { model: known };
  if (kind === "program" || kind === "offline") return {};
  const listed = await tested(wanted, at);
  const [only, ...others] = listed.models;
  if (only !== undefined && others.length === 0) return { model: only.id };
  if (only === undefined) throw new Failure("failed", trialText(listed));
  const names = listed.models.map((each) => each.id).slice(0, NAMES_SHOWN);
  const more = listed.models.length - names.length;
  throw new Failure(
    "usage",
    plainLine(
      t("name its model with --model: {names}{what}", {
        names: names.join(", "),
        what: more > 0 ? ` ${t("and {more} others", { more })}` : "",
      }),
    ),
  );
}

/** @throws Failure where it does not answer. */
async function tryOut(wanted: ConnectBody, at: ConnectContext, json: boolean): Promise<ConnectionTest> {
  const trial = await tested(wanted, at);
  const { problem } = trial;
  if (problem === undefined || BEARABLE.includes(problem.cause)) return trial;
  if (json) printJson({ saved: false, provider: wanted.provider, problem });
  throw new Failure(
    "failed",
    plainLine(t("{trial}; nothing was saved (--no-test saves it anyway)", { trial: trialText(trial) })),
  );
}

async function save(
  json: boolean,
  wanted: ConnectBody,
  trial: ConnectionTest | undefined,
  at: ConnectContext,
): Promise<void> {
  const answer = await refusing(() => withDisk(at.home, (fs) => saveConnection(wanted, { ...at, fs })));
  if (json) {
    const { models: _, ...rest } = trial ?? { models: [] };
    printJson({ saved: true, provider: wanted.provider, ...rest, ...answer, isRunning: at.isRunning });
    return;
  }
  if (trial !== undefined) printLine(`${mark(trial)} ${plainLine(trialText(trial))}`);
  for (const line of answerers(answer)) printLine(plainLine(line));
  printHint(at.isRunning ? t("it takes effect now") : t("it takes effect when Mimikit runs:  mimikit up"));
}

const mark = ({ problem }: ConnectionTest) => (problem === undefined ? styled("green", "✓") : styled("yellow", "!"));

/** The provider and model of each role; roles with the same share a line. */
function answerers({ providers, models }: ConnectAnswer): string[] {
  const said = (role: Role) => [providers[role], models[role]].filter((part) => part !== null).join(" · ");
  return [...Map.groupBy(Role.options, said)].map(([who, roles]) =>
    roles.length === Role.options.length
      ? t("{who} answers for all roles", { who })
      : t("{who} answers for {roles}", { who, roles: roles.join(", ") }),
  );
}

async function forgetIt(json: boolean, id: ProviderId | undefined, at: ConnectContext): Promise<void> {
  if (id === undefined) throw new Failure("usage", t("name a provider: mimikit connect <provider> --forget"));
  await refusing(() => forgetKey(id, at));
  const { key, missing } = entryOf(id, at);
  if (json) return printJson({ provider: id, key, missing });
  const left =
    key === null ? "" : t("; {variable} has one, which counts until it is unset", { variable: key.variable ?? "" });
  printLine(t("the key of {id} is forgotten{left}", { id, left }));
}

function show(entries: readonly ProviderEntry[]): void {
  printTable(
    ["name", "", "answers for", "model", "key", "lacks"],
    entries.map((entry) => [
      entry.id,
      nameOf(entry),
      entry.answersFor.length === Role.options.length ? t("all") : entry.answersFor.join(", "),
      [entry.model ?? "", entry.api === undefined ? "" : `(${API_TITLES[entry.api]})`].join(" ").trim(),
      entry.key === null ? "" : (entry.key.variable ?? nameIn(entry.key.from)),
      // Without the advice after the colon: it is to run this command.
      told(entry.missing ?? "").split(/: |：/, 1)[0] ?? "",
    ]),
    t("there is no provider"),
  );
  for (const { id, learnt = [] } of entries) for (const line of learnt) printHint(plainLine(`${id}: ${told(line)}`));
}
