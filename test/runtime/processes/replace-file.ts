/**
 * A process that replaces the file in argv[2] by `argv[3]` lines. It says which system calls were made, `sync` with the number of the
 * file that was synced, and how it ended.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const [, , path = "", lines = ""] = process.argv;
const { fsyncSync, fstatSync, renameSync } = fs;
fs.fsyncSync = (file) => {
  fsyncSync(file);
  process.stdout.write(`sync ${fstatSync(file).ino}\n`);
};
fs.renameSync = (from, to) => {
  renameSync(from, to);
  process.stdout.write("rename\n");
};
syncBuiltinESMExports();
const { replaceFile } = await import("@mimikit/runtime/home/replace-file");
try {
  replaceFile(path, "line\n".repeat(Number(lines)));
  process.stdout.write("replaced\n");
} catch (error) {
  process.stdout.write(`${error instanceof Error && "code" in error ? error.code : error}\n`);
}
