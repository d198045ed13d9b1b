/** Does the engine of the pools answer, keep what it is given, and is each machine there? */
import type { PoolSummary } from "@mimikit/protocol/wire/api";
import { withEngine } from "@mimikit/runtime/pools/connect";
import { describePools } from "@mimikit/runtime/pools/registry";
import { withDisk } from "../instance/state.ts";
import { reasonOf } from "../io/failure.ts";
import { livingRoles } from "../processes/instance.ts";
import { type Check, fail, ok, type Patient, warn } from "./check.ts";

const VERSION_MIN = 7;
const NOEVICTION = "noeviction";

export async function checkPools({ home, exists, config }: Patient): Promise<Check[]> {
  const { url } = config.pools;
  if (!exists || url === undefined) return [];
  const machines = await withDisk(home, (fs) => describePools(fs, Date.now()));
  const dispatcher = livingRoles(home).has("dispatcher")
    ? []
    : [warn("the dispatcher is not running: no work goes to other machines", "mimikit restart")];
  return [...(await checkEngine(url)), ...dispatcher, ...machines.map(checkMachine)];
}

async function checkEngine(url: string): Promise<Check[]> {
  try {
    const [version, policy] = await withEngine(url, async (client) => [
      Number(/^redis_version:(\d+)/m.exec(await client.info("server"))?.[1]),
      /^maxmemory_policy:(\S+)/m.exec(await client.info("memory"))?.[1] ?? NOEVICTION,
    ]);
    if (Number(version) < VERSION_MIN)
      return [fail(`the engine of the pools is Redis ${version}`, `run Redis ${VERSION_MIN} or newer, or Valkey`)];
    return policy === NOEVICTION
      ? [ok("the engine of the pools answers")]
      : [
          fail(
            `the engine of the pools may drop work (maxmemory-policy ${policy})`,
            "set maxmemory-policy noeviction there",
          ),
        ];
  } catch (error) {
    return [fail(`the engine of the pools cannot be reached: ${reasonOf(error)}`, "start it, or correct pools.url")];
  }
}

function checkMachine({ name, state, seenAt = "" }: PoolSummary): Check {
  if (state === "there") return ok(`the machine ${name} is connected`);
  const next = "there: mimikit pool join";
  return state === "away"
    ? warn(`the machine ${name} was heard of last at ${seenAt}`, next)
    : warn(`the machine ${name} has not joined yet`, next);
}
