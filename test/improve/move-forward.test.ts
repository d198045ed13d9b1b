/**
 * A merge that the system does not get over is taken back, whatever the user does meanwhile and whatever is cut off: his commits
 * and his changes stay (SPEC J2).
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Git, type GitAnswer, type GitCall } from "../../apps/worker-pool/src/improve/git.ts";
import { moveForward } from "../../apps/worker-pool/src/improve/move-forward.ts";
import { openRepository } from "../../apps/worker-pool/src/improve/repository.ts";
import { temporaryDirectory } from "../agent/fixtures.ts";
import { git, makeRepository } from "../support/user-tree.ts";

/** Looks at the system before it is given up; the first is before the move. */
const LOOKS = 6;
const SICK = ["a", "b", "c", "d", "e"];

/** git, at whose calls something happens first. */
class WatchedGit extends Git {
  private readonly before: () => void;

  constructor(cwd: string, before: () => void) {
    super(cwd, "");
    this.before = before;
  }

  override run(args: readonly string[], call?: GitCall): Promise<GitAnswer> {
    this.before();
    return super.run(args, call);
  }
}

/** A repository of a user with an improvement that is ready. */
function improved() {
  const [dir, home] = [join(temporaryDirectory(), "user"), temporaryDirectory()];
  mkdirSync(dir);
  makeRepository(dir);
  const base = git(dir, "rev-parse", "HEAD");
  git(dir, "switch", "--quiet", "--create", "improvement");
  writeFileSync(join(dir, "README.md"), "# A project\n");
  writeFileSync(join(dir, "new.txt"), "new\n");
  git(dir, "add", "-A");
  git(dir, "commit", "--quiet", "--message", "improve");
  const commit = git(dir, "rev-parse", "HEAD");
  git(dir, "switch", "--quiet", "main");
  const audited: string[] = [];
  /** @param before is told the number of the call of git since the system was given up, from 0. */
  const move = async (problems: (string | null)[], before: (call: number) => void = () => undefined, made = commit) => {
    let looks = 0;
    let calls = 0;
    const watched = new WatchedGit(dir, () => {
      if (looks >= LOOKS) before(calls++);
    });
    const problemOf = async () => problems[looks++] ?? null;
    const options = { home, problemOf, audit: (event: string) => audited.push(event) };
    return moveForward(await openRepository(watched), { base, commit: made, done: "merged" }, options);
  };
  /** The improvement made once more, a little later: the same tree. */
  const anew = () => git(dir, "commit-tree", `${commit}^{tree}`, "-p", base, "-m", "improve again");
  const read = (name: string) => readFileSync(join(dir, name), "utf8");
  return { dir, base, commit, audited, move, anew, read, status: () => git(dir, "status", "--porcelain") };
}

/** Does this at each call of git that takes a merge back, in a repository of its own. */
async function atEachCall(what: (at: number) => Promise<void>): Promise<void> {
  let calls = 0;
  await improved().move([null, ...SICK], () => calls++);
  expect(calls).toBeGreaterThan(1);
  await Promise.all(Array.from({ length: calls }, (_, at) => what(at)));
}

describe("a merge that is taken back", () => {
  test("leaves a commit that the user makes at any moment in his branch", async () => {
    await atEachCall(async (at) => {
      const user = improved();
      let theirs = "";
      const moved = await user.move([null, ...SICK], (call) => {
        if (call !== at) return;
        writeFileSync(join(user.dir, "theirs.txt"), "theirs\n");
        git(user.dir, "add", "theirs.txt");
        git(user.dir, "commit", "--quiet", "--message", "theirs");
        theirs = git(user.dir, "rev-parse", "HEAD");
      });
      expect(git(user.dir, "rev-parse", "main")).toBe(theirs);
      expect(user.read("theirs.txt")).toBe("theirs\n");
      if (at > 0) return;
      expect(moved).toEqual({
        isThere: true,
        note: "merged, and there are newer commits; the system is not healthy: e",
      });
      expect([user.status(), user.read("README.md")]).toEqual(["", "# A project\n"]);
    });
  });

  test("leaves what the user has changed meanwhile as it is, committed or not", async () => {
    const [inTheWay, beside] = [improved(), improved()];
    const changing = (user: ReturnType<typeof improved>, name: string) =>
      user.move([null, ...SICK], (call) => {
        if (call === 0) writeFileSync(join(user.dir, name), "mine\n");
      });
    const [stays, goes] = await Promise.all([changing(inTheWay, "README.md"), changing(beside, "src/add.js")]);
    expect(stays).toMatchObject({
      isThere: true,
      note: expect.stringMatching(/^merged, and not reverted: .*README.md/s),
    });
    expect(git(inTheWay.dir, "rev-parse", "main")).toBe(inTheWay.commit);
    expect([inTheWay.read("README.md"), inTheWay.read("new.txt"), inTheWay.status()]).toEqual([
      ...["mine\n", "new\n", "M README.md"],
    ]);
    expect(inTheWay.audited).toEqual(["improvement_merged"]);
    expect(goes).toMatchObject({ isThere: false, note: expect.stringMatching(/^merged and reverted: /) });
    expect(git(beside.dir, "rev-parse", "main")).toBe(beside.base);
    expect([beside.read("README.md"), beside.read("src/add.js"), beside.status()]).toEqual([
      ...["# A projet\n", "mine\n", "M src/add.js"],
    ]);
  });

  test("and is cut off anywhere is completed by doing it again: the tree is that of the branch", async () => {
    await atEachCall(async (at) => {
      const user = improved();
      const cutOff = user.move([null, ...SICK], (call) => {
        if (call === at) throw new Error("killed");
      });
      await expect(cutOff).rejects.toThrow("killed");
      const isBack = git(user.dir, "rev-parse", "main") === user.base;
      // The undoing of a merge is made anew where HEAD has none of it.
      expect(await user.move(SICK, undefined, isBack ? user.anew() : user.commit)).toEqual({
        isThere: false,
        note: isBack ? "not merged: the system is not well: a" : "merged and reverted: the system was not healthy: e",
      });
      expect(git(user.dir, "rev-parse", "main")).toBe(user.base);
      expect([user.status(), user.read("README.md")]).toEqual(["", "# A projet\n"]);
    });
  });

  test("and staged by the user himself is a change of his own, which stays", async () => {
    const user = improved();
    await user.move([null, ...SICK]);
    git(user.dir, "commit", "--quiet", "--allow-empty", "--message", "theirs");
    git(user.dir, "reset", "--quiet", "--soft", user.base);
    git(user.dir, "merge", "--quiet", "--squash", user.commit);
    expect(await user.move([null])).toMatchObject({
      isThere: false,
      note: expect.stringMatching(/changes of your own/),
    });
    expect([user.status().split("\n").sort(), user.read("README.md")]).toEqual([
      ["A  new.txt", "M  README.md"],
      "# A project\n",
    ]);
  });
});
