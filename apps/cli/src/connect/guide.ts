/**
 * Connects a model step by step at a terminal: who, its key or its login, which model, a trial, for whom. Nothing is saved
 * here; Ctrl-C at any question ends it with nothing changed.
 */
import { isSamePlace } from "@mimikit/agent/connect/catalogue";
import { findLocal } from "@mimikit/agent/connect/find-local";
import type { ProviderId } from "@mimikit/protocol/base/provider";
import { Role } from "@mimikit/protocol/base/role";
import type { ConnectBody, OfferedModel, ProviderEntry } from "@mimikit/protocol/wire/connect";
import { problemOfKey } from "@mimikit/runtime/config/secrets";
import { nameIn, t, told } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { plainLine, printProgress } from "../io/print.ts";
import { type ConnectContext, entriesOf, entryOf, keyOfShell, nameOf, tested, trialText } from "./connection.ts";
import { signIn } from "./sign-in.ts";

/** Loaded when the user is asked: no other command needs it. */
type Prompts = typeof import("@clack/prompts");

const ITEMS_SHOWN = 12;
/** On stderr, so that stdout has only the answer. */
const TO = { output: process.stderr };

/** Whom the user chose, and where it was found. Any address that speaks like OpenAI is `openai` with another address. */
interface Choice {
  id: ProviderId;
  foundAt?: string;
  isElsewhere?: true;
}

/** @param id the provider, if it was said already. @throws Failure where nothing is to be saved. */
export async function guide(at: ConnectContext, id?: ProviderId): Promise<ConnectBody> {
  const prompts = await import("@clack/prompts");
  prompts.intro(t("Connect a model"), TO);
  const choice = id === undefined ? await chooseProvider(prompts, at) : { id };
  const entry = entryOf(choice.id, at);
  if (entry.kind === "offline") return { provider: entry.id };
  const place: ConnectBody = { provider: entry.id, ...(await askAddress(prompts, entry, choice)) };
  const { models, ...keyed } =
    entry.kind === "program" ? await signedIn(prompts, entry, at) : await keyedAndListed(prompts, entry, place, at);
  const wanted = { ...place, ...keyed };
  return { ...wanted, ...(await chooseModel(prompts, entry, wanted, models, at)), ...(await chooseRoles(prompts)) };
}

/** Servers that answer on this machine come first. */
async function chooseProvider(prompts: Prompts, at: ConnectContext): Promise<Choice> {
  printProgress(t("looking for servers on this machine …"));
  const servers = await findLocal(new AbortController().signal);
  const entries = entriesOf(at).filter(({ kind }) => kind !== "offline");
  const choices = new Map<string, { choice: Choice; label: string; hint: string }>();
  for (const { provider, baseUrl, models } of servers) {
    const entry = entries.find(({ id }) => id === provider);
    const hint =
      models.length === 1
        ? t("1 model, at {host}", { host: new URL(baseUrl).host })
        : t("{count} models, at {host}", { count: models.length, host: new URL(baseUrl).host });
    if (entry !== undefined)
      choices.set(provider, { choice: { id: idOf(entry), foundAt: baseUrl }, label: nameOf(entry), hint });
  }
  for (const entry of entries)
    if (!choices.has(entry.id))
      choices.set(entry.id, { choice: { id: idOf(entry) }, label: nameOf(entry), hint: hintOf(entry) });
  const elsewhere = { id: "openai", isElsewhere: true } as const;
  choices.set("other", { choice: elsewhere, label: t("another address"), hint: t("any that speaks Chat Completions") });
  choices.set("offline", { choice: { id: "offline" }, label: t("the offline engine"), hint: t("no model") });
  const name = taken(
    prompts,
    await prompts.autocomplete<string>({
      ...TO,
      message: t("Which provider? Type to search"),
      maxItems: ITEMS_SHOWN,
      options: [...choices].map(([value, { label, hint }]) => ({ value, label, ...(hint !== "" && { hint }) })),
    }),
  );
  return choices.get(name)?.choice ?? { id: "offline" };
}

