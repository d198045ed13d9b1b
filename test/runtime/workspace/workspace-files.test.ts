/** The conditions' view of files, and how soon it changes. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { GLOB_FILES_MAX } from "@mimikit/runtime/workspace/glob";
import { WATCHED_PATHS_MAX } from "@mimikit/runtime/workspace/watch-paths";
import { WorkspaceFiles } from "@mimikit/runtime/workspace/workspace-files";
import { describe, expect, onTestFinished, test } from "vitest";

/** So long that only a notification can be why something was seen. */
const NEVER_MS = 3_600_000;

/** A workspace with its state directory in it. */
function workspace() {
  const workDir = mkdtempSync(join(tmpdir(), "mimikit-files-"));
  onTestFinished(() => rmSync(workDir, { recursive: true, force: true }));
  const home = join(workDir, ".mimikit");
  mkdirSync(home);
  const write = (path: string, text = "") => {
    mkdirSync(dirname(join(workDir, path)), { recursive: true });
    writeFileSync(join(workDir, path), text);
  };
  return { workDir, home, write, remove: (path: string) => rmSync(join(workDir, path), { recursive: true }) };
}

/** Looks at it again each time. */
function look(place: { workDir: string; home: string }) {
  return async (path: string) => (await new WorkspaceFiles(place).stampsOf([path])).get(path);
}

function watched(place: { workDir: string; home: string }) {
  const problems: string[] = [];
  let nudges = 0;
  let tell = () => {};
  const onChange = () => {
    nudges++;
    tell();
  };
  /** Resolves when there have been so many nudges. */
  const nudged = async (count: number) => {
    while (nudges < count)
      await new Promise<void>((resolve) => {
        tell = resolve;
      });
  };
  const files = new WorkspaceFiles({
    ...place,
    watch: { rereadMs: NEVER_MS, onChange, onProblem: (problem) => problems.push(problem) },
  });
  onTestFinished(() => files.close());
  const seen = async (path: string) => (await files.stampsOf([path])).get(path);
  return {
    files,
    problems,
    seen,
    nudges: () => nudges,
    /** Begins to watch. The first nudge says that it does. */
    async begin(path: string): Promise<string | undefined> {
      const stamp = await seen(path);
      await nudged(1);
      return stamp;
    },
    /** The first stamp that is not `before`, once a change has nudged. It looks only then. */
    async changed(path: string, before: string | undefined, change: () => void): Promise<string | undefined> {
      let count = nudges;
      change();
      for (;;) {
        await nudged(++count);
        const now = await seen(path);
        if (now !== before) return now;
      }
    },
  };
}

describe("a plain path", () => {
  test("has another stamp whenever what is there was created, written, replaced or removed", async () => {
    const place = workspace();
    const stampOf = look(place);
    expect(await stampOf("a/b.txt")).toBe("");
    place.write("a/b.txt", "one");
    const created = await stampOf("a/b.txt");
    expect(await stampOf("a/b.txt")).toBe(created);
    utimesSync(join(place.workDir, "a/b.txt"), 1, 2);
    const written = await stampOf("a/b.txt");
    place.write("new", "one");
    utimesSync(join(place.workDir, "new"), 1, 2);
    renameSync(join(place.workDir, "new"), join(place.workDir, "a/b.txt"));
    const replaced = await stampOf("a/b.txt");
    expect(new Set([created, written, replaced, ""]).size).toBe(4);
    place.remove("a");
    expect(await stampOf("a/b.txt")).toBe("");
  });

  test("may be absolute, a directory, or a link that leads nowhere", async () => {
    const place = workspace();
    const stampOf = look(place);
    symlinkSync("nowhere", join(place.workDir, "link"));
    expect(await stampOf("link")).toBe("dangling");
    place.write("dir/file");
    const before = await stampOf(join(place.workDir, "dir"));
    expect(before).toMatch(/./);
    utimesSync(join(place.workDir, "dir"), 1, 2);
    expect(await stampOf("dir")).not.toBe(before);
  });

  test("in the state directory has nothing, under whatever name", async () => {
    const place = workspace();
    const other = workspace();
    writeFileSync(join(place.home, "token"), "secret");
    symlinkSync(place.workDir, join(other.workDir, "link"));
    const home = join(other.workDir, "link/.mimikit");
    for (const path of [".mimikit", ".mimikit/token", join(place.home, "token"), join(home, "token")])
      expect(await look({ workDir: place.workDir, home })(path)).toBe("");
    symlinkSync(".mimikit", join(place.workDir, "inside"));
    for (const path of ["inside", "inside/token", "inside/*", "inside/**"]) expect(await look(place)(path)).toBe("");
  });

  test("that cannot be looked at is left out, and that is said once", async () => {
    const { files, problems, seen } = watched(workspace());
    const path = "x".repeat(300);
    expect((await files.stampsOf([path, "there"])).has(path)).toBe(false);
    expect(await seen(path)).toBeUndefined();
    expect(problems.filter((problem) => problem.includes("not known to hold"))).toEqual([
      expect.stringContaining("(ENAMETOOLONG)"),
    ]);
  });
});

