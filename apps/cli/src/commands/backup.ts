/** Puts the state directory into one file, as it was at one instant, whether Mimikit runs or not. */
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { openHome } from "@mimikit/runtime/home/adoption";
import { hasCode } from "@mimikit/store/disk/error-code";
import { command } from "../arguments/command.ts";
import { makeBackup } from "../backup/make-backup.ts";
import { t, told } from "../i18n/language.ts";
import { EXIT, Failure, reasonOf } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { printJson, printLine, printProgress } from "../io/print.ts";

/** Damaged files that are named; the rest is only counted. */
const NAMED_MAX = 20;

export const backup = command({
  usage: "backup <file>",
  summary: "put everything that Mimikit knows into one .tar.gz, while it runs",
  examples: [
    [
      "mimikit backup ~/mimikit-2026-11-22.tar.gz",
      "without the token and the signed-in browsers: a restore makes new ones",
    ],
    ["mimikit backup --with-secrets /media/disk/mimikit.tar.gz", "with them: anyone who can read the file can sign in"],
  ],
  options: (yargs) =>
    yargs
      .positional("file", { type: "string", demandOption: true, describe: "the file to make; it must not exist" })
      .option("with-secrets", { type: "boolean", default: false, describe: "the token and the sessions too" }),
  async run({ json, file: given, withSecrets }) {
    const { home } = currentPlace();
    if (!existsSync(home))
      throw new Failure("failed", t("there is no state directory {home}: nothing to back up", { home }));
    const file = placeOf(given, home);
    openHome(home, process.env);
    try {
      const written = await makeBackup(home, file, withSecrets);
      if (json) printJson(written);
      else {
        const size = `${(written.bytes / 1_048_576).toFixed(1)} MB`;
        printLine(
          t("{file}: {files} files, {size}, sha256 {sha256}", {
            file,
            files: written.files,
            size,
            sha256: written.sha256,
          }),
        );
        if (!withSecrets) printLine(t("without the token and the signed-in browsers; mimikit restore makes new ones"));
        for (const { path, reason } of written.damaged.slice(0, NAMED_MAX))
          printProgress(`! ${t("{path} cannot be read: {reason}", { path, reason: told(reason) })}`);
        for (const { path, reason } of written.cut.slice(0, NAMED_MAX)) printProgress(`! ${path}: ${reason}`);
      }
      const count = written.damaged.length + written.cut.length;
      if (count === 0) return;
      printProgress(
        t(
          "the backup is made; {count} files in it are damaged, the rest is whole (mimikit restore says what it left out)",
          {
            count,
          },
        ),
      );
      process.exitCode = EXIT.failed;
    } catch (error) {
      if (hasCode(error, "EEXIST"))
        throw new Failure("failed", t("{file} exists already: choose another name", { file }));
      if (hasCode(error, "EACCES", "EROFS", "ENOSPC", "EXDEV", "EPERM"))
        throw new Failure("failed", t("{file} could not be written: {reason}", { file, reason: reasonOf(error) }));
      throw error;
    }
  },
});

/** @throws Failure for a place where no backup can be. */
function placeOf(given: string, home: string): string {
  const wanted = resolve(given);
  if (!existsSync(dirname(wanted)))
    throw new Failure("failed", t("there is no directory {path}", { path: dirname(wanted) }));
  const file = join(realpathSync(dirname(wanted)), basename(wanted));
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
    throw new Failure("failed", t("{file} exists already: choose another name", { file }));
  const inside = relative(realpathSync(home), file);
  if (!inside.startsWith(".."))
    throw new Failure("usage", t("{file} is in the state directory: choose a place outside of it", { file }));
  return file;
}
