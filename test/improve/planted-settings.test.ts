/** Settings that a Worker may have left in the repository, while Mimikit's own git looks at it, merges and undoes. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { Git, Unimprovable } from "../../apps/worker-pool/src/improve/git.ts";
import { moveForward } from "../../apps/worker-pool/src/improve/move-forward.ts";
import { openRepository } from "../../apps/worker-pool/src/improve/repository.ts";
import { temporaryDirectory } from "../agent/fixtures.ts";
import { git, makeRepository } from "../support/user-tree.ts";

/** A repository whose branch `improvement` is ahead, a program that leaves a proof that it ran, and the global settings of its owner. */
function open() {
  const [dir, home, userHome] = [join(temporaryDirectory(), "user"), temporaryDirectory(), temporaryDirectory()];
  mkdirSync(dir);
  makeRepository(dir);
  const base = git(dir, "rev-parse", "HEAD");
  git(dir, "switch", "--quiet", "--create", "improvement");
  writeFileSync(join(dir, ".gitattributes"), "*.txt filter=evil merge=evil diff=evil\n*.md filter=mine merge=evil\n");
  writeFileSync(join(dir, "new.txt"), "new\n");
  writeFileSync(join(dir, "README.md"), "# improved\n");
  git(dir, "add", "-A");
  git(dir, "commit", "--quiet", "--message", "improve");
  const commit = git(dir, "rev-parse", "HEAD");
  git(dir, "switch", "--quiet", "main");
  const proof = join(home, "ran");
  const evil = join(home, "evil");
  writeFileSync(evil, `#!/bin/sh\necho "$0 $@" >> '${proof}'\ncat\n`, { mode: 0o755 });
  vi.stubEnv("HOME", userHome);
  vi.stubEnv("XDG_CONFIG_HOME", "");
  onTestFinished(() => void vi.unstubAllEnvs());
  const merge = async () => {
    const options = { home, problemOf: async () => null, audit: () => undefined };
    return moveForward(await openRepository(new Git(dir, "")), { base, commit, done: "merged" }, options);
  };
  const ran = () => (existsSync(proof) ? readFileSync(proof, "utf8") : "");
  return { dir, home, userHome, base, commit, evil, merge, ran };
}

test("no program that they name runs at a merge", async () => {
  const { dir, evil, merge, ran } = open();
  for (const key of [
    ...["filter.evil.smudge", "filter.evil.clean", "filter.evil.process", "filter.mine.smudge", "merge.evil.driver"],
    ...[
      "core.fsmonitor",
      "core.sshCommand",
      "core.editor",
      "core.pager",
      "core.askPass",
      "gpg.program",
      "diff.external",
    ],
    ...[
      "diff.evil.textconv",
      "diff.evil.command",
      "credential.helper",
      "sequence.editor",
      "trailer.mimikit-undo.command",
    ],
  ])
    git(dir, "config", key, evil);
  for (const key of ["filter.evil.required", "log.showSignature", "merge.verifySignatures", "status.submoduleSummary"])
    git(dir, "config", key, "true");
  git(dir, "config", "core.hooksPath", "hooks");
  for (const hooks of ["hooks", ".git/hooks"]) {
    mkdirSync(join(dir, hooks), { recursive: true });
    for (const name of ["post-merge", "post-checkout", "reference-transaction", "post-index-change"])
      writeFileSync(join(dir, hooks, name), `#!/bin/sh\nexec '${evil}' </dev/null\n`, { mode: 0o755 });
  }
  writeFileSync(join(dir, ".git/info/exclude"), "hooks/\n");
  expect(await merge()).toEqual({ isThere: true, note: null });
  expect(readFileSync(join(dir, "new.txt"), "utf8")).toBe("new\n");
  expect(ran()).toBe("");
});

test("the filters of the owner's global settings run as they are there, whatever the repository says of them", async () => {
  const { dir, userHome, evil, merge, ran } = open();
  execFileSync("git", ["config", "--file", join(userHome, ".gitconfig"), "filter.mine.smudge", "tr a-z A-Z"]);
  git(dir, "config", "filter.mine.smudge", evil);
  expect(await merge()).toEqual({ isThere: true, note: null });
  expect(readFileSync(join(dir, "README.md"), "utf8")).toBe("# IMPROVED\n");
  expect(ran()).toBe("");
});

test("a merge driver that they name is replaced by git's own merge of texts", async () => {
  const { dir, commit, evil, ran } = open();
  git(dir, "config", "merge.evil.driver", evil);
  git(dir, "merge", "--quiet", "--ff-only", commit);
  for (const branch of ["main", "improvement"]) {
    git(dir, "switch", "--quiet", branch);
    writeFileSync(join(dir, "README.md"), `# of ${branch}\n`);
    git(dir, "commit", "--quiet", "--all", "--message", "later");
  }
  const { git: ours } = await openRepository(new Git(dir, ""));
  const merged = await ours.run(["merge-tree", "--write-tree", "--name-only", "main", "improvement"], { allow: [1] });
  expect(merged).toMatchObject({
    code: 1,
    text: expect.stringContaining("CONFLICT (content): Merge conflict in README.md"),
  });
  const [tree = ""] = merged.text.split("\n");
  expect(git(dir, "show", `${tree}:README.md`)).toMatch(/<<<<<<<.*# of main.*=======.*# of improvement/s);
  expect(ran()).toBe("");
});

test("a tree that they put above the workspace is not written to", async () => {
  const { dir, merge } = open();
  const above = join(dir, "..");
  git(dir, "config", "core.worktree", above);
  await expect(merge()).rejects.toThrow(Unimprovable);
  expect(readdirSync(above)).toEqual(["user"]);
});

test("nothing of a submodule's own settings runs", async () => {
  const { dir, evil, merge, ran } = open();
  mkdirSync(join(dir, "sub"));
  makeRepository(join(dir, "sub"));
  git(dir, "update-index", "--add", "--cacheinfo", `160000,${git(join(dir, "sub"), "rev-parse", "HEAD")},sub`);
  git(dir, "commit", "--quiet", "--message", "a submodule");
  git(join(dir, "sub"), "config", "core.fsmonitor", evil);
  git(join(dir, "sub"), "config", "filter.other.clean", evil);
  writeFileSync(join(dir, "sub/.gitattributes"), "* filter=other\n");
  writeFileSync(join(dir, "sub/README.md"), "changed\n");
  await merge();
  expect(ran()).toBe("");
});