describe("a glob", () => {
  test("has another stamp whenever a file that it matches was created, written or removed, and no other", async () => {
    const place = workspace();
    const stampOf = look(place);
    place.write("docs/readme.txt");
    expect(await stampOf("docs/**/*.md")).toBe("");
    place.write("docs/a.md");
    const one = await stampOf("docs/**/*.md");
    place.write("docs/deep/er/b.md");
    const two = await stampOf("docs/**/*.md");
    place.write("docs/c.txt");
    place.write("b.md");
    expect(await stampOf("docs/**/*.md")).toBe(two);
    utimesSync(join(place.workDir, "docs/deep/er/b.md"), 1, 2);
    const three = await stampOf("docs/**/*.md");
    expect(new Set([one, two, three, ""]).size).toBe(4);
    place.remove("docs/deep");
    expect(await stampOf("docs/**/*.md")).toBe(one);
  });

  test.each([
    ["*.md", "a.md", "a/b.md"],
    ["*/b.md", "a/b.md", "a/a/b.md"],
    ["{a,b}/?.[ch]", "b/x.h", "c/x.h"],
    ["**", "a/b/c", ".hidden"],
    ["**/*.json", "a.json", ".cache/a.json"],
    ["**/.env", "a/.env", "a/env"],
    ["**/{.github,docs}/*.yml", ".github/ci.yml", "ci.yml"],
    ["**/*.js", "src/a.js", "node_modules/a/a.js"],
    ["node_modules/**/*.js", "node_modules/a/a.js", "a.js"],
    [".git/refs/**", ".git/refs/heads/main", ".git/HEAD"],
    ["*.json", "a.json", ".mimikit/a.json"],
    ["app/[id].tsx", "app/[id].tsx", "app/id.tsx"],
    ["notes (old)*.txt", "notes (old) 1.txt", "notes old 1.txt"],
    ["C++/*.h", "C++/a.h", "CC/a.h"],
  ])("%s sees %s and not %s", async (glob, matching, other) => {
    const place = workspace();
    place.write(other);
    expect(await look(place)(glob)).toBe("");
    place.write(matching);
    expect(await look(place)(glob)).toMatch(/^[0-9a-f]+$/);
  });

  test("may be absolute", async () => {
    const place = workspace();
    place.write("a.csv");
    expect(await look(place)(join(place.workDir, "*.csv"))).toBe(await look(place)("*.csv"));
  });

  test("never sees the state directory, even where everything matches", async () => {
    const place = workspace();
    writeFileSync(join(place.home, "log.jsonl"), "");
    expect(await look(place)("{**,**/.*,.*/**}")).toBe("");
    expect(await look(place)(".mimikit/*")).toBe("");
  });

  test("does not follow a link out of where it begins, and ends where links go in circles", async () => {
    const place = workspace();
    place.write("outside/a.md");
    mkdirSync(join(place.workDir, "inside"));
    symlinkSync("../outside", join(place.workDir, "inside/link"));
    symlinkSync(".", join(place.workDir, "inside/circle"));
    expect(await look(place)("inside/**/*.md")).toBe("");
    symlinkSync("../outside/a.md", join(place.workDir, "inside/b.md"));
    const file = await look(place)("inside/**/*.md");
    place.remove("outside");
    expect(await look(place)("inside/**/*.md")).not.toBe(file);
    expect(await look(place)("inside/**/*.md")).not.toBe("");
  });

  test("that matches too much is not known to hold until it matches less, and that is said once", async () => {
    const place = workspace();
    const { files, problems } = watched(place);
    place.write("few/1");
    mkdirSync(join(place.workDir, "many"));
    for (let i = 0; i <= GLOB_FILES_MAX; i++) symlinkSync("../few/1", join(place.workDir, `many/${i}`));
    const seen = await files.stampsOf(["many/*", "few/*"]);
    expect([...seen.keys()]).toEqual(["few/*"]);
    await files.stampsOf(["many/*", "few/*"]);
    expect(problems).toEqual([expect.stringContaining(`"many/*" is not known to hold: it matches more than`)]);
    place.remove("many/0");
    expect(await look(place)("many/*")).toMatch(/./);
  });

  test("that would lead too deep, or to what cannot be read, is not known to hold", async () => {
    const place = workspace();
    place.write(`${"d/".repeat(40)}a.md`);
    symlinkSync("circle", join(place.workDir, "circle"));
    const { files, problems } = watched(place);
    expect([...(await files.stampsOf(["**/*.md", "circle/*", "d/*"])).keys()]).toEqual(["d/*"]);
    expect(problems).toEqual(
      expect.arrayContaining([expect.stringContaining("directories deep"), expect.stringContaining("(ELOOP)")]),
    );
  });
});

