/** Makes a backup the state directory, never over one that runs. The previous state is kept in it, not deleted. */

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { verifyTrail } from "@mimikit/runtime/audit/verify-audit";
import { adopt } from "@mimikit/runtime/home/adoption";
import { noteLaterToken } from "@mimikit/runtime/home/audit-key";
import { copyPath } from "@mimikit/runtime/home/copies";
import { HomeError, prepareHome, readToken } from "@mimikit/runtime/home/home";
import {
  assertStateIsKnown,
  latestOf,
  MIGRATIONS,
  migrationsAfter,
  writeStateVersion,
} from "@mimikit/runtime/home/state-version";
import { hasCode } from "@mimikit/store/disk/error-code";
import { COPIES, LOCKS } from "@mimikit/store/disk/state";
import { syncDirectory } from "@mimikit/store/disk/sync-directory";
import { command } from "../arguments/command.ts";
import { unpackBackup } from "../backup/read-backup.ts";
import { MANIFEST } from "../backup/write-backup.ts";
import { findViolations } from "../checks/find-violations.ts";
import { t, told } from "../i18n/language.ts";
import { momentText } from "../i18n/moments.ts";
import { withState } from "../instance/state.ts";
import { Failure, reasonOf } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printJson, printLine, styled } from "../io/print.ts";
import { findProcesses } from "../processes/instance.ts";
import { takeTurn } from "../processes/pm2.ts";
import { isStopped, markStopped } from "../processes/stopped.ts";
import { printContents, readContents } from "../terminal/home-contents.ts";
import { carryFiles } from "../update/carry-forward.ts";

const PROBLEMS_NAMED_MAX = 5;

export const restore = command({
  usage: "restore <file>",
  summary: "restore a backup into the state directory, while Mimikit is stopped",
  examples: [
    ["mimikit down && mimikit restore ~/mimikit-2026-11-22.tar.gz", "then: mimikit up; the previous state is kept"],
    ["MIMIKIT_HOME=~/second/.mimikit mimikit restore ~/mimikit.tar.gz", "into a place where nothing is yet"],
  ],
  options: (yargs) =>
    yargs.positional("file", { type: "string", demandOption: true, describe: "a file that mimikit backup has made" }),
  async run({ json, file: given }) {
    const { home, workDir } = currentPlace("any");
    const file = resolve(given);
    if (!existsSync(file)) throw new Failure("failed", t("there is no file {file}", { file }));
    // First the turn, so that no other command starts it meanwhile.
    if (existsSync(home)) {
      mkdirSync(join(home, LOCKS), { recursive: true, mode: 0o700 });
      await takeTurn(home);
    }
    await assertStopped(home);
    const parent = dirname(home);
    mkdirSync(parent, { recursive: true });
    const beside = mkdtempSync(join(parent, `.${basename(home)}.restoring-`));
    try {
      const { manifest, files } = await unpackBackup(file, beside);
      rmSync(join(beside, MANIFEST));
      keepToken(home, beside);
      const { state } = assertStateIsKnown(beside);
      prepareHome(beside);
      carryFiles(
        beside,
        migrationsAfter(state).flatMap(({ carry }) => carry ?? []),
      );
      writeStateVersion(beside, latestOf(MIGRATIONS));
      const { turns, results, violations, ofAudit } = await findViolations((look) =>
        withState(look, { home: beside, workDir }),
      );
      const faults = violations.filter((violation) => !ofAudit.includes(violation));
      if (faults.length > 0) {
        const named = faults.slice(0, PROBLEMS_NAMED_MAX).map(plainLine).join("; ");
        throw new Failure(
          "failed",
          t("the backup has {count} faults, and nothing was changed: {named}", { count: faults.length, named }),
        );
      }
      const contents = { ...(await readContents({ home: beside, workDir })), home };
      // PM2 itself may have been told to start it meanwhile.
      await assertStopped(home);
      if (isStopped(home)) markStopped(beside);
      const before = swap(home, beside);
      // Naming the file is the owner's yes to it, and the list below says to what.
      adopt(home, process.env);
      if (json) printJson({ home, files, turns, results, before, manifest, contents });
      else {
        printLine(
          `${styled("green", "✓")} ${t("{home} is as it was at {moment}", { home, moment: momentText(manifest.createdAt) })}`,
        );
        printLine(`  ${t("{files} files, {turns} turns and {results} tasks, checked", { files, turns, results })}`);
        for (const problem of ofAudit.slice(0, PROBLEMS_NAMED_MAX))
          printLine(
            `${styled("yellow", "!")} ${t("{problem} (mimikit audit verify)", { problem: plainLine(told(problem)) })}`,
          );
        if (before !== null) printLine(`  ${t("the previous state is kept in {before}", { before })}`);
        printLine(
          `  ${t("at the next start this runs or is believed; if it is not yours, delete {home} instead:", { home })}`,
        );
        printContents(contents);
        printLine(
          `  ${t("start it with  mimikit up{what}", { what: manifest.hasSecrets ? "" : t("; browsers sign in anew (mimikit pair)") })}`,
        );
      }
    } finally {
      rmSync(beside, { recursive: true, force: true });
    }
  },
});

async function assertStopped(home: string): Promise<void> {
  const running = await findProcesses(home);
  if (running.length === 0) return;
  const names = running.map(({ what, pid }) => `${what} (${pid})`).join(", ");
  throw new Failure("failed", t("Mimikit runs in {home}: stop it with  mimikit down  ({names})", { home, names }));
}

/** Keeps the token of the home if the backup has none, so that signed-in browsers stay signed in. */
function keepToken(home: string, beside: string): void {
  if (existsSync(join(beside, "token"))) return;
  try {
    readToken(home);
  } catch (error) {
    if (error instanceof HomeError) return;
    throw error;
  }
  copyFileSync(join(home, "token"), join(beside, "token"));
  const { chains } = verifyTrail(beside);
  if (chains.some(({ otherToken }) => otherToken !== null)) noteLaterToken(beside, readToken(beside));
}

/** @returns where the previous state is now; null if there was none. Killed in between, the next start moves it there (`collectCopies`). */
function swap(home: string, beside: string): string | null {
  if (!existsSync(home)) {
    renameSync(beside, home);
    syncDirectory(dirname(home));
    return null;
  }
  // An earlier version may have left it without its .gitignore.
  prepareHome(home);
  const name = basename(copyPath(home, "before"));
  const away = `${home}.${name}`;
  try {
    renameSync(home, away);
    renameSync(beside, home);
    syncDirectory(dirname(home));
  } catch (error) {
    if (!existsSync(home) && existsSync(away)) renameSync(away, home);
    if (!hasCode(error, "EBUSY", "EXDEV", "EACCES", "EPERM", "ENOTEMPTY", "EEXIST")) throw error;
    throw new Failure(
      "failed",
      t("{home} cannot be replaced ({reason}): choose another MIMIKIT_HOME", { home, reason: reasonOf(error) }),
    );
  }
  // The earlier copies move along; a backup has none of its own.
  renameSync(join(away, COPIES), join(home, COPIES));
  const before = join(home, COPIES, name);
  renameSync(away, before);
  syncDirectory(dirname(home));
  return before;
}
