/**
 * The answering providers, as the gateway notes them: a start in another shell can say what changes. Names of providers,
 * models and variables, never what a variable holds.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { Role } from "@mimikit/protocol/base/role";
import { CONFIG_FIELDS, type ConfigField } from "@mimikit/runtime/config/fields";
import { KEY_VARIABLES } from "@mimikit/runtime/config/providers";
import type { Environment } from "@mimikit/runtime/home/home";
import { replaceFile } from "@mimikit/runtime/home/replace-file";
import { hasCode } from "@mimikit/store/disk/error-code";
import { ANSWERS_PATH } from "@mimikit/store/disk/state";
import { z } from "zod";

/** The model is null where none is named, or none is asked. */
const Answerer = z.object({ provider: z.string(), model: z.string().nullable() });
export type Answerer = z.infer<typeof Answerer>;

const Answers = z.object({
  roles: z.record(Role, Answerer),
  /** The variables that were set and decide who answers. */
  variables: z.array(z.string()),
});
export type Answers = z.infer<typeof Answers>;

/** The settings that decide who answers; of the group of a provider, its address and its model. */
const DECIDING = /^(providers?|fallbacks?|models?)$/;
const DECIDING_IN_GROUP = /^(baseUrl|model)$/;
/** The programs of agent CLIs. */
const PROGRAM = /^MIMIKIT_\w+_BIN$/;

/** The setting that a variable sets, where it decides who answers. */
export function decidingField(variable: string): ConfigField | undefined {
  return CONFIG_FIELDS.find(
    ({ path: [first = "", second = ""], variables }) =>
      (DECIDING.test(first) || DECIDING_IN_GROUP.test(second)) && variables.includes(variable),
  );
}

export function answersOf(
  providers: Record<Role, string>,
  models: Record<Role, string | null>,
  env: Environment,
): Answers {
  const roles = Role.options.map((role) => [role, { provider: providers[role], model: models[role] }]);
  return {
    roles: Object.fromEntries(roles),
    variables: Object.keys(env)
      .filter((name) => env[name])
      .filter((name) => KEY_VARIABLES.includes(name) || PROGRAM.test(name) || decidingField(name) !== undefined)
      .sort(),
  };
}

/** Notes it durably, where it is not noted already. Throws what the disk throws. */
export function noteAnswers(home: string, answers: Answers): void {
  if (JSON.stringify(readAnswers(home)) !== JSON.stringify(answers))
    replaceFile(join(home, ANSWERS_PATH), `${JSON.stringify(answers)}\n`);
}

/** The last note; null where there is none that can be read. */
export function readAnswers(home: string): Answers | null {
  try {
    return parseRecord(Answers, readFileSync(join(home, ANSWERS_PATH), "utf8"));
  } catch (error) {
    if (error instanceof BadJson || hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

export interface ChangedAnswers {
  roles: { role: Role; before: Answerer; now: Answerer }[];
  /** Variables that were set before and are not now, and the other way about. */
  unset: string[];
  set: string[];
}

/** null where the same answer for all roles. */
export function changedAnswers(before: Answers, now: Answers): ChangedAnswers | null {
  const roles = Role.options.flatMap((role) => {
    const change = { role, before: before.roles[role], now: now.roles[role] };
    const isSame = change.before.provider === change.now.provider && change.before.model === change.now.model;
    return isSame ? [] : [change];
  });
  if (roles.length === 0) return null;
  return {
    roles,
    unset: before.variables.filter((name) => !now.variables.includes(name)),
    set: now.variables.filter((name) => !before.variables.includes(name)),
  };
}
