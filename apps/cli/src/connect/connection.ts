/** The context of `mimikit connect`: the state directory, and the variables of the providers. */

import {
  type At,
  addressOf,
  describeCatalogue,
  describeProvider,
  isSamePlace,
  providerNamed,
} from "@mimikit/agent/connect/catalogue";
import { testConnection } from "@mimikit/agent/connect/test-connection";
import type { ProviderId } from "@mimikit/protocol/base/provider";
import type { ConnectBody, ConnectionTest, ProviderEntry } from "@mimikit/protocol/wire/connect";
import { loadConfig } from "@mimikit/runtime/config/config";
import { SettingsRefused } from "@mimikit/runtime/config/edit-settings";
import { keyVariableOf } from "@mimikit/runtime/config/providers";
import { openHome } from "@mimikit/runtime/home/adoption";
import { shownProxy } from "@mimikit/runtime/network/proxy-rules";
import { currentProxyOf } from "@mimikit/runtime/network/use-proxy";
import { speaksChinese, t, told } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { useOwnProxy } from "../io/own-proxy.ts";
import { adoptedHome, currentPlace } from "../io/place.ts";
import { printProgress } from "../io/print.ts";
import { runningEnvironment } from "../processes/instance.ts";

export interface ConnectContext extends At {
  workDir: string;
  /** Does anything run that reads what is saved? */
  isRunning: boolean;
}

/** Makes the state directory where there is none. @throws Failure where it is not this user's own. */
export async function openConnection(): Promise<ConnectContext> {
  const { home, workDir } = currentPlace();
  openHome(home, process.env);
  adoptedHome();
  const running = await runningEnvironment(home);
  useOwnProxy(running ?? process.env);
  // It is their variables that win, whatever those of this shell are.
  return { home, workDir, env: running ?? process.env, isRunning: running !== null };
}

/**
 * The key that a variable of this shell alone holds: processes that are started elsewhere would not have it. It is for the address that
 * this shell and the settings say, so none for another one.
 */
export function keyOfShell(
  { provider, baseUrl }: Pick<ConnectBody, "provider" | "baseUrl">,
  { home, env, isRunning }: ConnectContext,
): { key: string; variable: string } | undefined {
  const id = provider as ProviderId;
  const variable = keyVariableOf(id, process.env);
  const key = variable === undefined ? undefined : process.env[variable]?.trim();
  if (variable === undefined || !key || (isRunning && keyVariableOf(id, env) !== undefined)) return undefined;
  const { config } = loadConfig(home, process.env);
  if (baseUrl !== undefined && !isSamePlace(baseUrl, addressOf(id, config))) return undefined;
  return { key, variable };
}

export function entryOf(id: ProviderId, at: ConnectContext): ProviderEntry {
  return describeProvider(id, at);
}

/** As people know it: the endpoint of any address is OpenAI's own where none is set. */
export function nameOf({ id, title }: ProviderEntry): string {
  return id === "openai" ? "OpenAI" : speaksChinese() ? title.zh : title.en;
}

export function entriesOf(at: ConnectContext): ProviderEntry[] {
  return describeCatalogue(at).providers;
}

/** A trial, which ends with this process. It says where a proxy carries it. */
export function tested(wanted: ConnectBody, at: ConnectContext): Promise<ConnectionTest> {
  const { roles: _, ...rest } = wanted;
  const address = wanted.baseUrl ?? addressOf(wanted.provider as ProviderId, loadConfig(at.home, at.env).config);
  // A program finds its own way to its vendor, by the same variables.
  const proxy = currentProxyOf(URL.parse(address ?? "") ?? new URL("https://vendor.invalid"));
  if (proxy !== null)
    printProgress(t("through the proxy {proxy} ({from})", { proxy: shownProxy(proxy), from: proxy.from }));
  return refusing(() => testConnection(rest, at, new AbortController().signal));
}

/** @throws Failure where there is no such provider. */
export function named(name: string): Promise<ProviderId> {
  return refusing(async () => providerNamed(name));
}

/** Reports a setting that cannot be saved like any other failure of a command. */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SettingsRefused)) throw error;
    throw new Failure(error.reason === "mistake" ? "usage" : "failed", error.message);
  }
}

/** A trial in a line for people; the first mark says whether it may be saved. */
export function trialText({ answer, problem, models }: ConnectionTest): string {
  const names = problem?.names ?? [];
  const meant = names.length === 0 ? "" : t(" (there is {names})", { names: names.join(", ") });
  if (answer === undefined)
    return problem === undefined
      ? t("it has {count} models", { count: models.length })
      : `${told(problem.text)}${meant}`;
  const { latencyMs, toolCalls, vision, contextWindow, assumedWindow, price } = answer;
  const model = answer.model === "" ? t("it") : answer.model;
  const parts = [
    t("{model} answered in {seconds} s", { model, seconds: (latencyMs / 1_000).toFixed(1) }),
    toolCalls === true ? t("calls tools") : toolCalls === false ? t("calls no tools") : t("called no tool this time"),
    vision === null ? "" : vision ? t("sees pictures") : t("sees no pictures"),
    contextWindow === null ? "" : t("holds {count} tokens", { count: contextWindow }),
    assumedWindow === undefined
      ? ""
      : t("does not say how much it holds: {count} tokens are used, set {setting} if it holds more", {
          count: assumedWindow.tokens,
          setting: assumedWindow.setting,
        }),
    price === null
      ? ""
      : t("{input} in, {output} out for a million tokens", { input: `$${price.input}`, output: `$${price.output}` }),
  ];
  const text = parts.filter((part) => part !== "").join(t(", "));
  return problem === undefined ? text : t("{text}; but {problem}", { text, problem: told(problem.text) });
}
