/** The files of attempts on other machines: those that go with them, and those that come home (docs/pools.md). */
import { join } from "node:path";
import type { RunOutcome } from "@mimikit/agent/run/run-task";
import { FILES_BYTES_MAX, type FilePiece, type PoolJob } from "@mimikit/protocol/pools/messages";
import type { Task } from "@mimikit/protocol/records/task";
import { addPiece, BadFile, missingPiece, readPiece } from "@mimikit/runtime/pools/pieces";
import { attachmentPath } from "@mimikit/store/disk/state";
import type { Away } from "./away.ts";
import { type AcceptedOutcome, failedOutcome, invalid } from "./outcome.ts";
import type { CarriedOutput } from "./outputs.ts";
import type { PoolConnection } from "./pool-connection.ts";

const MEBIBYTE = 1_048_576;

export interface AwayFilesOptions {
  home: string;
  /** The files of its messages. */
  filesOf(task: Task): Promise<PoolJob["files"]>;
  /** Whole outputs of the tasks before it, of at most so many bytes; none where not given. */
  outputsOf?(task: Task, bytesMax: number): Promise<CarriedOutput[]>;
}

export class AwayFiles {
  private readonly options: AwayFilesOptions;

  constructor(options: AwayFilesOptions) {
    this.options = options;
  }

  /** The files of its messages, as they were when they were asked for first. Throws what the disk throws. */
  async filesOf(each: Away, task: Task): Promise<PoolJob["files"]> {
    each.files ??= await this.options.filesOf(task);
    return each.files;
  }

  /** Whole outputs of the tasks before it, as far as there is room for them. Throws what the disk throws. */
  async outputsOf(each: Away, task: Task, files: PoolJob["files"]): Promise<CarriedOutput[]> {
    each.outputs ??= (await this.options.outputsOf?.(task, FILES_BYTES_MAX - bytesOf(files))) ?? [];
    return each.outputs;
  }

  /** Lays a piece of a file that the task names, and of no other. */
  async lay(each: Away, task: Task, connection: PoolConnection, { file, piece }: FilePiece): Promise<void> {
    const { job } = each;
    const files = await this.filesOf(each, task);
    const isNamed = files.some((named) => named.file.id === file && named.isThere);
    const output = (await this.outputsOf(each, task, files)).find((named) => named.file.id === file);
    const path = isNamed ? join(this.options.home, attachmentPath(file)) : output?.path;
    const data = path === undefined ? null : await readPiece(path, piece);
    if (data !== null) await connection.putPiece(job, { file, piece }, data);
    await connection.tell(job, { kind: "laid", file, piece, isThere: data !== null });
  }

  /** Takes what has come of the files of an outcome, and asks for the next piece. @returns true when all of them are here. */
  async areHere(each: Away, { files }: AcceptedOutcome, task: Task, connection: PoolConnection): Promise<boolean> {
    const { job, owner } = each;
    try {
      for (const { to, data: carried, ...file } of files)
        for (;;) {
          const number = await missingPiece(to);
          if (number === null) break;
          const piece = { file: file.id, piece: number };
          const data = carried ?? (await connection.takePiece(job, piece));
          if (data === null) {
            await connection.tell(job, { kind: "want", ...piece });
            return false;
          }
          await addPiece(to, file, number, data);
        }
    } catch (error) {
      if (!(error instanceof BadFile)) throw error;
      each.accepted = invalid(task, owner.pool, error.message);
    }
    return true;
  }
}

/** Why the files of a task may not go to a machine, as the end of the task; null where they may. */
export function tooMuch(files: PoolJob["files"], task: Task, pool: string): RunOutcome | null {
  const bytes = bytesOf(files);
  if (bytes <= FILES_BYTES_MAX) return null;
  const mb = (count: number) => Math.ceil(count / MEBIBYTE);
  const error = `the files of this task have ${mb(bytes)} MB, and at most ${mb(FILES_BYTES_MAX)} MB go to another machine: send fewer or smaller ones, copy them to ${pool} yourself and say where they are, or name no machine`;
  return failedOutcome(task, "error", error);
}

const bytesOf = (files: PoolJob["files"]) =>
  files.reduce((sum, { file, isThere }) => sum + (isThere ? file.bytes : 0), 0);
