/**
 * A Worker's changes in a worktree, as a commit that no branch points at yet. It is found out with the worktree's own
 * index and without looking into other repositories that may lie in it: what they say would be orders to git.
 */

import { lstat, open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CHANGED_FILES_MAX, type CommittedChange, DIFF_CHARS_MAX } from "@mimikit/protocol/records/improvement";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { hasCode } from "@mimikit/store/disk/error-code";
import { type Git, Unimprovable } from "./git.ts";
import type { Repository } from "./repository.ts";
import type { Worktree } from "./worktree.ts";

/** Bytes of all changed files together: more is not read. */
export const CHANGE_BYTES_MAX = 20 * 1_048_576;
export const DIFF_FILE = "change.diff";
/** UTF-8 has at most so many bytes for a character of a string. */
const BYTES_PER_CHAR_MAX = 3;
const SUBMODULE_MODE = "160000";
const ACTIONS: Readonly<Record<string, string>> = { A: "created", M: "changed", D: "deleted", T: "changed" };

/**
 * @param message of the commit.
 * @param runDir gets the whole diff.
 * Throws `Unimprovable` where it is no change that can be judged: too large, or of other repositories.
 */
export async function commitChange(
  { git }: Repository,
  { path, gitDir, base }: Worktree,
  message: string,
  runDir: string,
): Promise<Omit<CommittedChange, "checks" | "said">> {
  const here = git.at({ gitDir, workTree: path });
  const none = { base, commit: null, files: [], diff: "" };
  const paths = await changedPaths(here);
  if (paths.length === 0) return none;
  await assertBounded(path, paths);
  const input = paths.map((each) => `${each}\0`).join("");
  await here.text(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], { input });
  const tree = await here.text(["write-tree"]);
  if (tree === (await here.text(["rev-parse", `${base}^{tree}`]))) return none;
  const files = await changedFiles(here, base, tree);
  const commit = await here.text(["commit-tree", tree, "-p", base, "-F", "-"], { input: message });
  const diffPath = join(runDir, DIFF_FILE);
  const options = ["-r", "-p", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames"];
  // It is private before there is anything in it: git's output has the umask of the user's files.
  await writeFile(diffPath, "", { mode: 0o600 });
  await here.text(["diff-tree", ...options, base, tree], { outputTo: diffPath });
  const { text, isWhole } = await readBeginning(diffPath);
  return { base, commit, files, diff: text, ...(!isWhole && { artifact: diffPath }) };
}

async function changedPaths(git: Git): Promise<string[]> {
  const listed = await git.text(["ls-files", "-z", "--others", "--modified", "--deleted", "--exclude-standard"]);
  const paths = [...new Set(listed.split("\0"))].filter((each) => each !== "");
  const nested = paths.find((each) => each.endsWith("/"));
  if (nested !== undefined) throw new Unimprovable(`the change holds a repository of its own: ${nested}`);
  return paths;
}

async function assertBounded(top: string, paths: readonly string[]): Promise<void> {
  if (paths.length > CHANGED_FILES_MAX)
    throw new Unimprovable(
      `the change is too large: ${paths.length} files, and at most ${CHANGED_FILES_MAX} are judged`,
    );
  let bytes = 0;
  for (const path of paths) {
    try {
      bytes += (await lstat(join(top, path))).size;
    } catch (error) {
      // It was deleted, or is below what is no directory any more.
      if (!hasCode(error, "ENOENT", "ENOTDIR")) throw error;
    }
  }
  if (bytes > CHANGE_BYTES_MAX)
    throw new Unimprovable(`the change is too large: ${bytes} bytes, and at most ${CHANGE_BYTES_MAX} are judged`);
}

async function changedFiles(git: Git, base: string, tree: string): Promise<CommittedChange["files"]> {
  const raw = (await git.text(["diff-tree", "-r", "-z", "--raw", "--no-renames", base, tree])).split("\0");
  const files: CommittedChange["files"] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const [oldMode = "", newMode = "", , , status = ""] = (raw[i] ?? "").replace(/^:/, "").split(" ");
    const path = raw[i + 1] ?? "";
    if (oldMode === SUBMODULE_MODE || newMode === SUBMODULE_MODE)
      throw new Unimprovable(`the change moves a submodule: ${path}`);
    files.push({ path, action: ACTIONS[status] ?? status });
  }
  return files;
}

async function readBeginning(path: string): Promise<{ text: string; isWhole: boolean }> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(size, DIFF_CHARS_MAX * BYTES_PER_CHAR_MAX));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    const text = buffer.toString("utf8", 0, bytesRead);
    return { text: beginningOf(text, DIFF_CHARS_MAX), isWhole: bytesRead === size && text.length <= DIFF_CHARS_MAX };
  } finally {
    await file.close();
  }
}
