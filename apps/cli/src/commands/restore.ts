/** Makes a backup the state directory, never over one that runs. The previous state is kept in it, not deleted. */

import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { adopt } from "@mimikit/runtime/home/adoption";
import { shellWord } from "@mimikit/runtime/home/command-name";
import { copyPath } from "@mimikit/runtime/home/copies";
import { prepareHome, readToken } from "@mimikit/runtime/home/home";
import { latestOf, MIGRATIONS, readStateVersion } from "@mimikit/runtime/home/state-version";
import { hasCode } from "@mimikit/store/disk/error-code";
import { COPIES, LOCKS, WEB_SESSIONS } from "@mimikit/store/disk/state";
import { syncDirectory } from "@mimikit/store/disk/sync-directory";
import { command } from "../arguments/command.ts";
import { findDamaged } from "../backup/find-damaged.ts";
import { type KeptSecrets, keepSecrets } from "../backup/keep-secrets.ts";
import { unpackBackup } from "../backup/read-backup.ts";
import { type LeftOut, putDamagedAside, signAgain } from "../backup/salvage.ts";
import { type TakenOver, takeOverWaiting } from "../backup/take-over-waiting.ts";
import { MANIFEST } from "../backup/write-backup.ts";
import { findViolations } from "../checks/find-violations.ts";
import { t, told } from "../i18n/language.ts";
import { momentText } from "../i18n/moments.ts";
import { withState } from "../instance/state.ts";
import { confirm } from "../io/confirm.ts";
import { Failure, reasonOf } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printJson, printLine, printProgress, styled } from "../io/print.ts";
import { findProcesses } from "../processes/instance.ts";
import { takeTurn } from "../processes/pm2.ts";
import { isStopped, markStopped } from "../processes/stopped.ts";
import { printContents, readContents } from "../terminal/home-contents.ts";
import { carryState } from "../update/carry-forward.ts";

const PROBLEMS_NAMED_MAX = 5;
const DAMAGE_NAMED_MAX = 20;
const NOTHING_TAKEN_OVER: TakenOver = { waiting: [], answered: [], unknown: [] };

