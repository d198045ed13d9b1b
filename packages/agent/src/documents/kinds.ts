/** The documents whose text can be read, by what they are. */
import type { AttachmentType } from "@mimikit/protocol/base/attachment";

export type DocumentKind = "pdf" | "docx" | "xlsx" | "pptx" | "epub" | "html";

const KINDS: Partial<Record<AttachmentType, DocumentKind>> = {
  "application/pdf": "pdf",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
  "application/epub+zip": "epub",
};

const HTML_NAME = /\.x?html?$/i;
const HTML_BEGINNING = /^\s*(<\?xml[^>]*>\s*)?<(!doctype\s+html|html)\b/i;

/** null for what is no document: pictures, recordings, plain text. @param beginning of the file, where it is a text. */
export function kindOf(type: AttachmentType, name: string, beginning: string): DocumentKind | null {
  if (type !== "text/plain") return KINDS[type] ?? null;
  return HTML_NAME.test(name) || HTML_BEGINNING.test(beginning) ? "html" : null;
}
