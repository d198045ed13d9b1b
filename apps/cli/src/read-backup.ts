/** A backup as a state directory: unpacked beside its place, checked there, and only then put into it. */
import { closeSync, createReadStream, fsyncSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createGunzip } from "node:zlib";
import { parseRecord } from "@mimikit/protocol/json";
import { hasCode } from "@mimikit/store/error-code";
import { Failure, reasonOf } from "./failure.ts";
import { BadTar, readTar } from "./tar.ts";
import { LEFT_OUT, MANIFEST, Manifest } from "./write-backup.ts";

/** @param target an empty directory. @returns what the backup says of itself. @throws Failure for what is no whole backup. */
export async function unpackBackup(file: string, target: string): Promise<{ manifest: Manifest; files: number }> {
  let files = 0;
  const directories = new Set<string>([target]);
  const source = createReadStream(file);
  const unpacked = createGunzip();
  source.on("error", (error) => unpacked.destroy(error));
  /** The file whose bytes come. */
  let open: number | null = null;
  try {
    for await (const part of readTar(source.pipe(unpacked))) {
      if (Buffer.isBuffer(part)) {
        if (open !== null) writeFileSync(open, part);
        continue;
      }
      const { path } = part;
      if (files === 0 && path !== MANIFEST) throw new BadTar("it does not begin as a backup of Mimikit does");
      if (LEFT_OUT.includes(path.split("/")[0] ?? "")) throw new BadTar(`it holds ${path}, which no backup does`);
      const directory = join(target, dirname(path));
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      directories.add(directory);
      if (open !== null) syncAndClose(open);
      open = null;
      open = openSync(join(target, path), "wx", 0o600);
      files++;
    }
    if (open !== null) fsyncSync(open);
    if (files === 0) throw new BadTar("it is empty");
    const manifest = parseRecord(Manifest, readFileSync(join(target, MANIFEST), "utf8"));
    for (const directory of directories) syncAndClose(openSync(directory, "r"));
    return { manifest, files: files - 1 };
  } catch (error) {
    if (hasCode(error, "ENOENT")) throw new Failure("failed", `there is no file ${file}`);
    if (hasCode(error, "ENOSPC", "EACCES")) throw new Failure("failed", `it could not be unpacked: ${reasonOf(error)}`);
    throw new Failure("failed", `${file} is no whole backup: ${reasonOf(error)}`);
  } finally {
    if (open !== null) closeSync(open);
    source.destroy();
  }
}

function syncAndClose(opened: number): void {
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
