/**
 * The pictures of an answer: checked by their bytes, and put into the folder of the run, where a Worker can read them and from where a model
 * with vision is shown them. The answer says where each is, or why it is not there.
 */
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ATTACHMENT_EXTENSIONS, isImage } from "@mimikit/protocol/base/attachment";
import { TypeSniffer } from "@mimikit/store/attachments/sniff-type";
import { IMAGE_BYTES_MAX, IMAGES_MAX } from "../prompt/media.ts";
import type { Picture } from "../tools/tool-text.ts";
import type { ContentPart } from "./answer-text.ts";

const DIGITS = 16;

/** @returns the parts with a line of text in the place of each picture. */
export async function keepPictures(
  content: readonly ContentPart[],
  runDir: string,
): Promise<{ content: ContentPart[]; pictures: Picture[] }> {
  const pictures: Picture[] = [];
  const parts: ContentPart[] = [];
  for (const part of content) {
    const data = dataOf(part);
    if (data === null) parts.push(part);
    else parts.push({ type: "text", text: await keep(data, runDir, pictures) });
  }
  return { content: parts, pictures };
}

/** The base64 of a part that is meant to be a picture; null for any other. */
function dataOf({ type, data, mimeType, resource }: ContentPart): string | null {
  if (type === "image") return typeof data === "string" ? data : null;
  if (type !== "resource" || typeof resource !== "object" || resource === null) return null;
  const { blob, mimeType: kind = mimeType } = resource as { blob?: unknown; mimeType?: unknown };
  return typeof blob === "string" && typeof kind === "string" && kind.startsWith("image/") ? blob : null;
}

async function keep(data: string, runDir: string, pictures: Picture[]): Promise<string> {
  const size = Math.floor((data.length * 3) / 4);
  if (pictures.length >= IMAGES_MAX) return `[a further picture is left out: ${IMAGES_MAX} of an answer are kept]`;
  if (size > IMAGE_BYTES_MAX) return `[a picture of ${size} bytes is left out: at most ${IMAGE_BYTES_MAX} are kept]`;
  const bytes = Buffer.from(data, "base64");
  const sniffer = new TypeSniffer();
  sniffer.add(bytes);
  const { type } = sniffer;
  if (!isImage(type)) return `[${bytes.length} bytes are said to be a picture, and are none]`;
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, DIGITS);
  const path = join(runDir, `picture-${digest}.${ATTACHMENT_EXTENSIONS[type]}`);
  try {
    await writeFile(path, bytes, { mode: 0o600 });
  } catch (error) {
    // The tool has run: its answer counts without the picture.
    return `[a picture could not be kept: ${error instanceof Error ? error.message : String(error)}]`;
  }
  pictures.push({ path, type });
  return `[picture ${pictures.length}: ${type}, ${bytes.length} bytes, in the file ${path}]`;
}
