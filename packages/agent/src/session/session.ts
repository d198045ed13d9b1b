/**
 * The session of a task (SPEC I3): what a run was shown, said, called and was answered, one JSON line each, only ever
 * appended. Where another attempt may go on with it, a line is durable before the next step depends on it: an attempt that is
 * killed between any two steps leaves a session that the next one can go on with.
 */
import { constants } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { Steer } from "@mimikit/protocol/base/signal";
import { z } from "zod";
import { Picture } from "../tools/tool-text.ts";

/** A session that is longer has no end; the run that would make it so fails. */
export const SESSION_BYTES_MAX = 64 * 1_048_576;
/** A longer line, or a deeper one, is none of ours. */
const LINE_LIMITS = { bytes: 16 * 1_048_576, depth: 8 };

/** The answer to a call whose own answer is missing. */
export const CUT_OFF = "cut off: an earlier attempt was interrupted while this ran; look before you repeat it";

/** Data that the vendor of a model wants back as it came. */
const VendorData = z.record(z.string(), z.record(z.string(), z.string())).optional();

const CallTurn = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.string(),
  problem: z.string().optional(),
  vendor: VendorData,
});

type CallTurn = z.infer<typeof CallTurn>;

/** The model's thoughts before its calls. */
const ThoughtTurn = z.object({ text: z.string(), vendor: VendorData });

/** A line of a session. */
export const SessionLine = z.discriminatedUnion("type", [
  /** An attempt begins, with this question. */
  z.object({ type: z.literal("prompt"), attempt: z.number().int().positive(), text: z.string() }),
  z.object({
    type: z.literal("assistant"),
    text: z.string(),
    calls: z.array(CallTurn),
    thoughts: z.array(ThoughtTurn).optional(),
  }),
  z.object({
    type: z.literal("result"),
    requestId: z.string(),
    tool: z.string(),
    text: z.string(),
    /** It was run, and counts. */
    isMade: z.boolean(),
    error: z.string().optional(),
    artifact: z.string().optional(),
  }),
  /** A message of the kernel itself to the model, with the pictures that it shows. */
  z.object({ type: z.literal("note"), text: z.string(), pictures: z.array(Picture).optional() }),
  /** A steering message of the user. */
  Steer.extend({ type: z.literal("steer") }),
]);
export type SessionLine = z.infer<typeof SessionLine>;
export type TurnOf<T extends SessionLine["type"]> = Extract<SessionLine, { type: T }>;

/** The session has reached SESSION_BYTES_MAX. */
export class SessionTooLong extends Error {}

export class Session {
  private readonly file: FileHandle;
  private bytes: number;
  /**
   * The file does not end with a line break: a writer died in the middle of a line, or a disk was full
   * (docs/file-protocol.md R9).
   */
  private isTorn: boolean;
  private readonly mustLast: boolean;

  private constructor(file: FileHandle, bytes: number, isTorn: boolean, mustLast: boolean) {
    this.file = file;
    this.bytes = bytes;
    this.isTorn = isTorn;
    this.mustLast = mustLast;
  }

  /**
   * Begins the session again. Throws what the disk throws.
   * @param mustLast another attempt may go on with it, after a power loss, too.
   */
  static async begin(path: string, mustLast: boolean): Promise<Session> {
    return new Session(await openFile(path, mustLast, constants.O_TRUNC), 0, false, mustLast);
  }

  /** Goes on with a session; without a file it is an empty one. Throws what the disk throws, and `SessionTooLong`. */
  static async resume(path: string): Promise<{ session: Session; turns: SessionLine[]; badLines: number }> {
    const file = await openFile(path, true);
    try {
      const { size } = await file.stat();
      if (size > SESSION_BYTES_MAX) throw tooLong();
      const bytes = Buffer.alloc(size);
      let read = 0;
      while (read < size) {
        const { bytesRead } = await file.read(bytes, read, size - read, read);
        if (bytesRead === 0) break;
        read += bytesRead;
      }
      const text = bytes.toString("utf8", 0, read);
      return { session: new Session(file, size, text !== "" && !text.endsWith("\n"), true), ...readTurns(text) };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Resolves when the turn is written, and durable where it must last. Throws what the disk throws, and `SessionTooLong`. */
  async append(turn: SessionLine): Promise<void> {
    const line = Buffer.from(`${this.isTorn ? "\n" : ""}${JSON.stringify(turn)}\n`);
    if (this.bytes + line.length > SESSION_BYTES_MAX) throw tooLong();
    this.isTorn = true;
    await this.file.appendFile(line);
    if (this.mustLast) await this.file.datasync();
    this.isTorn = false;
    this.bytes += line.length;
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}

/** The turns of a session's text; lines that cannot be read are skipped and counted. */
export function readTurns(text: string): { turns: SessionLine[]; badLines: number } {
  const turns: SessionLine[] = [];
  let badLines = 0;
  for (const line of text.split("\n")) {
    if (line === "") continue;
    try {
      turns.push(parseRecord(SessionLine, line, LINE_LIMITS));
    } catch (error) {
      if (!(error instanceof BadJson)) throw error;
      badLines++;
    }
  }
  return { turns, badLines };
}

/**
 * The same turns with one result for every call, in the order of the calls, and no result without its call. A call whose
 * result never came is told to be cut off, and counts as made: it may have been.
 */
export function repair(turns: readonly SessionLine[]): SessionLine[] {
  const repaired: SessionLine[] = [];
  for (let i = 0; i < turns.length; i++) {
    const turn = turns[i];
    if (turn === undefined || turn.type === "result") continue;
    repaired.push(turn);
    if (turn.type !== "assistant") continue;
    const results = new Map<string, TurnOf<"result">>();
    for (let next = turns[i + 1]; next?.type === "result"; next = turns[++i + 1])
      if (!results.has(next.requestId)) results.set(next.requestId, next);
    for (const { id, name } of turn.calls) repaired.push(results.get(id) ?? cutOff(id, name));
  }
  return repaired;
}

/** Each call with its result: those of an answer follow it, in the order of its calls. @param turns as `repair` gives them. */
export function answeredCalls(turns: readonly SessionLine[]): { call: CallTurn; result: TurnOf<"result"> }[] {
  return turns.flatMap((turn, i) => {
    if (turn.type !== "assistant") return [];
    return turn.calls.flatMap((call, nth) => {
      const result = turns[i + 1 + nth];
      return result?.type === "result" && result.requestId === call.id ? [{ call, result }] : [];
    });
  });
}

/** How many calls the attempts of a session have made. */
export function countCalls(turns: readonly SessionLine[]): number {
  return turns.filter((turn) => turn.type === "result" && turn.isMade).length;
}

function cutOff(requestId: string, tool: string): TurnOf<"result"> {
  return { type: "result", requestId, tool, text: CUT_OFF, isMade: true, error: "cut_off" };
}

/** For appending and reading; never through a link. Its name is durable where it must last. */
async function openFile(path: string, mustLast: boolean, flags = 0): Promise<FileHandle> {
  const directory = dirname(path);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | flags, 0o600);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is not a regular file`);
    if (mustLast) await syncDirectory(directory);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function tooLong(): SessionTooLong {
  return new SessionTooLong(`the session of this task is longer than ${SESSION_BYTES_MAX} bytes`);
}