const idOf = ({ id }: ProviderEntry) => id as ProviderId;

function hintOf({ kind, answersFor, key, missing }: ProviderEntry): string {
  if (answersFor.length > 0) return t("answers now");
  if (kind === "local") return t("no server answers at its usual address");
  if (kind === "program") return isNotThere(missing) ? t("not installed") : t("an agent CLI, with its own login");
  return key === null ? "" : t("its key is in {place}", { place: key.variable ?? nameIn(key.from) });
}

const isNotThere = (missing: string | null) => missing !== null && /^(a|the) program\b/.test(missing);

async function askAddress(
  prompts: Prompts,
  { kind, baseUrl, ownBaseUrl }: ProviderEntry,
  { foundAt, isElsewhere }: Choice,
): Promise<{ baseUrl?: string }> {
  if (foundAt !== undefined) return foundAt === baseUrl ? {} : { baseUrl: foundAt };
  const isOwnEnough = kind === "program" || (kind === "endpoint" && ownBaseUrl !== undefined);
  if (isElsewhere === undefined && isOwnEnough) return {};
  const address = taken(
    prompts,
    await prompts.text({
      ...TO,
      message: t("Its address, up to and with the version"),
      placeholder: "https://…/v1",
      ...(isElsewhere === undefined && baseUrl !== undefined && { initialValue: baseUrl }),
      validate: (value = "") =>
        URL.canParse(value) && /^https?:/.test(value) ? undefined : t("it begins with http:// or https://"),
    }),
  );
  return address === baseUrl ? {} : { baseUrl: address };
}

interface Keyed {
  key?: string;
  models: OfferedModel[];
}

/** Asks for a key until the endpoint takes it, and for its list of models, which may be empty. */
async function keyedAndListed(
  prompts: Prompts,
  entry: ProviderEntry,
  place: ConnectBody,
  at: ConnectContext,
): Promise<Keyed> {
  for (;;) {
    const keyed = entry.kind === "local" ? {} : await askKey(prompts, entry, place, at);
    printProgress(t("asking which models there are …"));
    const { models, problem } = await tested({ ...place, ...keyed }, at);
    if (problem === undefined || problem.cause === "other") return { ...keyed, models };
    if (problem.cause !== "key" || keyed.key === undefined) throw new Failure("failed", plainLine(told(problem.text)));
    prompts.log.error(plainLine(told(problem.text)), TO);
  }
}

async function askKey(
  prompts: Prompts,
  entry: ProviderEntry,
  { baseUrl }: ConnectBody,
  at: ConnectContext,
): Promise<{ key?: string }> {
  const { keyPage } = entry;
  // Another address gets neither the kept key nor that of a variable.
  const known = baseUrl === undefined || isSamePlace(baseUrl, entry.baseUrl ?? entry.ownBaseUrl) ? entry.key : null;
  const ofShell = keyOfShell({ provider: entry.id, ...(baseUrl !== undefined && { baseUrl }) }, at);
  if (ofShell !== undefined) {
    prompts.log.info(t("The key of {variable} in this shell is used and saved.", { variable: ofShell.variable }), TO);
    return { key: ofShell.key };
  }
  if (known?.from === "variable") {
    prompts.log.info(
      t("Its key is in the variable {variable}, which goes before any other.", { variable: known.variable ?? "" }),
      TO,
    );
    return {};
  }
  const page = keyPage === undefined || baseUrl !== undefined ? "" : t(" (keys are made at {keyPage})", { keyPage });
  const without =
    known !== null ? t("; Enter keeps the saved one") : baseUrl !== undefined ? t("; Enter if it needs none") : "";
  const key = taken(
    prompts,
    await prompts.password({
      ...TO,
      message: t("Paste its key{page}{without}", { page, without }),
      validate: (value = "") =>
        value.trim() !== ""
          ? told(problemOfKey(value) ?? "") || undefined
          : without === ""
            ? t("it needs one")
            : undefined,
    }),
  );
  return (key ?? "").trim() === "" ? {} : { key: key.trim() };
}

