/**
 * What an update that was cut off has left is put in order: taken back where the new version had not started yet, else finished.
 * Plain JavaScript for any Node, without packages: they may be the very thing that is missing. Killed at any instant, it is
 * simply called again.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { putBack } from "./exchange.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
/** Who updates this installation, from what to what, and how far it is; there only while it does. */
const JOURNAL = join(ROOT, ".mimikit-update.json");
/** What the update starts carries the process id of the update. */
const MARK = "MIMIKIT_UPDATER";

/**
 * @returns null where no update was cut off; "busy" where one is under way, which must be left alone; else what was done, a line
 * for people.
 */
export function settleUpdate() {
  const journal = readJournal();
  if (journal?.owner === undefined) return null;
  const { owner, phase, from, had, beside } = journal;
  if (isAlive(owner)) return "busy";
  endLeftovers(owner.pid);
  const isClone = had === undefined;
  if (phase === "switch" && isClone) {
    putModulesBack(beside);
    putCodeBack(from);
  } else if (phase === "switch") putBack(ROOT, join(beside, "old"), had, join(beside, "new"));
  rmSync(beside, { recursive: true, force: true });
  if (isClone) git("worktree", "prune");
  if (phase !== "switch") {
    rmSync(JOURNAL);
    return phase === "done"
      ? "an update was done, and is tidied up"
      : "an update was cut off before it changed anything";
  }
  // What runs may be of the version that is gone: `up` starts it anew, and removes the file then.
  writeFileSync(`${JOURNAL}.new`, '{"phase":"taken back"}\n');
  renameSync(`${JOURNAL}.new`, JOURNAL);
  return "an update was cut off, and is taken back";
}

/** Was this process started by the update that is under way? */
export function isOfUpdate() {
  return process.env[MARK] === String(readJournal()?.owner?.pid);
}

/** The old packages are beside from the moment in which they go until the new version has started. */
function putModulesBack(beside) {
  const old = join(beside, "node_modules.old");
  if (!existsSync(old)) return;
  const modules = join(ROOT, "node_modules");
  rmSync(join(beside, "node_modules.new"), { recursive: true, force: true });
  if (existsSync(modules)) renameSync(modules, join(beside, "node_modules.new"));
  renameSync(old, modules);
}

/** Nothing of the user's is lost: an update begins only where no file of the clone is changed. */
function putCodeBack(from) {
  rmSync(join(git("rev-parse", "--absolute-git-dir"), "index.lock"), { force: true });
  git("reset", "--quiet", "--hard", from);
}

function git(...words) {
  const { status, stdout, stderr, error } = spawnSync("git", words, { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${words[0]}: ${error?.message ?? stderr.trim()}`);
  return stdout.trim();
}

function readJournal() {
  try {
    return JSON.parse(readFileSync(JOURNAL, "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
}

/** A pid alone is reused, so a process is its pid, its start time and its boot (docs/file-protocol.md R6). */
function isAlive({ pid, startTime, bootId }) {
  if (process.platform !== "linux") {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return error.code !== "ESRCH";
    }
  }
  if (readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim() !== bootId) return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] !== "Z" && fields[19] === startTime;
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ESRCH") return false;
    throw error;
  }
}

/** Ends what the update had started: it would go on changing what is put back here (Linux only). */
function endLeftovers(updater) {
  if (process.platform !== "linux") return;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)) {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`${MARK}=${updater}`)) continue;
      process.kill(Number(pid), "SIGKILL");
    } catch (error) {
      if (!["ENOENT", "EACCES", "EPERM", "ESRCH"].includes(error.code)) throw error;
    }
  }
}
