/**
 * A wish as a record in inbox/, sealed where it carries authority: whoever may read the token may ask for anything. It
 * needs no process of ours, and is taken up at the next start where none runs (docs/file-protocol.md#wishes).
 */
import { setTimeout as wait } from "node:timers/promises";
import { Archived } from "@mimikit/protocol/records/archive";
import { type Event, Wish } from "@mimikit/protocol/records/inbox";
import { openHome } from "@mimikit/runtime/home/adoption";
import { readToken } from "@mimikit/runtime/home/home";
import { createRecord, readRecord } from "@mimikit/store/disk/record";
import { seal } from "@mimikit/store/disk/seal";
import { archivePath, inboxPath } from "@mimikit/store/disk/state";
import { wishId } from "@mimikit/store/mirror/mirror";
import { Failure } from "../io/failure.ts";
import { livingRoles } from "../processes/instance.ts";
import { withDisk } from "./state.ts";

/** A tick takes up a wish within milliseconds; one that waits for the firing before it takes longer. */
const OUTCOME_MS_MAX = 10_000;
const LOOK_EVERY_MS = 20;

type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
/** A wish as it is said: its id, its time and its seal are made here. */
export type Said = Without<Exclude<Wish, Event>, "id" | "at" | "mac">;

/** Makes the wish durable. @param key the same key is the same wish. @returns its id. */
export async function writeWish(home: string, said: Said, key?: string): Promise<string> {
  openHome(home, process.env);
  const token = readToken(home);
  const id = wishId(said.kind, key);
  // What is sealed is what will be read: the schema may trim what was said.
  const wish = Wish.parse({ ...said, id, at: new Date().toISOString(), mac: "" });
  const whole = "mac" in wish ? { ...wish, mac: seal(token, wish) } : wish;
  await withDisk(home, (fs) => createRecord(fs, Wish, inboxPath(id), whole));
  return id;
}

/** What became of a wish: in the supervisor's words, or null where it has not been taken up yet. */
export interface Asked {
  id: string;
  outcome: string | null;
}

/**
 * Makes the wish durable and waits for what becomes of it, as long as there is somebody to take it up.
 * @throws Failure with the reason when it is refused.
 */
export async function ask(home: string, said: Said): Promise<Asked> {
  const id = await writeWish(home, said);
  const outcome = await withDisk(home, async (fs) => {
    const deadline = performance.now() + OUTCOME_MS_MAX;
    while (performance.now() < deadline) {
      const record = await readRecord(fs, Archived, archivePath(id));
      if (record !== null && "wish" in record) return record.outcome;
      if (!livingRoles(home).has("supervisor")) return null;
      await wait(LOOK_EVERY_MS);
    }
    return null;
  });
  const refusal = /^refused: (.*)$/s.exec(outcome ?? "")?.[1];
  if (refusal !== undefined) throw new Failure("failed", refusal);
  return { id, outcome };
}
