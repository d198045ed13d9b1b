/** A home is served by one machine: the engine knows which, so that a copy of it stays out. */
import type { Redis } from "ioredis";

/** A machine that is gone has the home for so long. */
const HELD_MS = 15_000;
const RENEW_EVERY_MS = 4_000;

export interface Holder {
  /** Is it this machine? Only for as long as no other can have taken it: the engine lets go of a machine that it does not hear. */
  readonly holds: boolean;
  /** Resolves when the engine has answered: is it this machine? */
  decided(): Promise<boolean>;
  stop(): void;
}

/**
 * @param me the same for every process of this home on this machine, and for no other.
 * @param onOther hears which machine has it, once for each.
 * @param heldMs for how long the engine keeps it for a machine that it does not hear.
 */
export function holdHome(
  client: Redis,
  key: string,
  me: string,
  onOther: (other: string) => void,
  onError: (error: unknown) => void,
  { heldMs = HELD_MS, renewEveryMs = RENEW_EVERY_MS } = {},
): Holder {
  /** When it ends, by two clocks of this machine: one stands still while the machine sleeps, the other may be set back. */
  let until: { monotonicMs: number; wallMs: number } | null = null;
  let told: string | undefined;
  let isAsking = false;
  let decision = Promise.withResolvers<void>();

  const holds = () => until !== null && performance.now() < until.monotonicMs && Date.now() < until.wallMs;

  const renew = async () => {
    if (isAsking) return;
    isAsking = true;
    // The engine counts from when it hears this, which is later.
    const asked = { monotonicMs: performance.now() + heldMs, wallMs: Date.now() + heldMs };
    try {
      const isNew = (await client.set(key, me, "PX", heldMs, "NX")) !== null;
      const other = isNew ? me : await client.get(key);
      const isMine = other === me && (isNew || (await client.pexpire(key, heldMs)) !== 0);
      until = isMine ? asked : null;
      if (other !== null && other !== me && other !== told) {
        told = other;
        onOther(other.split(" ", 1).join());
      }
      decision.resolve();
      decision = Promise.withResolvers();
    } catch (error) {
      until = null;
      onError(error);
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => void renew(), renewEveryMs);
  const onReady = () => void renew();
  client.on?.("ready", onReady);
  void renew();
  return {
    get holds() {
      return holds();
    },
    async decided() {
      await decision.promise;
      return holds();
    },
    stop() {
      clearInterval(timer);
      client.off?.("ready", onReady);
    },
  };
}
