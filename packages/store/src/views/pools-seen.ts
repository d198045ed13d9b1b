/** The last word of each pool on another machine, as the dispatcher has noted it (docs/pools.md). */
import { BadJson } from "@mimikit/protocol/base/json";
import { PoolsSeen } from "@mimikit/protocol/pools/pool";
import type { FileSystem } from "../disk/file-system.ts";
import { readRecord } from "../disk/record.ts";
import { POOLS_SEEN_PATH } from "../disk/state.ts";

/** By the name of the pool. A damaged view is none, because it is soon replaced. Throws what the disk throws. */
export async function readPoolsSeen(fs: FileSystem): Promise<PoolsSeen> {
  try {
    return (await readRecord(fs, PoolsSeen, POOLS_SEEN_PATH)) ?? {};
  } catch (error) {
    if (error instanceof BadJson) return {};
    throw error;
  }
}