describe("a change", () => {
  test.each([
    ["of a file", "a.txt", "a.txt", "a.txt"],
    ["of a file that was not there", "a.txt", "b.txt", "a.txt"],
    ["of a file in directories that were not there", "x/y/a.txt", "b.txt", "x/y/a.txt"],
    ["of a file that a glob matches", "docs/*.md", "docs/a.md", "docs/a.md"],
    ["of a new file that a glob matches", "docs/*.md", "docs/a.md", "docs/b.md"],
    ["in a new directory below a glob", "docs/**/*.md", "docs/a.md", "docs/x/y/b.md"],
    ["where a glob begins in nothing", "docs/**/*.md", "a.md", "docs/x/b.md"],
  ])("%s nudges at once, without waiting for the next walk", async (_, path, before, change) => {
    const place = workspace();
    place.write(before, "before");
    const { begin, changed } = watched(place);
    const first = await begin(path);
    expect(await changed(path, first, () => place.write(change, "changed"))).not.toBe(first);
  });

  test("of more paths than are watched is seen at the next look all the same, and that is said once", async () => {
    const place = workspace();
    const paths = Array.from({ length: WATCHED_PATHS_MAX + 5 }, (_, i) => `${i}.txt`);
    const { files, problems } = watched(place);
    await files.stampsOf(paths);
    for (const path of paths) place.write(path);
    const stamps = await files.stampsOf(paths);
    expect([...stamps.values()].filter((stamp) => stamp === "")).toEqual([]);
    expect(problems).toEqual([expect.stringContaining(`more than ${WATCHED_PATHS_MAX} paths`)]);
  });

  test("of many files makes few nudges, and the last of them is seen", async () => {
    const place = workspace();
    place.write("docs/a.md");
    const { begin, changed, nudges } = watched(place);
    const names = Array.from({ length: 200 }, (_, i) => `docs/${i}.md`);
    let stamp = await begin("docs/*.md");
    stamp = await changed("docs/*.md", stamp, () => {
      for (const name of names) place.write(name);
    });
    const last = await look(place)("docs/*.md");
    while (stamp !== last) stamp = await changed("docs/*.md", stamp, () => {});
    expect(nudges()).toBeLessThan(names.length / 4);
  });
});

describe.skipIf(process.platform !== "linux")("the watches", () => {
  /** The inodes that the kernel watches for this process. */
  function watchedInodes(): number[] {
    return readdirSync("/proc/self/fdinfo").flatMap((fd) => {
      try {
        const info = readFileSync(`/proc/self/fdinfo/${fd}`, "utf8");
        return [...info.matchAll(/^inotify .*\bino:([0-9a-f]+)/gm)].map(([, ino]) => Number.parseInt(ino ?? "", 16));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
        throw error;
      }
    });
  }

  test("are on what is asked for, and on nothing once it is not asked for any more", async () => {
    const place = workspace();
    place.write("a/a.md");
    place.write("b/b.md");
    place.write("a/node_modules/c.md");
    const isWatched = (path: string) => watchedInodes().includes(statSync(join(place.workDir, path)).ino);
    const { files, begin } = watched(place);
    await files.stampsOf([]);
    expect(["", "a", "b"].filter(isWatched)).toEqual([]);
    await begin("a/**/*.md");
    expect(["a", "b", "a/node_modules", ".mimikit"].filter(isWatched)).toEqual(["a"]);
    await files.stampsOf([]);
    await files.close();
    expect(["", "a", "b"].filter(isWatched)).toEqual([]);
  });
});

test("names the files that changed after a moment, from the workspace on, and a plain path by itself", async () => {
  const place = workspace();
  place.write("docs/old.md");
  place.write("docs/deep/new.md");
  place.write("other/new.md");
  const files = new WorkspaceFiles(place);
  await files.stampsOf(["docs/**", "other/new.md"]);
  const changedAt = (path: string) => statSync(join(place.workDir, path)).ctimeMs;
  expect(files.changedSince("docs/**", 0).toSorted()).toEqual(["docs/deep/new.md", "docs/old.md"]);
  expect(files.changedSince("docs/**", Math.max(changedAt("docs/old.md"), changedAt("docs/deep/new.md")))).toEqual([]);
  expect(files.changedSince("other/new.md", 0)).toEqual(["other/new.md"]);
});
