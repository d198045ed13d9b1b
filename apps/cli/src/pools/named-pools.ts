/** The machines of this home, for commands that name one. */
import { unknownPool } from "@mimikit/core/base/named-pool";
import { loadConfig } from "@mimikit/runtime/config/config";
import { readPools } from "@mimikit/runtime/pools/registry";
import { t } from "../i18n/language.ts";
import { withDisk } from "../instance/state.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";

/** The address of the engine. Throws `Failure` where none is set. */
export function engineUrl(): string {
  const { url } = loadConfig(currentPlace().home, process.env).config.pools;
  if (url === undefined)
    throw new Failure(
      "failed",
      t(
        "other machines need a Redis or Valkey: run  mimikit config set pools.url redis://…  and then  mimikit restart",
      ),
    );
  return url;
}

/** Throws `Failure` where no machine has this name or label. */
export async function assertPool(wanted: string): Promise<void> {
  engineUrl();
  const pools = await withDisk(currentPlace().home, readPools);
  const problem = unknownPool(wanted, pools);
  if (problem !== null) throw new Failure("usage", problem);
}
