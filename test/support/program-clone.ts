/** A clone of this working tree with packages of its own, and the repository that it follows. */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

export interface ProgramClone {
  /** The clone. */
  root: string;
  mimikit: string;
  /** Makes a commit upstream that replaces `before` by `after` in a file. @returns its id. */
  publish(subject: string, path: string, before: string | RegExp, after: string): string;
  git(...words: string[]): string;
  remove(): void;
}

export function cloneProgram(): ProgramClone {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "mimikit-clone-")));
  const upstream = join(directory, "upstream");
  const root = join(directory, "a clone");
  const gitIn = (cwd: string, ...words: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@localhost", ...words], {
      cwd,
      encoding: "utf8",
    }).trim();
  for (const path of gitIn(ROOT, "ls-files", "-z", "-co", "--exclude-standard").split("\0").filter(Boolean)) {
    mkdirSync(dirname(join(upstream, path)), { recursive: true });
    cpSync(join(ROOT, path), join(upstream, path));
  }
  gitIn(upstream, "init", "--quiet", "--initial-branch=main");
  gitIn(upstream, "add", "-A");
  gitIn(upstream, "commit", "--quiet", "-m", "as it is");
  gitIn(directory, "clone", "--quiet", upstream, root);
  // Hard links: half a gigabyte in a moment. A rewritten file is a file of its own. Others write to the cache meanwhile.
  const packages = readdirSync(join(ROOT, "node_modules")).filter((name) => name !== ".cache");
  mkdirSync(join(root, "node_modules"));
  execFileSync("cp", ["-al", "-t", join(root, "node_modules"), ...packages], { cwd: join(ROOT, "node_modules") });
  // The bundles and the page of the same sources need no second build.
  for (const built of ["dist", "apps/web/dist"])
    if (existsSync(join(ROOT, built))) cpSync(join(ROOT, built), join(root, built), { recursive: true });
  execFileSync(process.execPath, [join(root, "scripts/bootstrap.mjs")], { stdio: "pipe" });
  return {
    root,
    mimikit: join(root, "apps/cli/bin/mimikit.mjs"),
    publish(subject, path, before, after) {
      const file = join(upstream, path);
      const text = readFileSync(file, "utf8");
      const changed = text.replace(before, after);
      if (changed === text) throw new Error(`nothing to replace in ${path}`);
      writeFileSync(file, changed);
      gitIn(upstream, "commit", "--quiet", "-am", subject);
      return gitIn(upstream, "rev-parse", "HEAD");
    },
    git: (...words) => gitIn(root, ...words),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
