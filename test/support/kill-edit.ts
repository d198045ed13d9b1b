/**
 * Loaded into real processes (`node --import`): in the first edit of memory.md somebody saves a line of their own between the last look
 * at the file and its replacement, and the process is killed when that is done. A file beside the state directory says that it was.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, dirname } from "node:path";

const { linkSync, renameSync, readFileSync, writeFileSync, existsSync } = fs;
let isSaved = false;

fs.linkSync = (from, to) => {
  const path = String(from);
  const told = `${dirname(path)}.saved`;
  if (basename(path) === "memory.md" && !existsSync(told)) {
    writeFileSync(`${path}.swp`, `${readFileSync(path, "utf8")}- theirs\n`);
    renameSync(`${path}.swp`, path);
    writeFileSync(told, "");
    isSaved = true;
  }
  linkSync(from, to);
};

fs.renameSync = (from, to) => {
  renameSync(from, to);
  if (isSaved && basename(String(to)) === "memory.md") process.kill(process.pid, "SIGKILL");
};

syncBuiltinESMExports();
