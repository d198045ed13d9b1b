/**
 * `GET /api/files`: the bytes of one file of the workspace, or of what a task printed, under headers with which a browser
 * takes it for text or a picture, and for nothing else.
 */

import type { FileHandle } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { ATTACHMENT_TYPES, type AttachmentType, isImage } from "@mimikit/protocol/base/attachment";
import { Id } from "@mimikit/protocol/base/id";
import { coded } from "@mimikit/protocol/texts/coded";
import { FILE_PATH_CHARS_MAX, TaskFilesAnswer } from "@mimikit/protocol/wire/task-files";
import { openReadable } from "@mimikit/runtime/workspace/readable-file";
import { filesOfTask } from "@mimikit/runtime/workspace/task-files";
import { hasCode } from "@mimikit/store/disk/error-code";
import { readWholeTranscript } from "@mimikit/store/views/transcript";
import type { Request, Response } from "express";
import { z } from "zod";
import { route } from "../api/route.ts";
import { IdParams } from "../http/params.ts";
import { HttpProblem } from "../http/problem.ts";
import { SANDBOXED } from "../http/sandboxed.ts";

/** Of a file that are looked at to see what it is. */
const HEAD_BYTES = 4_096;
const BYTES = "application/octet-stream";

const FileQuery = z.strictObject({
  path: z.string().min(1).max(FILE_PATH_CHARS_MAX),
  /** Of which task an output is asked for. */
  task: Id.optional(),
});

export const taskFiles = route({
  method: "get",
  path: "/api/tasks/:id/files",
  summary:
    "the files that a task created, changed or deleted, with its replacements in them, as far as its transcript and the disk show, and the place of its full output",
  params: IdParams,
  status: 200,
  answer: TaskFilesAnswer,
  errors: { 404: "unknown" },
  handle: async ({ params: { id } }, { view, home, memory }) => {
    const task = await view.taskDetail(id);
    return { files: await filesOfTask(memory, task, await readWholeTranscript(home, id), Date.now()) };
  },
});

export const file = route({
  method: "get",
  path: "/api/files",
  summary:
    "the bytes of a file: `path` is below the workspace; with `task` it may be an output of that task. `Range` requests a part (206, or 416). Headers prevent any of it from running",
  query: FileQuery,
  status: 200,
  types: [...ATTACHMENT_TYPES, BYTES],
  errors: { 404: "there is no readable regular file" },
  handle: async ({ query: { path, task }, request, response }, { memory }) => {
    const found = await openReadable(memory, path, task);
    if (found === null) throw new HttpProblem(404, coded("no_such_file"));
    try {
      await send(found.handle, found.bytes, { path, request, response });
    } finally {
      await found.handle.close();
    }
  },
});

async function send(
  handle: FileHandle,
  bytes: number,
  { path, request, response }: { path: string; request: Request; response: Response },
): Promise<void> {
  const head = await headOf(handle, bytes);
  const type = await typeOf(head);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isShown = type === "text/plain" || (type !== null && isImage(type));
  response.attachment(name);
  if (isShown) response.setHeader("Content-Disposition", "inline");
  response.setHeader(
    "Content-Type",
    type === "text/plain" ? `text/plain; charset=${await encodingOf(head)}` : (type ?? BYTES),
  );
  response.setHeader("Content-Security-Policy", SANDBOXED);
  response.setHeader("Accept-Ranges", "bytes");
  const ranges = request.range(bytes);
  if (ranges === -1)
    throw new HttpProblem(416, coded("no_such_bytes"), { headers: { "Content-Range": `bytes */${bytes}` } });
  const [range, ...more] = Array.isArray(ranges) && ranges.type === "bytes" ? ranges : [];
  const isPart = range !== undefined && more.length === 0;
  const { start, end } = isPart ? range : { start: 0, end: bytes - 1 };
  if (isPart) response.status(206).setHeader("Content-Range", `bytes ${start}-${end}/${bytes}`);
  response.setHeader("Content-Length", end - start + 1);
  if (request.method === "HEAD" || bytes === 0) return void response.end();
  try {
    // A file that grows meanwhile is not longer than was said.
    await pipeline(handle.createReadStream({ start, end, autoClose: false }), response);
  } catch (error) {
    // A client that leaves in the middle needs no answer.
    if (!hasCode(error, "ERR_STREAM_PREMATURE_CLOSE")) throw error;
  }
}

/** The beginning of a file, in whole characters. */
async function headOf(handle: FileHandle, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  const head = buffer.subarray(0, bytesRead);
  return bytes > bytesRead ? wholeCharacters(head) : head;
}

/** The type of a file by its beginning; null if a browser may neither show nor play it. */
async function typeOf(head: Buffer): Promise<AttachmentType | null> {
  const { TypeSniffer } = await import("@mimikit/store/attachments/sniff-type");
  const sniffer = new TypeSniffer();
  sniffer.add(head);
  return sniffer.type;
}

async function encodingOf(head: Buffer): Promise<string> {
  const { decodeText } = await import("@mimikit/store/text/decode-text");
  return decodeText(head)?.encoding ?? "utf-8";
}

/** Without the last character: it may go on behind the end. */
function wholeCharacters(head: Buffer): Buffer {
  let end = head.length - 1;
  while (end > 0 && ((head[end] ?? 0) & 0xc0) === 0x80) end--;
  return head.subarray(0, Math.max(0, end));
}
