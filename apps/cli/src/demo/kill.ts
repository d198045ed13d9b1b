/** Kills a role of a demo and looks at what became of everything: the records on the disk say it, before and after. */
import type { DemoKill } from "@mimikit/protocol/wire/demo";
import { isOwnerAlive } from "@mimikit/runtime/process/identity";
import type { CoreRole } from "@mimikit/runtime/process/role-record";
import { findViolations } from "../checks/find-violations.ts";
import { type State, withState } from "../instance/state.ts";
import type { TrialInstance } from "../instance/trial.ts";
import { livingRoles } from "../processes/instance.ts";
import { waitUntil } from "../processes/wait-until.ts";

/** A role that is not there again by then is not told to be. */
const BACK_MS_MAX = 60_000;
const BACK_POLL_MS = 20;
/** The tasks that ran run again within a tick of the supervisor and a claim of the pool, on a busy machine too. */
const GOING_ON_MS_MAX = 15_000;
const LOOK_EVERY_MS = 250;

/** The tasks and messages of a moment, by id. */
interface Seen {
  tasks: ReadonlySet<string>;
  messages: ReadonlySet<string>;
  /** Tasks that a living process is at work on. */
  running: ReadonlySet<string>;
  /** Tasks that have ended well. */
  done: ReadonlySet<string>;
  /** Tasks that have ended otherwise. */
  failed: ReadonlySet<string>;
}

/**
 * Ends the role with SIGKILL; the trial starts it again.
 * @param onKilled is told as soon as it is dead. @returns the same with what was found afterwards.
 */
export async function killAndLook(
  trial: TrialInstance,
  role: CoreRole,
  onKilled: (kill: DemoKill) => void,
): Promise<DemoKill> {
  const { home, workDir } = trial;
  const look = <T>(work: (state: State) => Promise<T>) => withState(work, { home, workDir });
  const before = await look(see);
  const killed = livingRoles(home).get(role);
  const kill: DemoKill = { role, at: new Date().toISOString(), running: before.running.size };
  const startMs = performance.now();
  await trial.kill(role);
  onKilled(kill);
  await waitUntil(BACK_MS_MAX, BACK_POLL_MS, async () => {
    const living = livingRoles(home).get(role);
    return living !== undefined && living.pid !== killed?.pid ? true : null;
  });
  const backMs = performance.now() - startMs;
  let after = await look(see);
  // A record that moves to another directory during a look is seen by the next one.
  await waitUntil(GOING_ON_MS_MAX, LOOK_EVERY_MS, async () => {
    after = await look(see);
    return isWhole(before, after) ? true : null;
  });
  const { violations } = await findViolations(look);
  return {
    ...kill,
    after: {
      backMs,
      goOn: count(before.running, new Set([...after.running, ...after.done])),
      givenUp: count(before.running, after.failed),
      tasks: { before: before.tasks.size, there: count(before.tasks, after.tasks) },
      messages: { before: before.messages.size, there: count(before.messages, after.messages) },
      broken: violations,
    },
  };
}

function isWhole({ tasks, messages, running }: Seen, now: Seen): boolean {
  const goesOn = [...running].every((id) => now.running.has(id) || now.done.has(id) || now.failed.has(id));
  return goesOn && count(tasks, now.tasks) === tasks.size && count(messages, now.messages) === messages.size;
}

/** How many of the ids are among the others. */
const count = (ids: ReadonlySet<string>, among: ReadonlySet<string>) => [...ids].filter((id) => among.has(id)).length;

/** Everything that there is, in whichever directory. */
async function see({ home, cache }: State): Promise<Seen> {
  const { archiveIndex, queue, results, dependents, inbox } = cache;
  const messages = new Set<string>();
  const ended = [...results.values()];
  for (const command of inbox.values()) if (command.kind === "message") messages.add(command.id);
  for (const id of archiveIndex.names()) {
    const record = await archiveIndex.read(id);
    if (record === null) continue;
    if ("task" in record) ended.push(record);
    else if (record.kind === "message") messages.add(record.id);
  }
  const over = new Set(ended.map(({ id }) => id));
  const running = [...cache.attempts].flatMap(([id, attempts]) =>
    !over.has(id) && attempts.some(({ claim, failed }) => claim && !failed && isOwnerAlive(home, claim.owner))
      ? [id]
      : [],
  );
  return {
    messages,
    tasks: new Set([...queue.keys(), ...dependents.keys(), ...over]),
    running: new Set(running),
    done: new Set(ended.flatMap(({ id, status }) => (status === "done" ? [id] : []))),
    failed: new Set(ended.flatMap(({ id, status }) => (status === "done" ? [] : [id]))),
  };
}
