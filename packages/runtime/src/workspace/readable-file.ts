/**
 * The files that people may open from the page: those of the workspace, and what a task printed. The real path decides, and
 * it is asked again of the file that was opened, so that no link and no exchange of one leads elsewhere.
 */
import { constants, type FileHandle, open, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";
import { RUNS } from "@mimikit/store/disk/state";
import { STATE_FOLDER } from "../home/work-dir.ts";
import { platform } from "../platform/this-platform.ts";

/** The output of agents and commands, and files that another machine handed in; all else in the folder of a run is the pool's own. */
const OUTPUT_NAME = /^([\w-]+\.(txt|diff)|away-\d+-[\w.-]+)$/;
/** Errors that mean that there is no file for a person under this path. */
const NOT_THERE = ["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM", "ENAMETOOLONG", "ENXIO", "EISDIR", "ENODEV"];

export interface ReadablePlace {
  workDir: string;
  /** The state directory. */
  home: string;
}

export interface ReadableFile {
  /** To be closed by the caller. */
  handle: FileHandle;
  bytes: number;
  /** When it was made and when it was last changed, milliseconds since the epoch. */
  madeMs: number;
  changedMs: number;
}

/**
 * Opens a regular file of the workspace or, for a task, an output in the folder of one of its runs.
 * @param path absolute, or below the workspace.
 * @returns null where there is none that may be read. Throws what the disk throws.
 */
export async function openReadable(place: ReadablePlace, path: string, taskId?: string): Promise<ReadableFile | null> {
  if (path.includes("\0")) return null;
  try {
    const roots = { home: await realpath(place.home), workDir: await realpath(place.workDir) };
    const real = await realpath(resolve(roots.workDir, path));
    if (!isReadable(roots, real, taskId)) return null;
    // It never waits for the other end of a pipe.
    const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const info = await handle.stat();
      if (info.isFile() && isReadable(roots, await pathOf(handle, real), taskId))
        return { handle, bytes: info.size, madeMs: info.birthtimeMs, changedMs: info.mtimeMs };
    } catch (error) {
      await handle.close();
      throw error;
    }
    await handle.close();
    return null;
  } catch (error) {
    if (hasCode(error, ...NOT_THERE)) return null;
    throw error;
  }
}

/** Where the open file is: a directory on the way may have become a link since its path was asked for. */
async function pathOf({ fd }: FileHandle, path: string): Promise<string> {
  return (await platform.openedPath(fd)) ?? realpath(path);
}

/** @param path a real one. */
function isReadable({ home, workDir }: ReadablePlace, path: string, taskId: string | undefined): boolean {
  if (taskId !== undefined && isOutput(home, path, taskId)) return true;
  const below = workDir.endsWith(sep) ? workDir : workDir + sep;
  return path.startsWith(below) && !isState(home, path) && !path.slice(below.length).split(sep).some(isStateName);
}

function isState(home: string, path: string): boolean {
  return path.startsWith(home + sep) || path.startsWith(`${home}.`);
}

/** A foreign state directory, or the place of one that was moved by a restore. */
function isStateName(name: string): boolean {
  return name === STATE_FOLDER || name.startsWith(`${STATE_FOLDER}.`);
}

function isOutput(home: string, path: string, taskId: string): boolean {
  const run = dirname(path);
  const isOwn = run.startsWith(join(home, RUNS, `${taskId}.a`)) && /^\d+$/.test(run.slice(run.lastIndexOf(".a") + 2));
  return isOwn && dirname(run) === join(home, RUNS) && OUTPUT_NAME.test(basename(path));
}

/** A path as lists show it: below the workspace where it is there, else absolute. */
export function shownPath(workDir: string, path: string): string {
  const full = resolve(workDir, path);
  return full.startsWith(workDir + sep) ? full.slice(workDir.length + 1) : full;
}
