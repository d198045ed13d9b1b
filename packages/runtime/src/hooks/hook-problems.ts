/** Problems that keep hooks from working, for status, page, `mimikit doctor` and `mimikit hooks`. */
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { HOOKS } from "@mimikit/store/disk/state";
import { readHookSecrets } from "../config/secrets.ts";
import { type Environment, HomeError } from "../home/home.ts";
import { type FoundHooks, type Hook, type HookSource, readHooks } from "./read-hooks.ts";

/** The names of the secrets that a hook cannot do without. */
export function secretsOf(hook: Hook | HookSource): string[] {
  if ("receive" in hook) return [hook.secret ?? hook.name];
  const { name, url, secret, headers = {} } = hook;
  if (url === undefined) return [];
  const ofHeaders = Object.values(headers).flatMap((value) => (typeof value === "string" ? [] : [value.secret]));
  return [...new Set([...(secret === false ? [] : [secret ?? name]), ...ofHeaders])];
}

/** The first of them that there is not; undefined where all are there. */
export function missingSecret(hook: Hook | HookSource, secrets: Readonly<Record<string, string>>): string | undefined {
  return secretsOf(hook).find((name) => !Object.hasOwn(secrets, name));
}

/** In a line: which secret is missing, and what to do. */
export function missingText(secret: string): string {
  return `it has no secret "${secret}": mimikit hooks secret ${secret}`;
}

/** All hooks, and all that is wrong with them. Throws what the disk throws. */
export async function examineHooks(fs: FileSystem, home: string, env: Environment): Promise<FoundHooks> {
  const { hooks, sources, problems } = await readHooks(fs);
  const refused = (name: string, reason: string) => ({ place: `${HOOKS}/${name}.yaml`, reason, name });
  try {
    const secrets = readHookSecrets(home, env);
    const needed = [...hooks, ...sources].map((hook) => ({ name: hook.name, missing: missingSecret(hook, secrets) }));
    const lacking = needed.flatMap(({ name, missing }) =>
      missing === undefined ? [] : [refused(name, missingText(missing))],
    );
    return { hooks, sources, problems: [...problems, ...lacking] };
  } catch (error) {
    if (!(error instanceof HomeError)) throw error;
    const lacking = [...hooks, ...sources].filter((hook) => secretsOf(hook).length > 0);
    return { hooks, sources, problems: [...problems, ...lacking.map(({ name }) => refused(name, error.message))] };
  }
}
