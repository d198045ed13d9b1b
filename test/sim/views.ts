/**
 * Checks that views kept up record by record equal views computed from all records: in every tick of every process what the
 * rules attend to and which task the pool takes next, in one look of four the views of the state cache.
 */
import type { Action } from "@mimikit/core/base/action";
import { decide } from "@mimikit/core/decide";
import { type Candidate, dispatch } from "@mimikit/core/tasks/dispatch";
import type { Placed } from "@mimikit/core/tasks/poison";
import { permitsNeeded } from "@mimikit/core/tasks/question";
import { byRole } from "@mimikit/protocol/base/kind";
import type { Role } from "@mimikit/protocol/base/role";
import { type Identity, isOfThisMachine } from "@mimikit/protocol/records/claim";
import type { Task } from "@mimikit/protocol/records/task";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { Supervisor, type SupervisorOptions } from "../../apps/supervisor/src/supervisor.ts";
import type { Pool } from "../../apps/worker-pool/src/pool.ts";
import { attendingToAll } from "../core/facts.ts";

type Violate = (what: string) => void;

/** The directories behind the views of a state cache, which are nobody else's business. */
interface Directory {
  dir: string;
  records: Map<string, unknown>;
  options: { onChange?(stem: string, record: unknown, before: unknown): void };
}

/** A supervisor that also decides with everything in view, each time. */
export class WatchedSupervisor extends Supervisor {
  private readonly isAlive: (owner: Identity) => boolean;
  private readonly violate: Violate;

  constructor(options: SupervisorOptions, violate: Violate) {
    super(options);
    this.isAlive = options.isAlive;
    this.violate = violate;
  }

  protected override async look(nowMs: number, looksAtAll: boolean) {
    const claims = [...this.cache.attempts.values()].flat().flatMap(({ claim }) => claim ?? []);
    const dead = claims.filter(({ owner }) => isOfThisMachine(owner) && !this.isAlive(owner));
    const snapshot = await super.look(nowMs, looksAtAll);
    checkCache(this.cache, this.violate);
    for (const { id, attempt } of dead) {
      const fact = this.cache.attemptFacts.get(id)?.find((each) => each.attempt === attempt);
      if (fact?.ownerAlive) this.violate(`the owner of ${id}.a${attempt} is dead, and is said to live`);
    }
    const done = new Set(textsOf(decide(snapshot, nowMs)));
    for (const text of textsOf(decide(attendingToAll(snapshot), nowMs)))
      if (!done.has(text)) this.violate(`the rules attend to too little: they miss ${text}`);
    return snapshot;
  }
}

/** Each action on its own: what is removed may be found in any order. */
function textsOf(actions: readonly Action[]): string[] {
  const parts = actions.flatMap((action): object[] => (action.type === "remove" ? action.removals : [action]));
  return parts.map((part) => JSON.stringify(part));
}

/** @param taken what the pool would claim now, of which it asks whether that can be done. */
export function checkDispatch(
  pool: Pool,
  taken: readonly Candidate[],
  concurrency: Record<Role, number>,
  nowMs: number,
  violate: Violate,
): void {
  const { cache } = pool;
  checkCache(cache, violate);
  const { queue, results, archiveIndex, attemptFacts: attempts } = cache;
  const { running } = pool as unknown as { running: ReadonlyMap<string, Placed> };
  const waiting = {
    queue: [...queue.values()],
    attempts,
    hasOutcome: (id: string) => results.has(id) || archiveIndex.has(id) || pool.runs(id),
    permits: { has: (name: string) => archiveIndex.has(name) } as ReadonlySet<string>,
  };
  const free = byRole(
    (role) => concurrency[role] - [...running.values()].filter(({ task }) => task.role === role).length,
  );
  const names = (candidates: readonly Candidate[]) =>
    candidates.map(({ task, attempt }) => `${task.id}.a${attempt}`).join();
  const all = names(dispatch(waiting, free, nowMs));
  if (names(taken) === all) return;
  // A run that has ended while the archive was asked for permits waits for the next tick, if it needs one.
  const isAskedAbout = (task: Task) => permitsNeeded(task, attempts.get(task.id) ?? []).length > 0;
  const seen = waiting.queue.filter((each) => !isAskedAbout(each) || taken.some(({ task }) => task.id === each.id));
  if (names(taken) !== names(dispatch({ ...waiting, queue: seen }, free, nowMs)))
    violate(`the pool takes ${names(taken)}, not ${all}`);
}

