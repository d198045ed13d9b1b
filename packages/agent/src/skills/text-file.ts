/**
 * Text files of the workspace: regular files only, read as a whole, replaced as a whole. Paths are real ones: a link that takes the place
 * of a part of one is an error.
 */
import { randomBytes } from "node:crypto";
import { constants, type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { type HeldDirectory, holdDirectory } from "@mimikit/runtime/workspace/held-directory";
import { hasCode } from "@mimikit/store/disk/error-code";
import type { DecodedText } from "@mimikit/store/text/decode-text";

/** Longer files are for the shell. */
export const TEXT_FILE_BYTES_MAX = 4 * 1_048_576;
const NEW_FILE_MODE = 0o666;

export interface TextFile extends DecodedText {
  bytes: Buffer;
  mode: number;
}

/** Throws an error for people when it is no text file of bounded length; ENOENT when it is not there. */
export async function readTextFile(path: string): Promise<TextFile> {
  return inDirectoryOf(path, {}, async (directory) => {
    const file = await openRegular(directory, path);
    try {
      const { size, mode } = await file.stat();
      if (size > TEXT_FILE_BYTES_MAX)
        throw new Error(`${path} is longer than ${TEXT_FILE_BYTES_MAX} bytes: use the shell`);
      const bytes = await file.readFile();
      // Loaded where a file is read: a process that begins needs no encodings.
      const { decodeText } = await import("@mimikit/store/text/decode-text");
      const decoded = decodeText(bytes);
      if (decoded === null) throw new Error(`${path} is no text file`);
      return { ...decoded, bytes, mode: mode & 0o777 };
    } finally {
      await file.close();
    }
  });
}

/** Replaces a file, or creates it with its directories; a reader sees the old text or the new one. */
export async function writeTextFile(path: string, content: string | Buffer): Promise<{ isNew: boolean }> {
  return inDirectoryOf(path, { makes: true }, async (directory) => {
    const old = await modeOf(directory, path);
    const beside = directory.entry(`${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
    try {
      const file = await open(beside, "wx", old ?? NEW_FILE_MODE);
      try {
        await file.writeFile(content);
        if (old !== null) await file.chmod(old);
      } finally {
        await file.close();
      }
      await rename(beside, directory.entry(basename(path)));
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    }
    return { isNew: old === null };
  });
}

async function inDirectoryOf<Result>(
  path: string,
  options: Parameters<typeof holdDirectory>[1],
  work: (directory: HeldDirectory) => Promise<Result>,
): Promise<Result> {
  const directory = await holdDirectory(dirname(path), options);
  try {
    return await work(directory);
  } catch (error) {
    if (error instanceof Error) error.message = error.message.replaceAll(directory.entry(""), `${dirname(path)}/`);
    throw error;
  } finally {
    await directory.close();
  }
}

/** The permissions of a regular file; null when there is nothing. */
async function modeOf(directory: HeldDirectory, path: string): Promise<number | null> {
  try {
    const file = await openRegular(directory, path);
    try {
      return (await file.stat()).mode & 0o777;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** Never follows a link, and never waits for the other end of a pipe. */
async function openRegular(directory: HeldDirectory, path: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(directory.entry(basename(path)), flags);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new Error(`${path} is not a regular file`);
}
