/** A home is served by one machine: the engine knows which, so that a copy of it stays out. */
import type { Redis } from "ioredis";

/** A machine that is gone has the home for so long. */
const HELD_MS = 15_000;
const RENEW_EVERY_MS = 4_000;

export interface Holder {
  /** Is it this machine? */
  readonly holds: boolean;
  stop(): void;
}

/**
 * @param me the same for every process of this home on this machine, and for no other.
 * @param onOther hears which machine has it, once for each.
 */
export function holdHome(
  client: Redis,
  key: string,
  me: string,
  onOther: (other: string) => void,
  onError: (error: unknown) => void,
): Holder {
  let holds = false;
  let told: string | undefined;
  let isAsking = false;
  const renew = async () => {
    if (isAsking) return;
    isAsking = true;
    try {
      const isNew = (await client.set(key, me, "PX", HELD_MS, "NX")) !== null;
      const other = isNew ? me : await client.get(key);
      holds = other === me;
      if (holds) await client.pexpire(key, HELD_MS);
      else if (other !== null && other !== told) {
        told = other;
        onOther(other.split(" ", 1).join());
      }
    } catch (error) {
      onError(error);
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => void renew(), RENEW_EVERY_MS);
  void renew();
  return {
    get holds() {
      return holds;
    },
    stop: () => clearInterval(timer),
  };
}
