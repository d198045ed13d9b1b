/** A repository of a user in the middle of his work, and a fingerprint of all that is his in it. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

/** Only the settings of the repository count. */
const ENVIRONMENT = {
  PATH: process.env.PATH ?? "",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "User",
  GIT_AUTHOR_EMAIL: "user@example.org",
  GIT_COMMITTER_NAME: "User",
  GIT_COMMITTER_EMAIL: "user@example.org",
};

/** git as the user runs it. Throws where it fails. */
export function git(dir: string, ...args: string[]): string {
  return execFileSync("git", args, {
    cwd: dir,
    env: ENVIRONMENT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}

/** A repository with one commit: a program, its test, and packages that are installed and ignored. */
export function makeRepository(dir: string): void {
  mkdirSync(join(dir, "node_modules/dep"), { recursive: true });
  mkdirSync(join(dir, "src"));
  git(dir, "init", "--quiet", "--initial-branch=main");
  writeFileSync(join(dir, ".gitignore"), "node_modules/\nbuild/\n.mimikit/\n");
  writeFileSync(join(dir, "README.md"), "# A projet\n");
  writeFileSync(join(dir, "src/add.js"), "exports.add = (a, b) => a + b;\n");
  writeFileSync(
    join(dir, "package.json"),
    '{"name": "project", "scripts": {"test": "cat node_modules/dep/said.txt && grep -q project README.md"}}\n',
  );
  writeFileSync(join(dir, "node_modules/dep/said.txt"), "a package says hello\n");
  git(dir, "add", "-A");
  git(dir, "commit", "--quiet", "-m", "first");
}

/** The clutter of people: staged, changed and new files, a stash, tags, packed refs, a hook that would tell. */
export function makeDirty(dir: string): void {
  writeFileSync(join(dir, "src/add.js"), "stashed\n");
  git(dir, "stash", "--quiet");
  git(dir, "tag", "v1");
  git(dir, "branch", "other");
  git(dir, "pack-refs", "--all");
  writeFileSync(join(dir, "src/staged.js"), "staged\n");
  git(dir, "add", "src/staged.js");
  writeFileSync(join(dir, "src/add.js"), "exports.add = null; // unfinished\n");
  writeFileSync(join(dir, "notes.txt"), "not in git\n");
  for (const hook of ["pre-commit", "post-checkout", "post-commit", "reference-transaction"])
    writeFileSync(join(dir, ".git/hooks", hook), `#!/bin/sh\ntouch "${join(dir, "hook-ran")}"\n`, { mode: 0o755 });
}

/** The files that may change: objects that nothing names yet, and those that are only ours. Git's own of it is empty when all is over. */
const OURS =
  /^\.git\/(objects|worktrees|refs\/heads\/self-improve|logs\/refs\/heads\/self-improve)(\/|$)|^\.mimikit(\/|$)/;

/** Every file and directory with its mode, and what is in it: the index, HEAD, refs, logs and settings of git among them. */
export function fingerprint(dir: string): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (path: string) => {
    for (const name of readdirSync(path).sort()) {
      const each = join(path, name);
      const key = relative(dir, each);
      if (OURS.test(key)) continue;
      const info = lstatSync(each);
      const mode = info.mode.toString(8);
      if (info.isSymbolicLink()) found[key] = `${mode} ${readlinkSync(each)}`;
      else if (info.isDirectory()) found[key] = mode;
      else found[key] = `${mode} ${createHash("sha256").update(readFileSync(each)).digest("hex")}`;
      if (info.isDirectory()) visit(each);
    }
  };
  visit(dir);
  return found;
}

/** Worktrees and branches of self-improvement that are there. */
export function leftIn(dir: string): { worktrees: string[]; branches: string[] } {
  const worktrees = git(dir, "worktree", "list", "--porcelain").split("\n\n").filter(Boolean).slice(1);
  const branches = git(dir, "for-each-ref", "--format=%(refname:short)", "refs/heads/self-improve")
    .split("\n")
    .filter(Boolean);
  return { worktrees, branches };
}