export const restore = command({
  usage: "restore <file>",
  summary: "restore a backup into the state directory, while Mimikit is stopped",
  examples: [
    ["mimikit down && mimikit restore ~/mimikit-2026-11-22.tar.gz", "then: mimikit up; the previous state is kept"],
    ["MIMIKIT_HOME=~/second/.mimikit mimikit restore ~/mimikit.tar.gz", "into a place where nothing is yet"],
  ],
  options: (yargs) =>
    yargs
      .positional("file", { type: "string", demandOption: true, describe: "a file that mimikit backup has made" })
      .option("salvage", {
        type: "boolean",
        default: false,
        describe: "restore it even where damaged records leave others without what they depend on",
      }),
  async run({ json, file: given, salvage }) {
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
      const secrets = keepSecrets(home, beside);
      const takenOver = isOfNewerVersion(home) ? takeOverWaiting(home, beside) : NOTHING_TAKEN_OVER;
      prepareHome(beside);
      carryState(beside);
      const unsigned = manifest.damaged?.map(({ path }) => path);
      if (unsigned !== undefined) signAgain(beside, readToken(beside), new Set(unsigned));
      const leftOut = putDamagedAside(beside, await findDamaged(beside, readToken(beside)));
      const { turns, results, broken, ofAudit } = await findViolations((look) =>
        withState(look, { home: beside, workDir }),
      );
      if (broken.length > 0 && !salvage) await askToSalvage(broken, leftOut, given);
      const contents = { ...(await readContents({ home: beside, workDir })), home };
      // PM2 itself may have been told to start it meanwhile.
      await assertStopped(home);
      if (isStopped(home)) markStopped(beside);
      const before = swap(home, beside);
      // Naming the file is the owner's yes to it, and the list below says to what.
      adopt(home, process.env);
      if (json)
        printJson({ home, files, turns, results, before, manifest, leftOut, broken, secrets, takenOver, contents });
      else {
        printLine(
          `${styled("green", "✓")} ${t("{home} is as it was at {moment}", { home, moment: momentText(manifest.createdAt) })}`,
        );
        printLine(`  ${t("{files} files, {turns} turns and {results} tasks, checked", { files, turns, results })}`);
        for (const problem of ofAudit.slice(0, PROBLEMS_NAMED_MAX))
          printLine(
            `${styled("yellow", "!")} ${t("{problem} (mimikit audit verify)", { problem: plainLine(told(problem)) })}`,
          );
        for (const line of damageLines(leftOut, broken)) printLine(line);
        if (takenOver.waiting.length > 0)
          printLine(
            `  ${t("{count} messages and commands that waited in the previous state wait in it", { count: takenOver.waiting.length })}`,
          );
        if (before !== null) printLine(`  ${t("the previous state is kept in {before}", { before })}`);
        printLine(`  ${secretsLine(manifest.hasSecrets, secrets)}`);
        printLine(
          `  ${t("at the next start this runs or is believed; if it is not yours, delete {home} instead:", { home })}`,
        );
        printContents(contents);
        const isSignedIn = manifest.hasSecrets || secrets.kept.includes(WEB_SESSIONS);
        printLine(
          `  ${t("start it with  mimikit up{what}", { what: isSignedIn ? "" : t("; browsers sign in anew (mimikit pair)") })}`,
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

/** A state that this version cannot read: nothing of it can be carried forward, and what waits there would wait for ever. */
function isOfNewerVersion(home: string): boolean {
  return existsSync(home) && readStateVersion(home).state > latestOf(MIGRATIONS);
}

/** @throws Failure where the owner does not want what is left, or cannot be asked. */
async function askToSalvage(broken: readonly string[], leftOut: readonly LeftOut[], file: string): Promise<void> {
  for (const line of damageLines(leftOut, broken)) printProgress(line);
  const named = broken.slice(0, PROBLEMS_NAMED_MAX).map(plainLine).join("; ");
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new Failure(
      "failed",
      t(
        "the backup has {count} faults, and nothing was changed: {named}; restore the rest with  mimikit restore --salvage",
        {
          count: broken.length,
          named,
        },
      ),
    );
  const command = `mimikit restore --salvage ${shellWord(file)}`;
  if (await confirm(t("Restore it in spite of that?"), command)) return;
  throw new Failure("failed", t("nothing was changed"));
}

/** One line for each damaged record, with its place now, and for each promise that it breaks. */
function damageLines(leftOut: readonly LeftOut[], broken: readonly string[]): string[] {
  const lines = [
    ...leftOut.map(({ path, reason, aside }) =>
      aside === null
        ? t("{path} cannot be read: {reason}", { path, reason: told(reason) })
        : t("{path} cannot be read, and is now {aside}: {reason}", { path, aside, reason: told(reason) }),
    ),
    ...broken.map(told),
  ];
  const more = lines.length - DAMAGE_NAMED_MAX;
  return [
    ...lines.slice(0, DAMAGE_NAMED_MAX).map((line) => `${styled("yellow", "!")} ${plainLine(line)}`),
    ...(more > 0 ? [`  ${t("and {more} more", { more })}`] : []),
  ];
}

/** Says whether keys and logins were in the backup, are kept, or are missing. */
function secretsLine(hasSecrets: boolean, { kept, left }: KeptSecrets): string {
  if (hasSecrets) return t("keys, logins and signed-in browsers are those of the backup");
  const others = kept.filter((path) => path !== "token");
  if (others.length > 0) return t("kept, as they are in no backup: {paths}", { paths: others.join(", ") });
  if (left.length > 0)
    return t("not taken over, as the backup is of another home: {paths}; copy what you want from the previous state", {
      paths: left.join(", "),
    });
  return t("keys and logins are in no backup: mimikit connect, mcp add, channels add and hooks secret set them");
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
