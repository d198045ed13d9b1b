/** Can the shell of a Worker reach the state directory? Found out by trying, for everybody who may answer for the Workers. */

import { chainOf, TABLE } from "@mimikit/agent/providers/index";
import { proveConfinement, proveOffline, REPORT } from "@mimikit/agent/providers/prove-confinement";
import { isCopy, proveWalls } from "@mimikit/agent/providers/prove-walls";
import type { ProviderId } from "@mimikit/protocol/base/provider";
import { readKeys } from "@mimikit/runtime/config/secrets";
import { isAdopted } from "@mimikit/runtime/home/adoption";
import { platform } from "@mimikit/runtime/platform/this-platform";
import { t, told } from "../i18n/language.ts";
import { livingRoles } from "../processes/instance.ts";
import { type DoctorCheck, type DoctorInput, fail, ok, warn } from "./check.ts";

export async function checkSandbox(input: DoctorInput): Promise<DoctorCheck[]> {
  const { exists, config, home } = input;
  // The agent CLI would be run with the settings that lie in the directory.
  if (!exists || !isAdopted(home, process.env)) return [];
  const { ids } = chainOf("worker", config, { home, env: process.env, ...readKeys(home, process.env) });
  const found: DoctorCheck[] = [ok(t("the Teller and the Planner have no shell with any provider"))];
  for (const id of ids) found.push(...(await checkWorker(id, input)), ...(await checkReadOnly(id, input)));
  if (ids.some((id) => TABLE[id].inOwnSandbox === undefined)) found.push(...(await checkWalls(input)));
  return found.some(({ level }) => level === "warn") ? [...found, checkLeftovers(home)] : found;
}

/** Without a sandbox: is what a command hides ended with its task? */
function checkLeftovers(home: string): DoctorCheck {
  const pool = livingRoles(home).get("workers")?.pid;
  if (platform.mayMakeGroups(pool))
    return ok(t("leftover processes of a command end with their task, by its control group"));
  return warn(
    t(
      "a process that detaches and empties its environment can outlive its task: there is neither a sandbox nor a control group here",
    ),
    t("let the sandbox work, or run it as a service of systemd with Delegate=yes"),
  );
}

async function checkWorker(id: ProviderId, { config, home, workDir }: DoctorInput): Promise<DoctorCheck[]> {
  const result = await proveConfinement(id, config, { home, workDir });
  switch (result.verdict) {
    case "confined":
      return [
        ok(t("a Worker on {id} tried to read and to write the state directory, and could not", { id })),
        result.mayWork
          ? ok(t("a Worker on {id} can write in the workspace", { id }))
          : fail(
              t("a Worker on {id} cannot write in the workspace", { id }),
              t("make {workDir} writable for this user", { workDir }),
            ),
      ];
    case "open":
      return [
        warn(
          t("the shell of a Worker on {id} has your whole authority, over the state directory too: {reason}", {
            id,
            reason: told(result.why),
          }),
          result.next,
        ),
      ];
    case "refused":
      return [fail(t("no Worker on {id} has a shell: {reason}", { id, reason: told(result.why) }), result.next)];
  }
}

async function checkWalls({ config, home, workDir }: DoctorInput): Promise<DoctorCheck[]> {
  const open = config.sandbox === "off" ? null : await proveWalls({ home, workDir });
  if (open === null) return [];
  if (open.length === 0)
    return [
      ok(
        t(
          "a model's command tried devices, the kernel's settings, git's settings and copies of secrets, and could not",
        ),
      ),
    ];
  return open.map((what) =>
    isCopy(what)
      ? fail(t("a model's command can read {what}", { what }), t("move it out of the workspace, or delete it"))
      : fail(t("a model's command reached {what}", { what }), told(REPORT)),
  );
}

/** A command of a read-only skill has no network, whatever else the settings allow. */
async function checkReadOnly(id: ProviderId, { home, workDir }: DoctorInput): Promise<DoctorCheck[]> {
  const result = await proveOffline(id, { home, workDir });
  if (result === null) return [];
  if (result.verdict === "confined")
    return [ok(t("a read-only skill on {id} tried to reach a server of this machine, and could not", { id }))];
  return [
    fail(
      t("a read-only skill on {id} is not without a network: {reason}", { id, reason: told(result.why) }),
      result.next,
    ),
  ];
}
