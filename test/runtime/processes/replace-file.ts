/**
 * A process that replaces the file in argv[2] by `argv[3]` lines, where argv[4] is `edit` as a private file is edited. It says which system calls were made, `sync` with the number of the
 * file that was synced, and how it ended.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, dirname } from "node:path";

const [, , path = "", lines = "", how] = process.argv;
const text = "line\n".repeat(Number(lines));
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
const { editPrivateFile } = await import("@mimikit/runtime/home/private-file");
try {
  if (how === "edit") await editPrivateFile(dirname(path), basename(path), () => text);
  else replaceFile(path, text);
  process.stdout.write("replaced\n");
} catch (error) {
  process.stdout.write(`${error instanceof Error && "code" in error ? error.code : error}\n`);
}
