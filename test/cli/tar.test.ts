import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Header } from "tar";
import { expect, onTestFinished, test } from "vitest";
import { BadTar, endOfArchive, fileHeader, padding, readTar } from "../../apps/cli/src/tar.ts";

function archiveOf(files: Record<string, string>): Buffer {
  const parts = Object.entries(files).flatMap(([path, content]) => {
    const bytes = Buffer.from(content);
    return [fileHeader(path, bytes.length, 0), bytes, padding(bytes.length)];
  });
  return Buffer.concat([...parts, endOfArchive()]);
}

/** In pieces of an odd size, as a stream brings them. */
async function filesIn(archive: Buffer, pieceBytes = 700): Promise<Record<string, string>> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < archive.length; at += pieceBytes) pieces.push(archive.subarray(at, at + pieceBytes));
  const files: Record<string, Buffer[]> = {};
  let bytes: Buffer[] = [];
  for await (const part of readTar(Readable.from(pieces))) {
    if (Buffer.isBuffer(part)) bytes.push(part);
    else files[part.path] = bytes = [];
  }
  return Object.fromEntries(Object.entries(files).map(([path, all]) => [path, Buffer.concat(all).toString()]));
}

const FILES = {
  "a.json": "{}\n",
  "empty/file": "",
  [`archive/${"t".repeat(128)}.json`]: "x".repeat(512),
  [`memory/${"记".repeat(60)}.md`]: "中文",
  [`runs/${"long ".repeat(20)}\n5 path=b\n.txt`]: "a name of two lines",
  "runs/a\\b": "a name with a backslash",
  "big.bin": "0123456789".repeat(2_000),
};

test("what is written is read again, whatever the names, the sizes and the pieces", async () => {
  for (const pieceBytes of [1, 511, 700, 100_000]) expect(await filesIn(archiveOf(FILES), pieceBytes)).toEqual(FILES);
});

test("tar itself reads what is written", () => {
  const dir = mkdtempSync(join(tmpdir(), "mimikit-tar-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "a.tar"), archiveOf(FILES));
  execFileSync("tar", ["-xf", "a.tar"], { cwd: dir });
  for (const [path, content] of Object.entries(FILES)) expect(readFileSync(join(dir, path), "utf8")).toBe(content);
});

test.each(["../escape", "/etc/passwd", "a/../../b", "a//b", "./a", ".."])("the name %s is refused", async (path) => {
  await expect(filesIn(archiveOf({ [path]: "x" }))).rejects.toThrow(BadTar);
});

test("a link, damaged bytes and an archive that ends in the middle are refused", async () => {
  const whole = archiveOf({ a: "content" });
  const damaged = Buffer.from(whole);
  damaged.write("b", 0);
  await expect(filesIn(damaged)).rejects.toThrow("damaged");
  for (const type of ["SymbolicLink", "Link", "CharacterDevice", "Directory", "FIFO"] as const) {
    const block = Buffer.alloc(512);
    const isLink = type.endsWith("Link");
    new Header({ path: "link", type, size: 0, ...(isLink && { linkpath: "/etc/passwd" }) }).encode(block);
    await expect(filesIn(Buffer.concat([block, endOfArchive()]))).rejects.toThrow("no plain file");
  }
  await expect(filesIn(whole.subarray(0, 515))).rejects.toThrow("ends in the middle");
  await expect(filesIn(whole.subarray(0, 1_024))).rejects.toThrow("ends in the middle");
});