/** A program has a login of its own, or a key. */
async function signedIn(prompts: Prompts, entry: ProviderEntry, at: ConnectContext): Promise<Keyed> {
  const { id, missing, login = "" } = entry;
  if (isNotThere(missing)) throw new Failure("failed", t("{id} lacks {missing}", { id, missing: told(missing ?? "") }));
  if (missing === null) return { models: [] };
  const how = taken(
    prompts,
    await prompts.select({
      ...TO,
      message: t("How is {id} signed in?", { id }),
      options: [
        { value: "login", label: t("with its own login"), hint: plainLine(login) },
        { value: "key", label: t("with a key") },
      ],
    }),
  );
  if (how === "key") return { ...(await askKey(prompts, entry, { provider: id }, at)), models: [] };
  await signIn(idOf(entry), at);
  return { models: [] };
}

/** Asks for a model until one answers, or is to be saved all the same. */
async function chooseModel(
  prompts: Prompts,
  entry: ProviderEntry,
  wanted: ConnectBody,
  models: readonly OfferedModel[],
  at: ConnectContext,
): Promise<{ model?: string }> {
  for (;;) {
    const model = await askModel(prompts, entry, models);
    const named = model === "" ? {} : { model };
    printProgress(t("trying it with one small request …"));
    const trial = await tested({ ...wanted, ...named }, at);
    const isGood = trial.problem === undefined;
    prompts.log[isGood ? "success" : "warn"](plainLine(trialText(trial)), TO);
    if (isGood) return named;
    const next = taken(
      prompts,
      await prompts.select({
        ...TO,
        message: t("What now?"),
        options: [
          { value: "again", label: t("name another model") },
          { value: "save", label: t("save anyway") },
          { value: "stop", label: t("stop, with nothing saved") },
        ],
      }),
    );
    if (next === "stop") throw nothingSaved();
    if (next === "save") return named;
  }
}

/** @returns its name; empty where a program is to take its own. */
async function askModel(
  prompts: Prompts,
  { kind, model = "" }: ProviderEntry,
  models: readonly OfferedModel[],
): Promise<string> {
  if (models.length === 0) {
    const isOptional = kind === "program";
    const name = taken(
      prompts,
      await prompts.text({
        ...TO,
        message: isOptional ? t("Which model? Enter takes its own") : t("Which model? There is no list of them"),
        initialValue: model,
        validate: (value = "") => (isOptional || value.trim() !== "" ? undefined : t("it needs one")),
      }),
    );
    return (name ?? "").trim();
  }
  const listed = models.map(({ id, contextWindow }) => ({
    value: id,
    label: plainLine(id),
    ...(contextWindow !== undefined && { hint: t("{count} tokens", { count: contextWindow }) }),
  }));
  const isListed = (name: string) => listed.some(({ value }) => value === name);
  return taken(
    prompts,
    await prompts.autocomplete<string>({
      ...TO,
      message: t("Which model? Type to search, or any other name"),
      maxItems: ITEMS_SHOWN,
      ...(isListed(model) && { initialValue: model }),
      options() {
        const typed = this.userInput.trim();
        return typed === "" || isListed(typed)
          ? listed
          : [...listed, { value: typed, label: typed, hint: t("as typed") }];
      },
    }),
  );
}

async function chooseRoles(prompts: Prompts): Promise<{ roles?: Role[] }> {
  const role = taken(
    prompts,
    await prompts.select<Role | "all">({
      ...TO,
      message: t("Use it for"),
      options: [
        { value: "all", label: t("all roles") },
        ...Role.options.map((name) => ({ value: name, label: t("only the {name}", { name }) })),
      ],
    }),
  );
  return role === "all" ? {} : { roles: [role] };
}

function taken<T>(prompts: Prompts, answer: T): Exclude<T, symbol> {
  if (!prompts.isCancel(answer)) return answer as Exclude<T, symbol>;
  throw nothingSaved();
}

function nothingSaved(): Failure {
  return new Failure("failed", t("nothing was saved"));
}
