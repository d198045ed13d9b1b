/** The home's connection to one pool: what is said is encrypted and opened here. */
import {
  type FilePiece,
  FromPool,
  type PoolBeat,
  PoolBeat as PoolBeatSchema,
  type PoolJob,
  type ToPool,
} from "@mimikit/protocol/pools/messages";
import type { PoolRecord } from "@mimikit/protocol/pools/pool";
import { Carrier } from "@mimikit/runtime/pools/carrier";
import { FileCarrier } from "@mimikit/runtime/pools/carry";
import { encrypt } from "@mimikit/runtime/pools/encrypt";
import type { HomeSide } from "@mimikit/runtime/pools/engine";

/** A pool, as the dispatcher needs it. */
export interface PoolConnection {
  /** Does the engine answer? */
  readonly isThere: boolean;
  /** Offers an attempt. The same one again changes nothing. */
  add(job: string, record: PoolJob): Promise<void>;
  /** Takes back what nobody runs yet. */
  remove(job: string): Promise<void>;
  /** Its outcome, encrypted; null where there is none, and its size where that is more than `bytesMax` bytes. */
  outcome(job: string, bytesMax: number): Promise<{ sealed: string } | { bytes: number } | null>;
  dropOutcome(job: string): Promise<void>;
  putPiece(job: string, piece: FilePiece, data: Buffer): Promise<void>;
  /** null where it does not lie there. */
  takePiece(job: string, piece: FilePiece): Promise<Buffer | null>;
  /** Says something of an attempt; who does not listen now never hears it. */
  tell(job: string, record: ToPool): Promise<void>;
  /** Removes all that is in the engine for this pool. */
  obliterate(): Promise<void>;
  close(): Promise<void>;
}

export interface PoolConnectionOptions {
  /** The engine, for this pool. */
  side: Pick<HomeSide, keyof HomeSide>;
  homeId: string;
  pool: PoolRecord;
  onSaid(job: string, said: FromPool): void;
  onHere(beat: PoolBeat): void;
  onError(error: unknown): void;
}

/** @returns at once: the engine may be away. */
export function openPoolConnection({
  side,
  homeId,
  pool,
  onSaid,
  onHere,
  onError,
}: PoolConnectionOptions): PoolConnection {
  const { name, key } = pool;
  const carrier = new Carrier<ToPool, FromPool>({ key, pool: name }, { sent: "to-pool", heard: "from-pool" }, FromPool);
  const presence = new Carrier<never, PoolBeat>(
    { key, pool: name },
    { sent: "to-pool", heard: "from-pool" },
    PoolBeatSchema,
  );
  const files = new FileCarrier(side, { key, name }, { sent: "file-to-pool", taken: "file-from-pool" });
  const listening = Promise.all([
    side.onSaid((message) => {
      const said = carrier.open(message);
      if (said !== null) onSaid(message.job, said);
    }),
    side.onHere((message) => {
      const beat = message.job === homeId ? presence.open(message) : null;
      if (beat !== null) onHere(beat);
    }),
  ]);
  listening.catch(onError);
  return {
    get isThere() {
      return side.isThere;
    },
    add: (job, record) => side.add(job, encrypt(key, { job, pool: name, direction: "job" }, record)),
    remove: (job) => side.remove(job),
    outcome: (job, bytesMax) => side.outcome(job, bytesMax),
    dropOutcome: (job) => side.dropOutcome(job),
    putPiece: (job, piece, data) => files.put(job, piece, data),
    takePiece: (job, piece) => files.take(job, piece),
    tell: (job, record) => side.tell(carrier.wrap(job, record)),
    obliterate: () => side.obliterate(),
    close: () => side.close(),
  };
}