/** It takes longer than what it checks, and a view that is wrong mostly stays so. */
const LOOKS_PER_CHECK = 4;
const looksAt = new WeakMap<StateCache, number>();

export function checkCache(cache: StateCache, violate: Violate): void {
  const look = looksAt.get(cache) ?? 0;
  looksAt.set(cache, look + 1);
  if (look % LOOKS_PER_CHECK !== 0) return;
  const other = madeAnew(cache);
  for (const view of RECORDS) {
    const [kept, made] = [cache[view], other[view]];
    if (!holdTheSame(kept, made)) violate(`${view} of the state cache is ${sorted(kept)}, not ${sorted(made)}`);
  }
  const [kept, made] = [derivedFrom(cache), derivedFrom(other)];
  for (const [view, text] of Object.entries(made))
    if (kept[view] !== text) violate(`${view} of the state cache is ${kept[view]}, not ${text}`);
  const queues = directoriesOf(cache).filter(({ dir }) => dir.endsWith("/queue"));
  const queued = sorted(queues.flatMap(({ records }) => [...records.keys()]));
  if (queued !== sorted(cache.queue.keys())) violate(`${queued} are queued, and not what the state cache says`);
}

function directoriesOf(cache: StateCache): Directory[] {
  return (cache as unknown as { all: Directory[] }).all;
}

/** A state cache to which everything that is there has come, and from which nothing has gone. */
function madeAnew(cache: StateCache): StateCache {
  const made = new StateCache({} as FileSystem, { token: "", durable: false, onBadArchive: () => undefined });
  const empty = directoriesOf(made);
  for (const [i, { records }] of directoriesOf(cache).entries())
    for (const [stem, record] of records) {
      empty[i]?.records.set(stem, record);
      empty[i]?.options.onChange?.(stem, record, undefined);
    }
  return made;
}

/** The views whose values are the records themselves. */
const RECORDS = ["inbox", "dropped", "dependents", "triggers", "queue", "results", "attempts"] as const;

/** The same records are mostly the same objects, so that few of them are compared as texts. */
function holdTheSame(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  if (one.size !== other.size) return false;
  for (const [key, value] of one) {
    const second = other.get(key);
    if (value !== second && JSON.stringify(value) !== JSON.stringify(second)) return false;
  }
  return true;
}

/** The views that are made of several records, as texts. */
function derivedFrom(cache: StateCache): Record<string, string> {
  const { dependents: links, staleVersions, queue, attemptFacts, unaccounted } = cache;
  const tasks = [...queue.values()];
  const idsOf = (records: Iterable<{ id: string }>) => [...records].map(({ id }) => id).sort();
  const parents = new Set(
    [...tasks, ...[...links.values()].map(({ task }) => task)].flatMap((each) => each.parentId ?? []),
  );
  const facts = [...attemptFacts].flatMap(([id, all]) => all.map(({ ownerAlive: _, ...fact }) => ({ id, ...fact })));
  return {
    staleVersions: sorted(staleVersions),
    facts: sorted(facts),
    unaccounted: sorted(unaccounted.keys()),
    queuedOf: sorted(tasks.map(({ kind }) => [kind, idsOf(cache.queuedOf(kind))])),
    queuedBy: sorted(tasks.map(({ triggerId = "" }) => [triggerId, idsOf(cache.queuedBy(triggerId))])),
    childrenOf: sorted(
      [...parents].map((id) => {
        const { tasks: children, dependents: waiting } = cache.childrenOf(id);
        return [id, idsOf(children), idsOf(waiting)];
      }),
    ),
  };
}

/** Texts that are equal where the same things are in both, in whatever order. */
function sorted(things: Iterable<unknown>): string {
  return JSON.stringify([...things].map((thing) => JSON.stringify(thing)).sort());
}
