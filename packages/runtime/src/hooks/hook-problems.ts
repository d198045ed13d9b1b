/** What keeps hooks from being called or started, for their owner to look at: in status, on the page, in `mimikit doctor`. */
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { HOOKS } from "@mimikit/store/disk/state";
import { readHookSecrets } from "../config/secrets.ts";
import { type Environment, HomeError } from "../home/home.ts";
import { type Hook, type Hooks, readHooks } from "./read-hooks.ts";

/** The names of the secrets that a hook cannot do without. */
export function secretsOf({ name, url, secret, headers = {} }: Hook): string[] {
  if (url === undefined) return [];
  const ofHeaders = Object.values(headers).flatMap((value) => (typeof value === "string" ? [] : [value.secret]));
  return [...new Set([...(secret === false ? [] : [secret ?? name]), ...ofHeaders])];
}

/** The first of them that there is not; undefined where all are there. */
export function missingSecret(hook: Hook, secrets: Readonly<Record<string, string>>): string | undefined {
  return secretsOf(hook).find((name) => !Object.hasOwn(secrets, name));
}

/** In a line: which secret is missing, and what to do. */
export function missingText(secret: string): string {
  return `it has no secret "${secret}": mimikit hooks secret ${secret}`;
}

/** All hooks, and all that is wrong with them. Throws what the disk throws. */
export async function examineHooks(fs: FileSystem, home: string, env: Environment): Promise<Hooks> {
  const { hooks, problems } = await readHooks(fs);
  const refused = (name: string, reason: string) => ({ place: `${HOOKS}/${name}.yaml`, reason, name });
  try {
    const secrets = readHookSecrets(home, env);
    const lacking = hooks.flatMap((hook) => {
      const missing = missingSecret(hook, secrets);
      return missing === undefined ? [] : [refused(hook.name, missingText(missing))];
    });
    return { hooks, problems: [...problems, ...lacking] };
  } catch (error) {
    if (!(error instanceof HomeError)) throw error;
    const lacking = hooks.filter((hook) => secretsOf(hook).length > 0);
    return { hooks, problems: [...problems, ...lacking.map(({ name }) => refused(name, error.message))] };
  }
}
