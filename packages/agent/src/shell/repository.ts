/** The parts of the workspace's git repository that run programs of their choice outside the sandbox, the next time somebody calls git. */
import { lstat, mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Walls } from "@mimikit/runtime/platform/platform";
import { holdDirectory } from "@mimikit/runtime/workspace/held-directory";
import { hasCode } from "@mimikit/store/disk/error-code";

type Places = Walls["repository"];

/** Repositories of submodules that are kept apart; with more of them, none can be changed. */
const MODULES_MAX = 64;
const MODULE_DEPTH_MAX = 4;
/** Settings, programs, attributes and excludes; and what tells git to read other ones. Made where they are missing. */
const FIXED = { config: "file", hooks: "directory", info: "directory" } as const;
/** These are fixed only if they are there: git uses `config.worktree` if the config says so, and linked worktrees are the owner's. */
const FIXED_IF_THERE = ["config.worktree", "worktrees"];
/** Names other settings and hooks than the repository's own. Git makes it in `worktrees/` only, so here it is removed. */
const ELSEWHERE = "commondir";
const NAMES_WORKTREE_CONFIG = /worktreeconfig/i;

/**
 * A model's command commits, but changes no setting and no hook, and puts no other repository in the place of this one. A repository
 * whose parts are not as git makes them cannot be changed at all. Called again after a command, it removes the one thing that no mount
 * keeps out. Throws what the disk throws.
 * @param work a real path.
 */
export async function repositoryPlaces(work: string): Promise<Places> {
  const path = join(work, ".git");
  const kind = await kindOf(path);
  // A link cannot be a mount: it is only followed by git, and what it leads to is outside.
  if (kind === null || kind === "link") return [];
  return kind === "directory" ? placesOf(path, 0) : [{ path, isWritable: false }];
}

async function placesOf(gitDir: string, depth: number): Promise<Places> {
  const closed = [{ path: gitDir, isWritable: false }];
  const held = await holdDirectory(gitDir);
  try {
    for (const [name, kind] of Object.entries(FIXED)) {
      const path = held.entry(name);
      if ((await kindOf(path)) === null) await (kind === "file" ? makeFile(path) : mkdir(path));
      if ((await kindOf(path)) !== kind) return closed;
    }
    await rm(held.entry(ELSEWHERE), { recursive: true, force: true });
    const config = await readFile(held.entry("config"), "utf8");
    if (NAMES_WORKTREE_CONFIG.test(config)) await makeFile(held.entry("config.worktree"));
  } catch (error) {
    if (hasCode(error, "EROFS", "EACCES", "EPERM", "ELOOP")) return closed;
    throw error;
  } finally {
    await held.close();
  }
  const names = [...Object.keys(FIXED), ...FIXED_IF_THERE];
  const fixed = names.map((name) => join(gitDir, name));
  const kinds = await Promise.all(fixed.map(kindOf));
  if (kinds.includes("link")) return closed;
  const modules = await modulesIn(join(gitDir, "modules"), depth);
  return [
    { path: gitDir, isWritable: true },
    ...names
      .filter((_, at) => kinds[at] !== null)
      .map((name) => ({ path: join(gitDir, name), isWritable: false, isOptional: FIXED_IF_THERE.includes(name) })),
    ...modules,
  ];
}

/** The repositories of submodules, whose names may have slashes. */
async function modulesIn(dir: string, depth: number): Promise<Places> {
  const kind = await kindOf(dir);
  if (kind === null) return [];
  const closed = [{ path: dir, isWritable: false }];
  if (kind !== "directory" || depth > MODULE_DEPTH_MAX) return closed;
  const found: Places[number][] = [{ path: dir, isWritable: true }];
  for (const { name } of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, name);
    const isRepository = (await kindOf(join(path, "HEAD"))) !== null;
    found.push(...(isRepository ? await placesOf(path, depth + 1) : await modulesIn(path, depth + 1)));
    if (found.length > MODULES_MAX * (1 + Object.keys(FIXED).length)) return closed;
  }
  return found;
}

async function makeFile(path: string): Promise<void> {
  try {
    await (await open(path, "ax")).close();
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}

async function kindOf(path: string): Promise<"file" | "directory" | "link" | "other" | null> {
  try {
    const info = await lstat(path);
    if (info.isSymbolicLink()) return "link";
    if (info.isDirectory()) return "directory";
    return info.isFile() ? "file" : "other";
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}
