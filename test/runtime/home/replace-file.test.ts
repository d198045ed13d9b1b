/** A small file is replaced whole or not at all, and an edit of a private one durably. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../temporary-home.ts";

/** The lines of a process that replaces a file. @param limit a command of the shell that runs before. @param how `edit` for a private file. */
function replacedBy(path: string, lines: number, limit = ":", how = "replace"): string[] {
  const script = new URL("../processes/replace-file.ts", import.meta.url).pathname;
  const command = ["-c", `${limit}; exec "$0" "$@"`, process.execPath, script, path, String(lines), how];
  return spawnSync("bash", command, { encoding: "utf8" }).stdout.trim().split("\n");
}

function noted(): string {
  const path = join(temporaryDirectory(), "note.json");
  writeFileSync(path, "before\n");
  return path;
}

test("a write that the disk cuts short leaves the file as it was, and nothing beside it", () => {
  const path = noted();
  // The shell's limit on the size of a file makes the kernel cut a write short, as a full disk does.
  expect(replacedBy(path, 1_000, 'ulimit -f 1; trap "" XFSZ')).toEqual(["EFBIG"]);
  expect(readFileSync(path, "utf8")).toBe("before\n");
  expect(readdirSync(dirname(path))).toEqual(["note.json"]);
});

test("the text of an edit is durable before it gets its name, and the name when it is acknowledged", () => {
  const path = noted();
  chmodSync(path, 0o600);
  mkdirSync(join(dirname(path), "locks"));
  const said = replacedBy(path, 2, ":", "edit");
  const [file, directory] = [statSync(path).ino, statSync(dirname(path)).ino];
  expect(said).toEqual([`sync ${file}`, "rename", `sync ${directory}`, "replaced"]);
  expect(readFileSync(path, "utf8")).toBe("line\nline\n");
});
