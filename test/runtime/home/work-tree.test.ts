/** A state directory that lies in a git work tree: what git does to it, with the real git. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareHome } from "@mimikit/runtime/home/home";
import { workTreeAround } from "@mimikit/runtime/home/work-dir";
import { expect, onTestFinished, test } from "vitest";
import { CLI } from "../../support/programs.ts";

function project() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "mimikit-git-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const git = (...words: string[]) => execFileSync("git", ["-C", root, ...words], { encoding: "utf8" });
  git("init", "--quiet");
  return { root, git, home: join(root, ".mimikit") };
}

test("git commits nothing of it, and git clean -fdx deletes it, of which doctor warns with the way out", () => {
  const { root, git, home } = project();
  prepareHome(home);
  expect(git("status", "--short")).toBe("");
  git("clean", "-fd", "--quiet");
  expect(existsSync(join(home, "token"))).toBe(true);

  const env = { ...process.env, MIMIKIT_HOME: home, MIMIKIT_WORK_DIR: root, LC_ALL: "C" };
  const { stdout } = spawnSync(process.execPath, [CLI, "doctor", "--json"], { env, encoding: "utf8" });
  const { checks } = JSON.parse(stdout) as {
    checks: { name: string; level: string; message: string; next?: string }[];
  };
  expect(checks.filter(({ name }) => name === "home")).toMatchObject([
    { level: "ok" },
    {
      level: "warn",
      message: `git clean -fdx  in ${root} would delete the state`,
      next: expect.stringContaining(`mv '${home}' <elsewhere>`),
    },
  ]);

  git("clean", "-fdx", "--quiet");
  expect(existsSync(home)).toBe(false);
});

test("a work tree is found above it, also a linked one, and neither an empty .git nor a link counts", () => {
  const { root, git, home } = project();
  const deep = join(root, "a/b/.mimikit");
  for (const each of [home, deep]) mkdirSync(each, { recursive: true });
  expect([workTreeAround(home), workTreeAround(deep)]).toEqual([root, root]);
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--allow-empty", "--quiet", "-m", "one");
  const linked = join(root, "..", `${root}-linked`);
  onTestFinished(() => rmSync(linked, { recursive: true, force: true }));
  git("worktree", "add", "--quiet", linked);
  mkdirSync(join(linked, ".mimikit"));
  expect(workTreeAround(join(linked, ".mimikit"))).toBe(linked);

  const apart = realpathSync(mkdtempSync(join(tmpdir(), "mimikit-apart-")));
  onTestFinished(() => rmSync(apart, { recursive: true, force: true }));
  symlinkSync(apart, join(root, "link"));
  expect(workTreeAround(join(root, "link"))).not.toBe(root);
  const empty = realpathSync(mkdtempSync(join(tmpdir(), "mimikit-empty-")));
  onTestFinished(() => rmSync(empty, { recursive: true, force: true }));
  for (const each of [".git", ".mimikit"]) mkdirSync(join(empty, each));
  expect(workTreeAround(join(empty, ".mimikit"))).not.toBe(empty);
});
