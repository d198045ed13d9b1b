/**
 * A command straight into inbox/: a reader of the token may ask for anything. It needs no process of ours, and is taken
 * up at the next start where none runs (docs/file-protocol.md#commands).
 */
import { setTimeout as wait } from "node:timers/promises";
import { Archived } from "@mimikit/protocol/records/archive";
import { openHome } from "@mimikit/runtime/home/adoption";
import { readToken } from "@mimikit/runtime/home/home";
import { type CommandInput, commandId, createCommand } from "@mimikit/store/disk/create-command";
import { readRecord } from "@mimikit/store/disk/record";
import { isSameCommand, readCommand } from "@mimikit/store/disk/same-command";
import { archivePath } from "@mimikit/store/disk/state";
import { ArchiveIndex } from "@mimikit/store/state-cache/archive-index";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { livingRoles } from "../processes/instance.ts";
import { withDisk } from "./state.ts";

/** A tick takes up a command within milliseconds; one that waits for the firing before it takes longer. */
const OUTCOME_MS_MAX = 10_000;
const LOOK_EVERY_MS = 20;

/**
 * Makes the command durable. @param key the same key is the same command. @returns its id.
 * @throws Failure where the key was used before, for something else.
 */
export async function writeCommand(home: string, said: CommandInput, key?: string): Promise<string> {
  openHome(home, process.env);
  const token = readToken(home);
  const id = commandId(said.kind, key);
  await withDisk(home, async (fs) => {
    const archive = new ArchiveIndex(fs, () => undefined);
    const first = key === undefined ? null : await readCommand(id, fs, archive);
    const isNew = first === null && (await createCommand(fs, token, said, id));
    // Another process may have made it in this very moment.
    const known = isNew ? null : (first ?? (await readCommand(id, fs, archive)));
    if (known !== null && !isSameCommand(known, said))
      throw new Failure("failed", t("this key was used before, for something else: nothing was done"));
  });
  return id;
}

/** The outcome of a command: in the supervisor's words, or null if it has not been taken up yet. */
export interface CommandAnswer {
  id: string;
  outcome: string | null;
}

/**
 * Makes the command durable and waits for its outcome, as long as a supervisor can take it up.
 * @param key the same key is the same command.
 * @throws Failure with the reason when it is refused.
 */
export async function ask(home: string, said: CommandInput, key?: string): Promise<CommandAnswer> {
  const asked = await outcomeOf(home, await writeCommand(home, said, key));
  const refusal = refusalIn(asked);
  if (refusal !== undefined) throw new Failure("failed", refusal);
  return asked;
}

/** Waits for the outcome of a durable command, as long as a supervisor can take it up. */
export async function outcomeOf(home: string, id: string): Promise<CommandAnswer> {
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
  return { id, outcome };
}

/** Why it was refused; undefined where it was not. */
export function refusalIn({ outcome }: CommandAnswer): string | undefined {
  return /^refused: (.*)$/s.exec(outcome ?? "")?.[1];
}
