/** Starts the processes so that who answered goes on answering, or says loudly what changes, and why. */
import {
  type Answerer,
  answersOf,
  type ChangedAnswers,
  changedAnswers,
  decidingField,
  readAnswers,
} from "@mimikit/agent/providers/answers";
import { describeProviders } from "@mimikit/agent/providers/index";
import { Role } from "@mimikit/protocol/base/role";
import type { Status } from "@mimikit/protocol/wire/api";
import { type Config, loadConfig } from "@mimikit/runtime/config/config";
import { keepKeys } from "@mimikit/runtime/config/keep-keys";
import { keyVariableOf, PROVIDER_IDS } from "@mimikit/runtime/config/providers";
import { readKeys } from "@mimikit/runtime/config/secrets";
import { isAdopted } from "@mimikit/runtime/home/adoption";
import { type Environment, HomeError } from "@mimikit/runtime/home/home";
import { DocumentBusy } from "@mimikit/store/documents/document";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { plainLine, printNotice, printProgress } from "../io/print.ts";
import { runningEnvironment } from "../processes/instance.ts";
import { answererText } from "./answerers.ts";
import { waitUntilReady } from "./ready.ts";

export interface Begun {
  url: string;
  status: Status;
  /** The variables whose keys were kept. */
  kept: string[];
  /** null if it is the same provider as before, and if there was none before. */
  changed: ChangedAnswers | null;
}

/** @throws Failure where a key cannot be kept, and as `start` and `waitUntilReady` do. Nothing was started then. */
export async function begin(home: string, config: Config, start: () => Promise<void>): Promise<Begun> {
  const running = await runningEnvironment(home);
  const before = answersBefore(home, running);
  // The processes of a version before this one hold keys in their environment, which ends with them.
  const kept = await keep(home, { ...running, ...process.env });
  await start();
  const { url, status } = await waitUntilReady(home, config);
  const now = readAnswers(home);
  const changed = before === null || now === null ? null : changedAnswers(before, now);
  if (changed !== null) {
    const { keys } = readKeys(home, process.env);
    const isKept = (name: string) => PROVIDER_IDS.some((id) => keys[id] && keyVariableOf(id, { [name]: "set" }));
    changed.unset = changed.unset.filter((name) => !isKept(name));
    warn(changed);
  }
  return { url, status, kept, changed };
}

/** As the gateway has noted it, else as the processes that run were started. */
function answersBefore(home: string, running: Environment | null) {
  if (!isAdopted(home, process.env)) return null;
  const noted = readAnswers(home);
  if (noted !== null || running === null) return noted;
  const { config, keys } = loadConfig(home, running);
  const { names, models } = describeProviders(config, { home, env: running, keys });
  return answersOf(names, models, running);
}

/**
 * Keeps the keys of the variables in `held`, and says so on stderr.
 * @returns the variables. @throws Failure where a key cannot be kept.
 */
export async function keep(home: string, held: Environment): Promise<string[]> {
  try {
    const { kept, lines } = await keepKeys(home, process.env, held);
    for (const line of lines) printProgress(line);
    return kept;
  } catch (error) {
    if (error instanceof HomeError || error instanceof DocumentBusy) throw new Failure("failed", error.message);
    throw error;
  }
}

function warn({ roles, unset, set }: ChangedAnswers): void {
  const nameOf = ({ provider, model }: Answerer) => answererText(provider, model);
  const said = roles.map(({ role, before, now }) => [role, `${nameOf(before)} → ${nameOf(now)}`] as const);
  const changes = new Set(said.map(([, change]) => change));
  const isOne = changes.size === 1 && said.length === Role.options.length;
  printNotice(`! ${t("The model that answers has changed:")}`);
  for (const [role, change] of isOne ? said.slice(0, 1) : said)
    printNotice(`!   ${isOne ? t("all") : role}: ${plainLine(change)}`);
  if (unset.length > 0)
    printNotice(
      `! ${t("because this shell does not set what was set before: {unset}", { unset: plainLine(unset.join(", ")) })}`,
    );
  if (set.length > 0)
    printNotice(
      `! ${unset.length > 0 ? t("and sets {set}", { set: set.join(", ") }) : t("because it sets {set}", { set: set.join(", ") })}`,
    );
  const settings = unset.flatMap((name) => decidingField(name)?.path.join(".") ?? []);
  for (const setting of settings)
    printNotice(`  → ${t("for every shell:  mimikit config set {setting} …", { setting })}`);
  if (settings.length < unset.length || (unset.length === 0 && set.length === 0))
    printNotice(`  → ${t("to choose a model for every shell:  mimikit connect")}`);
}
