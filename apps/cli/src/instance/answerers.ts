/** The providers in one line, with the models that they ask. */

import type { Role } from "@mimikit/protocol/base/role";
import type { Status } from "@mimikit/protocol/wire/api";
import { commandName } from "@mimikit/runtime/home/command-name";
import { t } from "../i18n/language.ts";

/** The providers that answer from now on; one for all roles where they are the same. */
export function answersText(status: Status): string {
  return answeredText({ ...status, answered: {} });
}

/** The same; after each, who did so last where that was another: a stand-in, or the one before a change. */
export function answeredText({ providers, models, answered, answeredModels }: Status): string {
  const roles = (Object.entries(providers) as [Role, string][]).map(([role, name]) => {
    const now = answererText(name, models[role]);
    const last = answered[role];
    const isAnother = last !== undefined && last !== name;
    return {
      role,
      text: isAnother ? t("{now} (last: {last})", { now, last: answererText(last, answeredModels[role]) }) : now,
    };
  });
  const texts = new Set(roles.map(({ text }) => text));
  return texts.size === 1 ? [...texts].join() : roles.map(({ role, text }) => `${role}: ${text}`).join(", ");
}

/** How to have a model answer, behind what names `providers`; empty where one does. */
export function connectHint(...providers: readonly string[]): string {
  if (!providers.includes("offline")) return "";
  return t(" (no model is connected:  {mimikit} connect)", { mimikit: commandName(process.env) });
}

/** `openai gpt-5`; the provider alone where the model is not known. */
export function answererText(provider: string, model: string | null | undefined): string {
  return model == null ? provider : `${provider} ${model}`;
}
