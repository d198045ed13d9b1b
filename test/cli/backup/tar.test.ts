import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { pack } from "tar-stream";
import { expect, onTestFinished, test } from "vitest";
import { BadTar, readTar } from "../../../apps/cli/src/backup/tar.ts";
import { archiveOf } from "../archive-of.ts";

/** In pieces of an odd size, as a stream brings them. */
async function filesIn(archive: Buffer, pieceBytes = 700): Promise<Record<string, string>> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < archive.length; at += pieceBytes) pieces.push(archive.subarray(at, at + pieceBytes));
  const files: Record<string, string> = {};
  for await (const { path, chunks } of readTar(Readable.from(pieces))) files[path] = await text(chunks);
  return files;
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
  const archive = await archiveOf(FILES);
  for (const pieceBytes of [1, 511, 700, 100_000]) expect(await filesIn(archive, pieceBytes)).toEqual(FILES);
});

test("tar itself reads what is written", async () => {
  const dir = mkdtempSync(join(tmpdir(), "mimikit-tar-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "a.tar"), await archiveOf(FILES));
  execFileSync("tar", ["-xf", "a.tar"], { cwd: dir });
  for (const [path, content] of Object.entries(FILES)) expect(readFileSync(join(dir, path), "utf8")).toBe(content);
});

test.each(["../escape", "/etc/passwd", "a/../../b", "a//b", "./a", ".."])("the name %s is refused", async (path) => {
  await expect(filesIn(await archiveOf({ [path]: "x" }))).rejects.toThrow(BadTar);
});

test("a link, damaged bytes and an archive that ends in the middle are refused", async () => {
  const whole = await archiveOf({ a: "content" });
  const damaged = Buffer.from(whole);
  damaged.write("b", 0);
  await expect(filesIn(damaged)).rejects.toThrow("corrupted");
  await expect(filesIn(whole.subarray(0, 515))).rejects.toThrow();
  for (const type of ["symlink", "link", "character-device", "directory", "fifo"] as const) {
    const archive = pack();
    archive.entry({ name: "a", type, ...(type.endsWith("link") && { linkname: "/etc/passwd" }) });
    archive.finalize();
    await expect(filesIn(await buffer(archive))).rejects.toThrow("no plain file");
  }
});
