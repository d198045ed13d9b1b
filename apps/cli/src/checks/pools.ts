/** Does the engine of the pools answer, keep what it is given, and is each machine there? */
import { sentence } from "@mimikit/protocol/texts/coded";
import type { PoolSummary } from "@mimikit/protocol/wire/api";
import { withEngine } from "@mimikit/runtime/pools/connect";
import { describePools } from "@mimikit/runtime/pools/registry";
import { t, told } from "../i18n/language.ts";
import { withDisk } from "../instance/state.ts";
import { reasonOf } from "../io/failure.ts";
import { livingRoles } from "../processes/instance.ts";
import { type DoctorCheck, type DoctorInput, fail, ok, warn } from "./check.ts";

const VERSION_MIN = 7;
const NOEVICTION = "noeviction";

export async function checkPools({ home, exists, config }: DoctorInput): Promise<DoctorCheck[]> {
  const { url } = config.pools;
  if (!exists || url === undefined) return [];
  const damaged: DoctorCheck[] = [];
  const noteDamaged = ({ message }: Error) =>
    void damaged.push(fail(told(sentence("pools_unreadable", { detail: message })), "mimikit pool invite"));
  const machines = await withDisk(home, (fs) => describePools(fs, Date.now(), noteDamaged));
  const dispatcher = livingRoles(home).has("dispatcher")
    ? []
    : [warn(t("the dispatcher is not running: no work goes to other machines"), "mimikit restart")];
  return [...(await checkEngine(url)), ...dispatcher, ...damaged, ...machines.map(checkMachine)];
}

async function checkEngine(url: string): Promise<DoctorCheck[]> {
  try {
    const [version, policy] = await withEngine(url, async (client) => [
      Number(/^redis_version:(\d+)/m.exec(await client.info("server"))?.[1]),
      /^maxmemory_policy:(\S+)/m.exec(await client.info("memory"))?.[1] ?? NOEVICTION,
    ]);
    if (Number(version) < VERSION_MIN)
      return [
        fail(
          t("the engine of the pools is Redis {version}", { version: String(version) }),
          t("run Redis {version} or newer, or Valkey", { version: VERSION_MIN }),
        ),
      ];
    return policy === NOEVICTION
      ? [ok(t("the engine of the pools answers"))]
      : [
          fail(
            t("the engine of the pools may drop work (maxmemory-policy {policy})", { policy: String(policy) }),
            t("set maxmemory-policy noeviction there"),
          ),
        ];
  } catch (error) {
    return [
      fail(
        t("the engine of the pools cannot be reached: {reason}", { reason: told(reasonOf(error)) }),
        t("start it, or correct pools.url"),
      ),
    ];
  }
}

function checkMachine({ name, state, seenAt = "" }: PoolSummary): DoctorCheck {
  if (state === "there") return ok(t("the machine {name} is connected", { name }));
  const next = t("there: mimikit pool join");
  return state === "away"
    ? warn(t("the machine {name} was heard of last at {seenAt}", { name, seenAt }), next)
    : warn(t("the machine {name} has not joined yet", { name }), next);
}
