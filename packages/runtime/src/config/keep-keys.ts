/**
 * The keys that variables hold are kept in secrets.json before PM2 starts the processes: it would show an environment, and save
 * it (decision 0015).
 */
import { isAdopted } from "../home/adoption.ts";
import type { Environment } from "../home/home.ts";
import { loadConfig } from "./config.ts";
import { hostOfKey, KEY_OWNERS, KEY_VARIABLES, keyVariableOf } from "./providers.ts";
import { problemOfKey, readKeys, setKey } from "./secrets.ts";

export interface KeptKeys {
  /** The variables whose key was not kept before, or another was. */
  kept: string[];
  /** For people, one line each: what was done, and what was not. */
  lines: string[];
}

/**
 * Keeps the key of each variable in `held`, under each provider whose variable it is, for the address that is in force; it replaces what is kept there. A state
 * directory that is not adopted keeps none.
 * @throws as `setKey` does.
 */
export async function keepKeys(home: string, env: Environment, held = env): Promise<KeptKeys> {
  const kept: string[] = [];
  const { config } = loadConfig(home, env);
  const lines: string[] = [];
  const set = KEY_VARIABLES.filter((name) => held[name]?.trim());
  const refuse = (name: string, why: string) => lines.push(`the key of ${name} was not saved: ${why}`);
  for (const name of set) {
    const key = held[name]?.trim() ?? "";
    const problem = problemOfKey(key);
    if (!isAdopted(home, env)) refuse(name, "this state directory is not adopted:  mimikit adopt  keeps it");
    else if (problem !== null) refuse(name, problem);
    else {
      const { keys, hosts = {} } = readKeys(home, env);
      const others = KEY_OWNERS.filter(
        (id) => keyVariableOf(id, held) === name && (keys[id] !== key || hosts[id] !== hostOfKey(id, config)),
      );
      for (const id of others) await setKey(home, id, key, hostOfKey(id, config));
      if (others.length === 0) continue;
      kept.push(name);
      if (others.every((id) => keys[id] === key)) continue;
      const instead = others.some((id) => keys[id] !== undefined) ? ", in place of another" : "";
      lines.push(
        `saved the key of ${name} in secrets.json${instead}, for this user alone: a restart from another shell answers the same`,
      );
    }
  }
  // Those of earlier versions are for the address that is in force now.
  if (isAdopted(home, env)) {
    const { keys, hosts = {} } = readKeys(home, env);
    for (const id of KEY_OWNERS) {
      const key = keys[id];
      if (key !== undefined && hosts[id] === undefined) await setKey(home, id, key, hostOfKey(id, config));
    }
  }
  return { kept, lines };
}
