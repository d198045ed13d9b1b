/** A newer version may have carried the state forward before it was taken back: the backup that it made is what this version understands. */
import { basename, join } from "node:path";
import { stateBackups } from "@mimikit/runtime/home/copies";
import type { HomePlace } from "@mimikit/runtime/home/home";
import { ROOT } from "@mimikit/runtime/home/programs";
import { latestOf, MIGRATIONS, readStateVersion } from "@mimikit/runtime/home/state-version";
import type { TakenOver } from "../backup/take-over-waiting.ts";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { printProgress } from "../io/print.ts";
import { stop } from "../processes/stop.ts";
import { CLI, runNode } from "./run.ts";

/**
 * Ends what runs, restores that backup, and keeps what the newer version accepted and did not answer. Killed at any instant, the next call
 * does the rest. Does nothing where this version knows the state. Not in the turn of a command: `restore` takes its own.
 * @throws Failure where there is no such backup.
 */
export async function putStateBack(place: HomePlace): Promise<void> {
  const { home } = place;
  const known = latestOf(MIGRATIONS);
  if (readStateVersion(home).state <= known) return;
  const backup = stateBackups(home).findLast((path) => Number(/^state-(\d+)-/.exec(basename(path))?.[1]) <= known);
  if (backup === undefined)
    throw new Failure("failed", t("there is no backup of the previous state in {home}", { home }));
  await stop(place);
  const said = await runNode([join(ROOT, CLI), "restore", backup, "--salvage", "--json"]);
  const { before, takenOver } = JSON.parse(said) as { before: string | null; takenOver: TakenOver };
  const { waiting, answered, unknown } = takenOver;
  printProgress(
    t("the state is the one before the update; that of the new version is in {before}", {
      before: before ?? home,
    }),
  );
  if (waiting.length > 0)
    printProgress(
      t("{count} messages and commands that the new version had accepted wait again", { count: waiting.length }),
    );
  if (answered.length + unknown.length > 0)
    printProgress(t("these are only in that state: {names}", { names: [...answered, ...unknown].join(", ") }));
}
