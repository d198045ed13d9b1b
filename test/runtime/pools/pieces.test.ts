/** Files that come in pieces: they count when their hash does, and go on after a crash. */
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PIECE_BYTES } from "@mimikit/protocol/pools/messages";
import { addPiece, BadFile, missingPiece, readPiece } from "@mimikit/runtime/pools/pieces";
import { afterEach, expect, test } from "vitest";

const dir = mkdtempSync(join(tmpdir(), "mimikit-pieces-"));
afterEach(() => rmSync(dir, { recursive: true, force: true }));
const path = join(dir, "deep/file");
const bytes = randomBytes(2 * PIECE_BYTES + 5);
const file = { id: createHash("sha256").update(bytes).digest("hex"), bytes: bytes.length };
const piece = (number: number) => bytes.subarray(number * PIECE_BYTES, (number + 1) * PIECE_BYTES);

test("a file is there with its last piece, and can be read in the same pieces", async () => {
  for (const number of [0, 1, 2]) {
    expect(await missingPiece(path)).toBe(number);
    await addPiece(path, file, number, piece(number));
  }
  expect(await missingPiece(path)).toBe(null);
  expect(readFileSync(path)).toEqual(bytes);
  expect(await readPiece(path, 2)).toEqual(piece(2));
  expect(await readPiece(join(dir, "none"), 0)).toBe(null);
});

test("a file without bytes is one piece", async () => {
  const empty = { id: createHash("sha256").digest("hex"), bytes: 0 };
  await addPiece(path, empty, 0, Buffer.alloc(0));
  expect(await missingPiece(path)).toBe(null);
});

test("nothing is kept of bytes that are others, or of a piece of another length", async () => {
  for (const number of [0, 1]) await addPiece(path, file, number, piece(number));
  await expect(addPiece(path, file, 2, randomBytes(5))).rejects.toThrow(BadFile);
  expect(await missingPiece(path)).toBe(0);
  await expect(addPiece(path, file, 0, piece(2))).rejects.toThrow(BadFile);
  expect(existsSync(path)).toBe(false);
});
