/** Detects the type of a file by its bytes alone: a declared type is only a claim of the sender (SPEC I8). */
import type { AttachmentType } from "@mimikit/protocol/base/attachment";

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

/** Characters that no text has: control characters but tab, line feed, form feed and carriage return. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const NOT_TEXT = /[\x00-\x08\x0b\x0e-\x1f\x7f]/;

/** Looks at a file while it passes; `type` is known at its end. */
export class TypeSniffer {
  private head = Buffer.alloc(0);
  private readonly decoder = new TextDecoder("utf-8", { fatal: true });
  private isText = true;
  private office: AttachmentType | undefined;
  /** The end of the last piece: the name of a file in an archive may go over into the next one. */
  private rest = "";

  add(chunk: Uint8Array): void {
    if (this.head.length < HEAD_BYTES) this.head = Buffer.concat([this.head, chunk]).subarray(0, HEAD_BYTES);
    if (this.isText) this.isText = this.readsAsText(chunk);
    if (this.office === undefined && this.startsWith(ZIP)) this.lookForOffice(chunk);
  }

  /** `application/octet-stream` for what nothing is known of. */
  get type(): AttachmentType {
    const head = this.head.toString("latin1");
    const found = SIGNATURES.find(([, signature]) => matches(head, signature));
    if (found !== undefined) return found[0];
    if (isMpegFrame(this.head)) return "audio/mpeg";
    if (this.startsWith(ZIP)) return this.office ?? "application/zip";
    return this.isText && this.readsAsText() ? "text/plain" : "application/octet-stream";
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
  private readsAsText(chunk?: Uint8Array): boolean {
    try {
      return !NOT_TEXT.test(chunk === undefined ? this.decoder.decode() : this.decoder.decode(chunk, { stream: true }));
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
