/** Can the shell of a Worker reach the state directory? Found out by trying, for everybody who may answer for the Workers. */

import { chainOf } from "@mimikit/agent/providers/index";
import { proveConfinement } from "@mimikit/agent/providers/prove-confinement";
import type { ProviderId } from "@mimikit/protocol/base/provider";
import { readKeys } from "@mimikit/runtime/config/secrets";
import { isAdopted } from "@mimikit/runtime/home/adoption";
import { type Check, fail, ok, type Patient, warn } from "./check.ts";

export async function checkSandbox(patient: Patient): Promise<Check[]> {
  const { exists, config, home } = patient;
  // The agent CLI would be run with the settings that lie in the directory.
  if (!exists || !isAdopted(home, process.env)) return [];
  const { ids } = chainOf("worker", config, { home, env: process.env, ...readKeys(home, process.env) });
  const found: Check[] = [ok("the Teller and the Planner have no shell, whoever answers for them")];
  for (const id of ids) found.push(await checkWorker(id, patient));
  return found;
}

async function checkWorker(id: ProviderId, { config, home, workDir }: Patient): Promise<Check> {
  const result = await proveConfinement(id, config, { home, workDir });
  switch (result.verdict) {
    case "confined":
      return ok(`a Worker on ${id} tried to read and to write the state directory, and could not`);
    case "open":
      return warn(
        `the shell of a Worker on ${id} has your whole authority, over the state directory too: ${result.why}`,
        result.next,
      );
    case "refused":
      return fail(`no Worker on ${id} has a shell: ${result.why}`, result.next);
  }
}
