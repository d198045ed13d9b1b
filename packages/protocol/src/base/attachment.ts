/**
 * A file that the user gives along with words (SPEC I8): an image, a recording, a document. It is stored once under the
 * SHA-256 of its bytes, so that its id is its content; what it is follows from the bytes, whatever its sender says.
 */
import { z } from "zod";

export const ATTACHMENT_BYTES_MAX = 20 * 1_048_576;
export const MESSAGE_ATTACHMENTS_MAX = 10;
export const ATTACHMENT_NAME_CHARS_MAX = 200;

/** Every type that a file can be found to be, and how a file of it is named. */
export const ATTACHMENT_EXTENSIONS = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "audio/mp4": "m4a",
  "audio/flac": "flac",
  "application/pdf": "pdf",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
  "application/epub+zip": "epub",
  "application/zip": "zip",
  "text/plain": "txt",
  "application/octet-stream": "bin",
} as const;

export type AttachmentType = keyof typeof ATTACHMENT_EXTENSIONS;
export const ATTACHMENT_TYPES = Object.keys(ATTACHMENT_EXTENSIONS) as [AttachmentType, ...AttachmentType[]];

export const AttachmentId = z.string().regex(/^[0-9a-f]{64}$/, "an attachment's id is 64 hexadecimal digits");
const AttachmentName = z.string().trim().min(1).max(ATTACHMENT_NAME_CHARS_MAX);

/** A stored file. */
export const Attachment = z.object({
  id: AttachmentId,
  type: z.enum(ATTACHMENT_TYPES),
  bytes: z.number().int().positive(),
});
export type Attachment = z.infer<typeof Attachment>;

/** A file of a message: a stored file, under the name that its sender gave it. */
export const AttachedFile = Attachment.extend({ name: AttachmentName.optional() });
export type AttachedFile = z.infer<typeof AttachedFile>;

export const AttachedFiles = z.array(AttachedFile).min(1).max(MESSAGE_ATTACHMENTS_MAX);

/** How a client names one: by its id alone, or with the name that the file has there. */
export const AttachmentOrder = z.union([
  AttachmentId.transform((id): { id: string; name?: string | undefined } => ({ id })),
  z.strictObject({ id: AttachmentId, name: AttachmentName.optional() }),
]);
export type AttachmentOrder = z.infer<typeof AttachmentOrder>;

export const AttachmentOrders = z.array(AttachmentOrder).max(MESSAGE_ATTACHMENTS_MAX);

/** May a file of this type be of any kind, which only its name says? */
export function isOfAnyKind(type: AttachmentType): boolean {
  return type === "text/plain" || type === "application/zip" || type === "application/octet-stream";
}

/** Is this a picture that a page can show? */
export function isImage(type: AttachmentType): boolean {
  return type.startsWith("image/");
}
