/**
 * The text of the files that a run is about: of a text its beginning, of a document what it says. A document comes from anywhere, so its
 * text is taken out by a process of its own (extract-text.ts), in the sandbox of Workers, without network, that reads nothing but the
 * document; where there is no sandbox, Node's own permissions keep it from the disk. The text, or the reason why there is none, is a file
 * beside the document for a day (docs/attachments.md). A run waits for a slow document once and not for long.
 */
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { fileOfPackage, programOf, ROOT } from "@mimikit/runtime/home/programs";
import { MARK_VARIABLE, markOf, POOL_MARK } from "@mimikit/runtime/process/marked-processes";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { replaceView } from "@mimikit/store/disk/record";
import { longTextPath, unreadTextPath } from "@mimikit/store/disk/state";
import { decodeText, readAs } from "@mimikit/store/text/decode-text";
import { execa } from "execa";
import type { AttachmentEvidence } from "../prompt/evidence.ts";
import type { SandboxMode } from "../provider.ts";
import { type CommandLine, SandboxMissing, sandboxed } from "../shell/sandbox.ts";
import { type DocumentKind, kindOf } from "./kinds.ts";
import { TEXT_CHARS_MAX, UNREADABLE_EXIT_CODE } from "./limits.ts";

/** A character of UTF-8 has at most so many bytes. */
const CHAR_BYTES_MAX = 4;
const EXTRACT_MS_MAX = 30_000;
/** The heap of its JavaScript, in MB. */
const HEAP_MB_MAX = 512;
const REASON_CHARS_MAX = 200;
/** Documents that are read at once, by all runs: each may take a processor, and memory for the whole document. */
const READ_AT_ONCE_MAX = 2;
/** All runs together wait for a document this long, from when the first of them asked for its text. */
const WAITED_MS_MAX = 10_000;
const STILL_READ = "its text is still being read: it is there in a later turn, or the reason why not";

export interface DocumentAccess {
  home: string;
  workDir: string;
  fs: FileSystem;
  sandbox: SandboxMode;
}

type Extracted = Pick<AttachmentEvidence, "text" | "readAs" | "unread">;

/** The documents that are being read, by home and id, for all runs that want their text. */
const readings = new Map<string, { beganMs: number; extracted: Promise<Extracted> }>();
const waiting: (() => void)[] = [];
let reading = 0;
let started = 0;

/** The same evidence, in which texts and documents have their text, or say why not. Throws what the disk throws. */
export async function readTexts(
  evidence: readonly AttachmentEvidence[],
  place: DocumentAccess,
  stop: AbortSignal,
): Promise<AttachmentEvidence[]> {
  return Promise.all(evidence.map(async (each) => ({ ...each, ...(await textOf(each, place, stop)) })));
}

async function textOf(
  { file: { id, type, name = "" }, path }: AttachmentEvidence,
  place: DocumentAccess,
  stop: AbortSignal,
): Promise<Extracted> {
  if (path === null) return {};
  const beginning = type === "text/plain" ? await readBeginning(path) : {};
  const kind = kindOf(type, name, beginning.text ?? "");
  if (kind === null) return beginning;
  const text = await place.fs.readText(longTextPath(id), TEXT_CHARS_MAX * CHAR_BYTES_MAX);
  if (text !== null) return { text };
  const unread = await place.fs.readText(unreadTextPath(id), REASON_CHARS_MAX * CHAR_BYTES_MAX);
  if (unread !== null) return { unread };
  const { beganMs, extracted } = readingOf(id, kind, path, place);
  const over = new AbortController();
  const leftMs = Math.max(0, beganMs + WAITED_MS_MAX - performance.now());
  try {
    const late = wait(leftMs, { unread: STILL_READ }, { signal: AbortSignal.any([stop, over.signal]) });
    return await Promise.race([extracted, late]);
  } finally {
    over.abort();
  }
}

/** Begins to read the document, unless it is being read already. It is read to its end, whatever becomes of the run. */
function readingOf(id: string, kind: DocumentKind, path: string, place: DocumentAccess) {
  const key = `${place.home} ${id}`;
  const known = readings.get(key);
  if (known !== undefined) return known;
  const begun = { beganMs: performance.now(), extracted: readAndKeep(id, kind, path, place) };
  readings.set(key, begun);
  // The runs that wait for it hear of its failure.
  begun.extracted.catch(() => undefined).finally(() => readings.delete(key));
  return begun;
}

async function readAndKeep(id: string, kind: DocumentKind, path: string, place: DocumentAccess): Promise<Extracted> {
  if (reading >= READ_AT_ONCE_MAX) await new Promise<void>((resolve) => waiting.push(resolve));
  else reading++;
  try {
    const { isKept, ...extracted } = await extract(kind, path, place);
    if (extracted.text !== undefined) await replaceView(place.fs, longTextPath(id), extracted.text);
    else if (isKept && extracted.unread !== undefined)
      await replaceView(place.fs, unreadTextPath(id), extracted.unread);
    return extracted;
  } finally {
    const next = waiting.shift();
    if (next === undefined) reading--;
    else next();
  }
}

/** The first TEXT_CHARS_MAX characters of a text, without the colours of a terminal. */
async function readBeginning(path: string): Promise<Extracted> {
  const file = await open(path);
  try {
    const bytes = Buffer.alloc(TEXT_CHARS_MAX * CHAR_BYTES_MAX);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    const isBeginning = (await file.stat()).size > bytesRead;
    const decoded = decodeText(bytes.subarray(0, bytesRead), { isBeginning });
    if (decoded === null) return { unread: "its encoding is not known" };
    const encoding = readAs(decoded);
    const text = stripVTControlCharacters(beginningOf(decoded.text, TEXT_CHARS_MAX));
    return { text, ...(encoding !== null && { readAs: encoding }) };
  } finally {
    await file.close();
  }
}

/** The program and its libraries, wherever npm has put them. A state directory may be beside them in ROOT, and is not among them. */
function readable(): string[] {
  const own = ["package.json", "ecosystem.config.cjs", "dist/*", "packages/*", "node_modules/*"].map((each) =>
    join(ROOT, each),
  );
  return [...own, join(dirname(fileOfPackage("unpdf")), "../*")];
}

async function extract(
  kind: DocumentKind,
  path: string,
  { home, workDir, sandbox }: DocumentAccess,
): Promise<Extracted & { isKept: boolean }> {
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
      env: { [MARK_VARIABLE]: markOf(home, `${POOL_MARK}-${process.pid}-text${++started}`, 1) },
      extendEnv: false,
      reject: false,
      stripFinalNewline: false,
      timeout: EXTRACT_MS_MAX,
      forceKillAfterDelay: 500,
      maxBuffer: TEXT_CHARS_MAX * CHAR_BYTES_MAX + 1_024,
    });
    if (ended.exitCode === 0) return { text: ended.stdout, isKept: true };
    if (ended.timedOut)
      return { unread: `its text could not be read within ${EXTRACT_MS_MAX / 1_000} s`, isKept: true };
    const reason = ended.exitCode === UNREADABLE_EXIT_CODE ? beginningOf(ended.stderr.trim(), REASON_CHARS_MAX) : "";
    // One that could not even be started is no fault of the document.
    const isKept = ended.exitCode !== undefined || ended.signal !== undefined;
    return { unread: reason === "" ? "its text could not be read" : reason, isKept };
  } catch (error) {
    if (!(error instanceof SandboxMissing)) throw error;
    return { unread: "its text is read in a sandbox, and there is none", isKept: false };
  }
}
