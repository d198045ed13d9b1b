/**
 * The text of the files that a run is about: of a text its beginning, of a document what it says. A document comes from anywhere, so its
 * text is taken out by a process of its own (extract-text.ts), in the sandbox of Workers, without network, that reads nothing but the
 * document; where there is no sandbox, Node's own permissions keep it from the disk. The text is a file beside the document, which is made
 * again wherever it is missing (docs/attachments.md).
 */
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileOfPackage, programOf, ROOT } from "@mimikit/runtime/home/programs";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { replaceView } from "@mimikit/store/disk/record";
import { longTextPath } from "@mimikit/store/disk/state";
import { execa } from "execa";
import type { AttachmentEvidence } from "../prompt/evidence.ts";
import type { SandboxMode } from "../provider.ts";
import { type CommandLine, SandboxMissing, sandboxed } from "../shell/sandbox.ts";
import { type DocumentKind, kindOf } from "./kinds.ts";
import { TEXT_CHARS_MAX } from "./limits.ts";

/** A character of UTF-8 has at most so many bytes. */
const CHAR_BYTES_MAX = 4;
const EXTRACT_MS_MAX = 30_000;
/** The heap of its JavaScript, in MB. */
const HEAP_MB_MAX = 512;
const REASON_CHARS_MAX = 200;

export interface DocumentAccess {
  home: string;
  workDir: string;
  fs: FileSystem;
  sandbox: SandboxMode;
  /** The mark of the run, by which what is left of it is found. */
  environment: Readonly<Record<string, string>>;
}

/** The same evidence, in which texts and documents have their text, or say why not. Throws what the disk throws. */
export async function readTexts(
  evidence: readonly AttachmentEvidence[],
  place: DocumentAccess,
  stop: AbortSignal,
): Promise<AttachmentEvidence[]> {
  const read: AttachmentEvidence[] = [];
  // One after the other: each may take a processor, and memory for the whole document.
  for (const each of evidence) read.push({ ...each, ...(await textOf(each, place, stop)) });
  return read;
}

async function textOf(
  { file: { id, type, name = "" }, path }: AttachmentEvidence,
  place: DocumentAccess,
  stop: AbortSignal,
): Promise<Pick<AttachmentEvidence, "text" | "unread">> {
  if (path === null) return {};
  const beginning = type === "text/plain" ? await readBeginning(path) : "";
  const kind = kindOf(type, name, beginning);
  if (kind === null) return type === "text/plain" ? { text: beginning } : {};
  const kept = longTextPath(id);
  const known = await place.fs.readText(kept, TEXT_CHARS_MAX * CHAR_BYTES_MAX);
  if (known !== null) return { text: known };
  const extracted = await extract(kind, path, place, stop);
  if (extracted.text !== undefined) await replaceView(place.fs, kept, extracted.text);
  return extracted;
}

/** The first TEXT_CHARS_MAX characters of a text in UTF-8. */
async function readBeginning(path: string): Promise<string> {
  const file = await open(path);
  try {
    const bytes = Buffer.alloc(TEXT_CHARS_MAX * CHAR_BYTES_MAX);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytes.toString("utf8", 0, bytesRead).slice(0, TEXT_CHARS_MAX);
  } finally {
    await file.close();
  }
}

/** The program and its libraries, wherever npm has put them. A state directory may be beside them in ROOT, and is not among them. */
function readable(): string[] {
  const own = ["package.json", "dist/*", "packages/*", "node_modules/*"].map((each) => join(ROOT, each));
  return [...own, join(dirname(fileOfPackage("unpdf")), "../*")];
}

async function extract(
  kind: DocumentKind,
  path: string,
  { home, workDir, sandbox, environment }: DocumentAccess,
  stop: AbortSignal,
): Promise<Pick<AttachmentEvidence, "text" | "unread">> {
  const program: CommandLine = [
    process.execPath,
    ...[`--max-old-space-size=${HEAP_MB_MAX}`, "--no-warnings", "--permission"],
    ...readable().map((each) => `--allow-fs-read=${each}`),
    ...[programOf("extract-text"), kind],
  ];
  const bounds = { home, workDir, mode: sandbox, allow: [], isReadOnly: true, isOffline: true };
  try {
    const [file, ...args] = (await sandboxed(program, bounds)).commandLine;
    const ended = await execa(file, args, {
      inputFile: path,
      env: { ...environment },
      extendEnv: false,
      reject: false,
      stripFinalNewline: false,
      timeout: EXTRACT_MS_MAX,
      forceKillAfterDelay: 500,
      cancelSignal: stop,
      maxBuffer: TEXT_CHARS_MAX * CHAR_BYTES_MAX + 1_024,
    });
    if (ended.exitCode === 0) return { text: ended.stdout };
    if (ended.timedOut) return { unread: `its text could not be read within ${EXTRACT_MS_MAX / 1_000} s` };
    const reason = ended.exitCode === 1 ? ended.stderr.trim().slice(0, REASON_CHARS_MAX) : "";
    return { unread: reason === "" ? "its text could not be read" : reason };
  } catch (error) {
    if (!(error instanceof SandboxMissing)) throw error;
    return { unread: "its text is read in a sandbox, and there is none" };
  }
}
