/** Detects the type of a file by its bytes alone: a declared type is only a claim of the sender (SPEC I8). */
import type { AttachmentType } from "@mimikit/protocol/base/attachment";
import { BEFORE_BYTES, decodeText, markedEncoding, SAMPLE_BYTES } from "../text/decode-text.ts";
import { NOT_TEXT } from "../text/guess-encoding.ts";

/** No signature reaches further. */
const HEAD_BYTES = 64;

/** Signatures with a place of their own; "?" is any byte. */
const SIGNATURES: readonly (readonly [AttachmentType, string])[] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
  ["image/webp", "RIFF????WEBP"],
  ["audio/wav", "RIFF????WAVE"],
  ["audio/mpeg", "ID3"],
  ["audio/ogg", "OggS"],
  ["audio/flac", "fLaC"],
  ["audio/mp4", "????ftypM4A "],
  ["audio/mp4", "????ftypM4B "],
  ["application/pdf", "%PDF-"],
  ["application/epub+zip", `PK\x03\x04${"?".repeat(26)}mimetypeapplication/epub+zip`],
];
const ZIP = "PK\x03\x04";
/** The header of a file in an archive, behind which its name stands. */
const ENTRY_BYTES = 30;
/** Of a name so much is looked at. */
const NAME_BYTES = 8;
/** By the directory that has the files of the format. */
const OFFICE_TYPES: Readonly<Record<string, AttachmentType>> = {
  "word/": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "xl/": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "ppt/": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
};

/** Looks at a file while it passes; `type` is known at its end. */
export class TypeSniffer {
  private head = Buffer.alloc(0);
  private readonly decoder = new TextDecoder("utf-8", { fatal: true });
  private isUtf8 = true;
  private hasControls = false;
  /** The bytes around the first one that is not ASCII: enough to guess an encoding from. */
  private sample = Buffer.alloc(0);
  /** Whether that one is still to come. */
  private isAscii = true;
  private office: AttachmentType | undefined;
  /** The end of the last piece: the name of a file in an archive may go over into the next one. */
  private rest = "";

  add(chunk: Uint8Array): void {
    if (this.head.length < HEAD_BYTES) this.head = Buffer.concat([this.head, chunk]).subarray(0, HEAD_BYTES);
    if (this.isUtf8) this.isUtf8 = this.readsAsUtf8(chunk);
    this.hasControls ||= NOT_TEXT.test(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString("latin1"));
    this.addToSample(chunk);
    if (this.office === undefined && this.startsWith(ZIP)) this.lookForOffice(chunk);
  }

  /** `application/octet-stream` for what nothing is known of. */
  get type(): AttachmentType {
    const head = this.head.toString("latin1");
    const found = SIGNATURES.find(([, signature]) => matches(head, signature));
    if (found !== undefined) return found[0];
    if (isMpegFrame(this.head)) return "audio/mpeg";
    if (this.startsWith(ZIP)) return this.office ?? "application/zip";
    return this.isText ? "text/plain" : "application/octet-stream";
  }

  private get isText(): boolean {
    const marked = markedEncoding(this.head);
    if (marked?.startsWith("utf-16")) return !NOT_TEXT.test(decodeText(this.sample)?.text ?? "");
    return !this.hasControls && ((this.isUtf8 && this.readsAsUtf8()) || decodeText(this.sample) !== null);
  }

  private addToSample(chunk: Uint8Array): void {
    if (this.sample.length >= SAMPLE_BYTES) return;
    const first = this.isAscii ? chunk.findIndex((byte) => byte > 0x7f) : 0;
    const before = first < 0 ? chunk : chunk.subarray(0, this.isAscii ? first : 0);
    if (before.length > 0) this.sample = Buffer.concat([this.sample, before]).subarray(-BEFORE_BYTES);
    if (first < 0) return;
    this.isAscii = false;
    this.sample = Buffer.concat([this.sample, chunk.subarray(first)]).subarray(0, SAMPLE_BYTES);
  }

  private startsWith(signature: string): boolean {
    return matches(this.head.toString("latin1"), signature);
  }

  private lookForOffice(chunk: Uint8Array): void {
    const text = this.rest + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
    for (let at = text.indexOf(ZIP); at !== -1; at = text.indexOf(ZIP, at + 1))
      this.office ??= officeTypeOf(text.slice(at + ENTRY_BYTES, at + ENTRY_BYTES + NAME_BYTES));
    this.rest = text.slice(-(ENTRY_BYTES + NAME_BYTES));
  }

  /** @param chunk the end of the file when not given. */
  private readsAsUtf8(chunk?: Uint8Array): boolean {
    try {
      this.decoder.decode(chunk, { stream: chunk !== undefined });
      return true;
    } catch (error) {
      if (error instanceof TypeError) return false;
      throw error;
    }
  }
}

function officeTypeOf(name: string): AttachmentType | undefined {
  return Object.entries(OFFICE_TYPES).find(([directory]) => name.startsWith(directory))?.[1];
}

function matches(head: string, signature: string): boolean {
  return head.length >= signature.length && [...signature].every((char, i) => char === "?" || char === head[i]);
}

/** An MP3 without a tag begins with a frame of layer III: eleven bits of sync, and no reserved rate. */
function isMpegFrame(head: Buffer): boolean {
  const [sync = 0, version = 0, rates = 0] = head;
  return (
    sync === 0xff &&
    (version & 0xe6) === 0xe2 &&
    (version & 0x18) !== 0x08 &&
    (rates & 0xf0) !== 0xf0 &&
    (rates & 0x0c) !== 0x0c
  );
}
