/**
 * The installed packages of the workspace, within reach of a worktree and no part of it: a `node_modules` of links. Packages of the
 * workspace itself, which are links already, lead to what is in the worktree, or its checks would test the user's code.
 */
import { lstat, mkdir, readdir, readlink, rm, symlink } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";

const MODULES = "node_modules";

/**
 * Makes the links in `to`, where `from` has packages and `to` has none. Throws what the disk throws.
 * @returns removes them, and whatever was put beside them.
 */
export async function linkModules(from: string, to: string): Promise<() => Promise<void>> {
  const [source, target] = [join(from, MODULES), join(to, MODULES)];
  if (!(await isDirectory(source)) || (await isThere(target))) return async () => {};
  await linkEntries(source, target);
  return () => rm(target, { recursive: true, force: true });
}

async function linkEntries(source: string, target: string): Promise<void> {
  await mkdir(target);
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const [path, link] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory() && entry.name.startsWith("@")) await linkEntries(path, link);
    else await symlink(entry.isSymbolicLink() ? await withinTree(path) : path, link);
  }
}

/** A relative link leads to the same place of whatever tree it is in. */
async function withinTree(path: string): Promise<string> {
  const to = await readlink(path);
  return isAbsolute(to) ? path : to;
}

async function isDirectory(path: string): Promise<boolean> {
  return (await infoOf(path))?.isDirectory() === true;
}

async function isThere(path: string): Promise<boolean> {
  return (await infoOf(path)) !== null;
}

async function infoOf(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}
