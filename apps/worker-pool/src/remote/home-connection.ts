/** A pool's connection to its home: what is said is encrypted and opened here. */
import {
  type FromPool,
  OUTCOME_CARRIED_CHARS_MAX,
  POOLS_PROTOCOL,
  type PoolBeat,
  PoolJob,
  ToPool,
} from "@mimikit/protocol/pools/messages";
import { Carrier } from "@mimikit/runtime/pools/carrier";
import { FileCarrier } from "@mimikit/runtime/pools/carry";
import { decrypt, encrypt } from "@mimikit/runtime/pools/encrypt";
import type { PoolSide } from "@mimikit/runtime/pools/engine";
import type { HomeConnection } from "./remote-pool.ts";

export interface HomeConnectionOptions {
  /** The engine, for this pool. */
  side: Pick<PoolSide, keyof PoolSide>;
  homeId: string;
  pool: { key: string; name: string };
}

export interface OpenHomeConnection extends HomeConnection {
  /** Says that this machine is there, with so many attempts. */
  sayHere(running: number, version: string): Promise<void>;
  /** Has the home removed this machine? Resolves when the engine answers. */
  isRemoved(): Promise<boolean>;
  /** Resolves when it listens. */
  onTold(hear: (job: string, told: ToPool) => void): Promise<void>;
  /** Takes jobs from now on. @param onBad hears of those that cannot be read. */
  start(
    run: (job: string, record: PoolJob) => Promise<void>,
    slots: number,
    leaseMs: number,
    onBad: (job: string, error: unknown) => void,
  ): void;
  close(): Promise<void>;
}

export function openHomeConnection({ side, homeId, pool }: HomeConnectionOptions): OpenHomeConnection {
  const { key, name } = pool;
  const directions = { sent: "from-pool", heard: "to-pool" } as const;
  const carrier = new Carrier<FromPool, ToPool>({ key, pool: name }, directions, ToPool);
  const presence = new Carrier<PoolBeat, never>({ key, pool: name }, directions, ToPool as never);
  const files = new FileCarrier(side, { key, name }, { sent: "file-from-pool", taken: "file-to-pool" });
  return {
    get silentMs() {
      return side.silentMs;
    },
    tell: (job, message) => side.tell(carrier.wrap(job, message)),
    async handIn(job, run, outcome) {
      const sealed = encrypt(key, { job, pool: name, direction: "outcome" }, outcome);
      const isCarried = sealed.length <= OUTCOME_CARRIED_CHARS_MAX;
      if (!isCarried) await side.putOutcome(job, sealed);
      await side.tell(carrier.wrap(job, { kind: "ended", ...run, ...(isCarried && { sealed }) }));
    },
    putPiece: (job, piece, data) => files.put(job, piece, data),
    takePiece: (job, piece) => files.take(job, piece),
    sayHere: (running, version) => side.sayHere(presence.wrap(homeId, { protocol: POOLS_PROTOCOL, version, running })),
    isRemoved: () => side.isRemoved(key),
    onTold: (hear) =>
      side.onTold((message) => {
        const told = carrier.open(message);
        if (told !== null) hear(message.job, told);
      }),
    start: (run, slots, leaseMs, onBad) =>
      side.start(
        async (job, sealed) => {
          try {
            await run(job, decrypt(key, { job, pool: name, direction: "job" }, PoolJob, sealed));
          } catch (error) {
            onBad(job, error);
          }
        },
        slots,
        leaseMs,
      ),
    close: () => side.close(),
  };
}
