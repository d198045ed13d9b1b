/** Text files of the workspace: regular files only, read as a whole, replaced as a whole. Paths are real paths. */
import { randomBytes } from "node:crypto";
import { constants, type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";

/** Longer files are for the shell. */
export const TEXT_FILE_BYTES_MAX = 4 * 1_048_576;
/** A NUL among the first bytes means that it is no text. */
const SNIFF_BYTES = 4_096;
const NEW_FILE_MODE = 0o666;

/** Throws an error for people when it is no text file of bounded length; ENOENT when it is not there. */
export async function readTextFile(path: string): Promise<{ text: string; mode: number }> {
  const file = await openRegular(path);
  try {
    const { size, mode } = await file.stat();
    if (size > TEXT_FILE_BYTES_MAX)
      throw new Error(`${path} is longer than ${TEXT_FILE_BYTES_MAX} bytes: use the shell`);
    const bytes = await file.readFile();
    if (bytes.subarray(0, SNIFF_BYTES).includes(0)) throw new Error(`${path} is no text file`);
    return { text: bytes.toString("utf8"), mode: mode & 0o777 };
  } finally {
    await file.close();
  }
}

/** Replaces a file, or creates it with its directories; a reader sees the old text or the new one. */
export async function writeTextFile(path: string, text: string): Promise<{ isNew: boolean }> {
  const old = await modeOf(path);
  await mkdir(dirname(path), { recursive: true });
  const beside = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const file = await open(beside, "wx", old ?? NEW_FILE_MODE);
    try {
      await file.writeFile(text);
      if (old !== null) await file.chmod(old);
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  return { isNew: old === null };
}

/** The permissions of a regular file; null when there is nothing. */
async function modeOf(path: string): Promise<number | null> {
  try {
    const file = await openRegular(path);
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
async function openRegular(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new Error(`${path} is not a regular file`);
}
