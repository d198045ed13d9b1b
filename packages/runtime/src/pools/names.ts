/** How things are called in the engine. */
import type { HomeIdentity } from "@mimikit/protocol/pools/pool";

/** All that is ours in the engine begins so. */
export const PREFIX = "mimikit";
/** Messages of a pool about an attempt, of the home about one, and the heartbeat of a pool. */
export const TOPICS = { up: "up", down: "down", here: "here" } as const;

export type Topic = (typeof TOPICS)[keyof typeof TOPICS];

/** The queue of a pool. */
export const queueOfPool = (home: string, pool: string) => `${home}-${pool}`;
export const channelOf = (home: string, pool: string, topic: Topic) => `${PREFIX}:${home}:${pool}:said:${topic}`;
export const outcomeKey = (home: string, pool: string, job: string) => `${PREFIX}:${home}:${pool}:outcome:${job}`;
/** A piece of a file of an attempt, on its way. */
export const pieceKey = (home: string, pool: string, job: string, piece: string) =>
  `${PREFIX}:${home}:${pool}:piece:${job}:${piece}`;
/** The note that a machine is removed, by its key. */
export const removedKey = (home: string, pool: string, keyName: string) =>
  `${PREFIX}:${home}:${pool}:removed:${keyName}`;
export const joinKey = (name: string) => `${PREFIX}:join:${name}`;
/** Which machine has this home, so that a copy of it stays out. */
export const holderKey = (home: string) => `${PREFIX}:home:${home}`;

/** Names a job: the same attempt of the same life of a home is the same job. */
export const jobOf = ({ id, epoch }: HomeIdentity, task: string, attempt: number) =>
  `${id}.${epoch}.${task}.a${attempt}`;

const JOB = /^([0-9a-f]{16})\.([0-9a-f]{16})\.(.+)\.a([1-9]\d{0,9})$/;

/** The parts of the name of a job; null for another text. */
export function partsOfJob(job: string): { home: string; epoch: string; task: string; attempt: number } | null {
  const [, home, epoch, task, attempt] = JOB.exec(job) ?? [];
  if (home === undefined || epoch === undefined || task === undefined) return null;
  return { home, epoch, task, attempt: Number(attempt) };
}
