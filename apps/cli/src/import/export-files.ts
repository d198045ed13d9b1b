/** The files of an export, however it lies there: a zip, a folder, or one file of it. */
import type { Dirent } from "node:fs";
import { lstat, readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { openZip } from "./zip.ts";

/** A text of an export is read as a whole; Node holds no longer strings than twice that. */
export const TEXT_BYTES_MAX = 256 * 1_048_576;
/** Of all texts of one export together. */
export const EXPORT_BYTES_MAX = 1_024 * 1_048_576;
const FILES_MAX = 100_000;
const DEPTH_MAX = 12;
/** Folders that no export has, and that may be large. */
const SKIPPED = new Set(["node_modules", ".git"]);

export interface ExportFiles {
  /** With `/` between folders. */
  names: readonly string[];
  /** @throws Failure where it is too long, damaged or no text. */
  read(name: string): Promise<string>;
  close(): Promise<void>;
}

/** @throws Failure where there is nothing, or nothing that can be read. */
export async function openExport(path: string): Promise<ExportFiles> {
  const { names, bytesOf, close } = await openRaw(path);
  let bytes = 0;
  return {
    names,
    async read(name) {
      const content = await bytesOf(name);
      bytes += content.length;
      if (bytes > EXPORT_BYTES_MAX)
        throw new Failure(
          "failed",
          t("{path} has more than {max} bytes of text: name its files one by one", { path, max: EXPORT_BYTES_MAX }),
        );
      return decoded(content, name);
    },
    close,
  };
}

interface Raw {
  names: readonly string[];
  bytesOf(name: string): Promise<Buffer>;
  close(): Promise<void>;
}

async function openRaw(path: string): Promise<Raw> {
  const info = await lstat(path).catch(() => null);
  if (info === null) throw new Failure("failed", t("there is no file {path}", { path }));
  const close = async () => undefined;
  if (info.isDirectory())
    return { names: await namesIn(path), bytesOf: (name) => readBytes(join(path, name), name), close };
  if (!info.isFile()) throw new Failure("failed", t("{path} is neither a file nor a folder", { path }));
  const name = basename(path);
  if (!/\.zip$/i.test(name)) return { names: [name], bytesOf: () => readBytes(path, name), close };
  const zip = await openZip(path);
  return { names: zip.names, bytesOf: (each) => zip.read(each, TEXT_BYTES_MAX), close: () => zip.close() };
}

/** Regular files only, and through no link. */
async function namesIn(root: string): Promise<string[]> {
  const names: string[] = [];
  const look = async (below: string, depth: number): Promise<void> => {
    const entries: Dirent[] = await readdir(join(root, below), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && depth < DEPTH_MAX && !SKIPPED.has(entry.name)) await look(name, depth + 1);
      else if (entry.isFile()) names.push(name);
      if (names.length > FILES_MAX)
        throw new Failure(
          "usage",
          t("{root} has more than {max} files: name the export itself", { root, max: FILES_MAX }),
        );
    }
  };
  await look("", 1);
  return names;
}

async function readBytes(path: string, name: string): Promise<Buffer> {
  const { size } = await lstat(path);
  if (size > TEXT_BYTES_MAX)
    throw new Failure(
      "failed",
      t("{name} has {size} bytes, more than {max} that are read at once", { name, size, max: TEXT_BYTES_MAX }),
    );
  return readFile(path);
}

function decoded(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Failure("failed", t("{name} is no text in UTF-8", { name }));
  }
}

/** @throws Failure where it is no JSON, as one that was cut off. */
export async function readJson(files: ExportFiles, name: string): Promise<unknown> {
  const text = await files.read(name);
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure("failed", t("{name} is no whole JSON: download the export once more", { name }));
  }
}
