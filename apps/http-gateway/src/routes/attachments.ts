/**
 * `POST /api/attachments`: the bytes of one file as they are; 201 once they are durable. `GET /api/attachments/:id` gives
 * them back so that no browser takes them for anything but what they were found to be (SPEC I8).
 */
import type { IncomingMessage } from "node:http";
import {
  ATTACHMENT_BYTES_MAX,
  ATTACHMENT_EXTENSIONS,
  type Attachment,
  AttachmentId,
  isImage,
} from "@mimikit/protocol/attachment";
import type { Log } from "@mimikit/runtime/log";
import { AttachmentRefused, findAttachment, storeAttachment, tooLarge } from "@mimikit/store/attachments";
import type { FileSystem } from "@mimikit/store/file-system";
import { ATTACHMENTS } from "@mimikit/store/state";
import type { Request, Response } from "express";
import { Problem } from "../problem.ts";

/** A form is not a file: its own lines would be stored with what it carries. */
const FORM = /^(multipart\/|application\/x-www-form-urlencoded)/i;
const TYPE = /^[\w.+-]+\/[\w.+-]+/;
/** Whatever a file holds, nothing in it runs, loads or opens anything. */
const SANDBOXED = "default-src 'none'; sandbox";

const STATUS: Record<AttachmentRefused["reason"], number> = {
  empty: 400,
  too_large: 413,
  unknown_type: 415,
  full: 507,
};

export interface AttachmentParts {
  /** The state directory. */
  home: string;
  fs: FileSystem;
  log: Log;
}

/** @throws Problem 400 for nothing at all, 413 above ATTACHMENT_BYTES_MAX, 415 for what is not taken, 507 when all together are too many. */
export function upload({ home, fs, log }: AttachmentParts) {
  return async (request: Request, response: Response): Promise<void> => {
    assertFile(request);
    const attachment = await stored(home, fs, request);
    log.audit({ event: "attachment_stored", detail: { ...attachment } });
    response.status(201).json(attachment);
  };
}

/** @throws Problem 400 for what cannot be an id, 404 for an unknown one. */
export function download({ home, fs }: AttachmentParts) {
  return async (request: Request, response: Response): Promise<void> => {
    const id = AttachmentId.safeParse(request.params.id);
    if (!id.success) throw new Problem(400, "this is not the id of an attachment");
    const attachment = await findAttachment(fs, id.data);
    if (attachment === null) throw new Problem(404, "there is no attachment with this id");
    for (const [name, value] of Object.entries(headersOf(attachment))) response.setHeader(name, value);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const options = { root: `${home}/${ATTACHMENTS}`, cacheControl: false, etag: false, lastModified: false };
    response.sendFile(attachment.id, options, (error?: Error) => {
      // Whoever leaves in the middle needs no answer.
      if (error === undefined || response.headersSent) resolve();
      else reject(error);
    });
    await promise;
  };
}

function headersOf({ id, type }: Attachment): Record<string, string> {
  const name = `${id.slice(0, 12)}.${ATTACHMENT_EXTENSIONS[type]}`;
  return {
    "Content-Type": type === "text/plain" ? "text/plain; charset=utf-8" : type,
    "Content-Disposition": `${isImage(type) ? "inline" : "attachment"}; filename="${name}"`,
    "Content-Security-Policy": SANDBOXED,
  };
}

/** The declared type is not believed, but there must be one: a foreign page cannot send most of them without asking. */
function assertFile({ headers }: IncomingMessage): void {
  const type = headers["content-type"] ?? "";
  if (!TYPE.test(type) || FORM.test(type)) {
    throw new Problem(415, "the body must be the bytes of one file", {
      code: "unknown_type",
      hint: "Send them as they are, with the file's own Content-Type.",
    });
  }
  if ((headers["content-encoding"] ?? "identity") !== "identity")
    throw new Problem(415, "the body must not be compressed", { code: "unknown_type" });
  if (Number(headers["content-length"] ?? 0) > ATTACHMENT_BYTES_MAX) throw problemOfRefusal(tooLarge());
}

async function stored(home: string, fs: FileSystem, request: IncomingMessage): Promise<Attachment> {
  try {
    // The rest of a body that is not read is discarded by Node, within the time that a request may take.
    return await storeAttachment(home, fs, request.iterator({ destroyOnReturn: false }));
  } catch (error) {
    if (error instanceof AttachmentRefused) throw problemOfRefusal(error);
    throw error;
  }
}

function problemOfRefusal({ reason, message }: AttachmentRefused): Problem {
  return new Problem(STATUS[reason], message, { ...(reason === "unknown_type" && { code: reason }) });
}
