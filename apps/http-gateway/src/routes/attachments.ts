/**
 * `POST /api/attachments`: the bytes of one file as they are; 201 once they are durable. `GET /api/attachments/:id` gives
 * them back so that no browser takes them for anything but what they were found to be (SPEC I8).
 */

import type { IncomingMessage } from "node:http";
import {
  ATTACHMENT_BYTES_MAX,
  ATTACHMENT_EXTENSIONS,
  ATTACHMENT_TYPES,
  Attachment,
  isImage,
} from "@mimikit/protocol/base/attachment";
import { coded, codeOrQuote } from "@mimikit/protocol/texts/coded";
import { AttachmentRefused, findAttachment, storeAttachment, tooLarge } from "@mimikit/store/attachments/attachments";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { ATTACHMENTS } from "@mimikit/store/disk/state";
import { route } from "../api/route.ts";
import { AttachmentParams } from "../http/params.ts";
import { HttpProblem } from "../http/problem.ts";
import { SANDBOXED } from "../http/sandboxed.ts";

/** A form is not a file: its own lines would be stored with what it carries. */
const FORM = /^(multipart\/|application\/x-www-form-urlencoded)/i;
const TYPE = /^[\w.+-]+\/[\w.+-]+/;

const STATUS: Record<AttachmentRefused["reason"], number> = {
  empty: 400,
  too_large: 413,
  full: 507,
};

export const upload = route({
  method: "post",
  path: "/api/attachments",
  summary:
    "stores a file with its content type: `id` is the SHA-256 of its bytes, `type` is detected from them; 400 if empty ([attachments](attachments.md))",
  takesBytes: true,
  status: 201,
  answer: Attachment,
  errors: {
    413: "above 20 MB",
    415: "`unknown_type`: a form, or no content type",
    507: "all attachments together are too large",
  },
  handle: async ({ request }, { home, fs, log }) => {
    assertFile(request);
    const attachment = await stored(home, fs, request);
    log.audit({ event: "attachment_stored", detail: { ...attachment } });
    return attachment;
  },
});

export const download = route({
  method: "get",
  path: "/api/attachments/:id",
  summary: "the bytes, with headers that prevent any of it from running",
  params: AttachmentParams,
  status: 200,
  types: ATTACHMENT_TYPES,
  errors: { 404: "unknown" },
  handle: async ({ params, response }, { home, fs }) => {
    const attachment = await findAttachment(fs, params.id);
    if (attachment === null) throw new HttpProblem(404, coded("no_such_attachment"));
    for (const [name, value] of Object.entries(headersOf(attachment))) response.setHeader(name, value);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const options = { root: `${home}/${ATTACHMENTS}`, cacheControl: false, etag: false, lastModified: false };
    response.sendFile(attachment.id, options, (error?: Error) => {
      // A client that leaves in the middle needs no answer.
      if (error === undefined || response.headersSent) resolve();
      else reject(error);
    });
    await promise;
  },
});

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
    throw new HttpProblem(415, coded("body_not_file"), {
      code: "unknown_type",
      hint: "Send them as they are, with the file's own Content-Type.",
    });
  }
  if ((headers["content-encoding"] ?? "identity") !== "identity")
    throw new HttpProblem(415, coded("body_compressed"), { code: "unknown_type" });
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

/** The Problem that tells why a file is not taken. */
export function problemOfRefusal({ reason, message }: AttachmentRefused): HttpProblem {
  return new HttpProblem(STATUS[reason], codeOrQuote(message));
}
