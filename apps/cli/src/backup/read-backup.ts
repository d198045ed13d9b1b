/** A backup as a state directory: unpacked beside its place, checked there, and only then put into it. */
import { createReadStream, createWriteStream, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { parseRecord } from "@mimikit/protocol/base/json";
import { hasCode } from "@mimikit/store/disk/error-code";
import { syncDirectory } from "@mimikit/store/disk/sync-directory";
import { t } from "../i18n/language.ts";
import { Failure, reasonOf } from "../io/failure.ts";
import { BadTar, readTar } from "./tar.ts";
import { LEFT_OUT, MANIFEST, Manifest, SECRET_PATHS } from "./write-backup.ts";

/** @param target an empty directory. @returns what the backup says of itself. @throws Failure for what is no whole backup. */
export async function unpackBackup(file: string, target: string): Promise<{ manifest: Manifest; files: number }> {
  let files = 0;
  let secret: string | undefined;
  const directories = new Set<string>([target]);
  const source = createReadStream(file);
  const unpacked = createGunzip();
  source.on("error", (error) => unpacked.destroy(error));
  try {
    for await (const { path, chunks } of readTar(source.pipe(unpacked))) {
      if (files === 0 && path !== MANIFEST) throw new BadTar(t("it does not begin as a backup of Mimikit does"));
      if (LEFT_OUT.includes(path.split("/")[0] ?? ""))
        throw new BadTar(t("it holds {path}, which no backup does", { path }));
      if (SECRET_PATHS.some((each) => path === each || path.startsWith(`${each}/`))) secret ??= path;
      const directory = join(target, dirname(path));
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      directories.add(directory);
      await writeFile(join(target, path), chunks);
      files++;
    }
    if (files === 0) throw new BadTar(t("it is empty"));
    const manifest = parseRecord(Manifest, readFileSync(join(target, MANIFEST), "utf8"));
    // The user who restores it is told that browsers must sign in again: none is signed in.
    if (secret !== undefined && !manifest.hasSecrets)
      throw new BadTar(t("it says that it has no secrets, and has {secret}", { secret }));
    for (const directory of directories) syncDirectory(directory);
    return { manifest, files: files - 1 };
  } catch (error) {
    if (hasCode(error, "ENOENT")) throw new Failure("failed", t("there is no file {file}", { file }));
    if (hasCode(error, "ENOSPC", "EACCES"))
      throw new Failure("failed", t("it could not be unpacked: {reason}", { reason: reasonOf(error) }));
    throw new Failure("failed", t("{file} is no whole backup: {reason}", { file, reason: reasonOf(error) }));
  } finally {
    source.destroy();
  }
}

async function writeFile(path: string, chunks: AsyncIterable<Buffer>): Promise<void> {
  await pipeline(chunks, createWriteStream(path, { flags: "wx", mode: 0o600, flush: true }));
}
