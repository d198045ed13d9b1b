import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { BadJson, RECORD_BYTES_MAX } from "@mimikit/protocol/base/json";
import { openDisk } from "@mimikit/store/disk/disk";
import { CREATIONS_PER_BATCH_MAX, createOnce, replaceView } from "@mimikit/store/disk/record";
import { restoreDirectories } from "@mimikit/store/disk/restore-directories";
import { DIRECTORIES } from "@mimikit/store/disk/state";
import { describe, expect, test } from "vitest";
import { temporaryState } from "../home.ts";

describe("creating once", () => {
  test("the first text stays, the second writer is told", async () => {
    const { home, fs } = temporaryState();
    expect(await createOnce(fs, "inbox/m.json", "first")).toBe(true);
    expect(await createOnce(fs, "inbox/m.json", "second")).toBe(false);
    expect(readFileSync(join(home, "inbox/m.json"), "utf8")).toBe("first");
  });

  test("of fifty writers at once exactly one wins, and no temporary file is left", async () => {
    const { home, fs } = temporaryState();
    const won = await Promise.all(Array.from({ length: 50 }, (_, i) => createOnce(fs, "inbox/m.json", String(i))));
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(readFileSync(join(home, "inbox/m.json"), "utf8")).toBe(String(won.indexOf(true)));
    expect(readdirSync(join(home, "tmp/test-1-1"))).toEqual([]);
  });

  test("what could not be finished leaves nothing behind, so that a full disk does not fill up", async () => {
    const { home, fs } = temporaryState();
    const full = { ...fs, link: () => Promise.reject(Object.assign(new Error("no space left"), { code: "ENOSPC" })) };
    await expect(createOnce(full, "inbox/m.json", "text")).rejects.toThrow("no space left");
    expect(readdirSync(join(home, "tmp/test-1-1"))).toEqual([]);
  });

  test("a record can be read by its owner only", async () => {
    const { home, fs } = temporaryState();
    await createOnce(fs, "inbox/m.json", "private");
    expect(statSync(join(home, "inbox/m.json")).mode & 0o777).toBe(0o600);
  });

  test("a view is replaced as a whole", async () => {
    const { home, fs } = temporaryState();
    await replaceView(fs, "history.json", "old");
    await replaceView(fs, "history.json", "new");
    expect(readFileSync(join(home, "history.json"), "utf8")).toBe("new");
  });
});

describe("creations at the same time", () => {
  /** A disk that notes what gets a name and what is synced, in the order in which that ends. */
  function noting(before: (dir: string) => Promise<void> = async () => undefined) {
    const { home, fs } = temporaryState();
    const log: string[] = [];
    const noted = {
      ...fs,
      link: (from: string, to: string) => fs.link(from, to).finally(() => log.push(to)),
      syncDir: async (dir: string) => {
        await before(dir);
        await fs.syncDir(dir);
        log.push(`sync ${dir}`);
      },
    };
    return { home, fs: noted, log };
  }
  const paths = (count: number, dir = "inbox") => Array.from({ length: count }, (_, i) => `${dir}/m-${i}.json`);

  test("share one sync of their directory, which begins when all of them have a name", async () => {
    const { fs, log } = noting();
    await Promise.all([...paths(20), ...paths(20, "archive")].map((path) => createOnce(fs, path, path)));
    for (const dir of ["inbox", "archive"]) {
      const own = log.filter((each) => each.includes(dir));
      expect(own.slice(0, 20).sort()).toEqual(paths(20, dir).sort());
      expect(own.slice(20)).toEqual([`sync ${dir}`]);
    }
  });

  test("get no name before the content of each is durable, so that nobody begins to work while they wait for the disk", async () => {
    const { fs, log } = noting();
    const [last, ...others] = paths(5);
    const written = others.map(() => Promise.withResolvers<void>());
    const slow = {
      ...fs,
      async write(path: string, text: string) {
        if (text === last) {
          await Promise.all(written.map(({ promise }) => promise));
          await new Promise((resolve) => setImmediate(resolve));
        }
        await fs.write(path, text);
        log.push("content");
        written[others.indexOf(text)]?.resolve();
      },
    };
    await Promise.all(paths(5).map((path) => createOnce(slow, path, path)));
    expect(log.slice(0, 5)).toEqual(paths(5).map(() => "content"));
    expect(log.slice(5, 10).sort()).toEqual(paths(5));
    expect(log.slice(10)).toEqual(["sync inbox"]);
  });

  test("are all written before the content of the first is synced, which some disks do together with the directory", async () => {
    const { fs, log } = noting();
    const noted = {
      ...fs,
      async write(path: string, text: string, mayBegin?: Promise<void>) {
        log.push("written");
        await mayBegin;
        log.push("may be synced");
        await fs.write(path, text);
      },
    };
    const begun: Promise<boolean>[] = [];
    for (const path of paths(3)) {
      begun.push(createOnce(noted, path, path));
      await Promise.resolve();
      await Promise.resolve();
    }
    await Promise.all(begun);
    expect(log.slice(0, 6)).toEqual([...paths(3).map(() => "written"), ...paths(3).map(() => "may be synced")]);
  });

  test("are synced only after what they are to wait for", async () => {
    const { fs } = temporaryState();
    const waited = Promise.reject(new Error("waited for"));
    await expect(fs.write(fs.temporary(), "text", waited)).rejects.toThrow("waited for");
  });

  test("are so many and no more to a sync, so that the first need not wait for all", async () => {
    const { fs, log } = noting();
    await Promise.all(paths(2 * CREATIONS_PER_BATCH_MAX + 1).map((path) => createOnce(fs, path, path)));
    expect(log.filter((each) => each.startsWith("sync"))).toHaveLength(3);
  });

  test("count for none of them where that sync fails, nor for one that has found its name", async () => {
    const { home, fs } = noting(() => Promise.reject(new Error("the disk is broken")));
    writeFileSync(join(home, "inbox/m-0.json"), "first");
    const ends = await Promise.allSettled(paths(3).map((path) => createOnce(fs, path, path)));
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  });

  test("do not fail with one whose content cannot be written", async () => {
    const { fs } = noting();
    const full = {
      ...fs,
      write: (path: string, text: string) =>
        text === "inbox/m-1.json" ? Promise.reject(new Error("no space left")) : fs.write(path, text),
    };
    const ends = await Promise.allSettled(paths(3).map((path) => createOnce(full, path, path)));
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  test("are not joined by one that presupposes them", async () => {
    const { fs, log } = noting();
    await createOnce(fs, "inbox/first.json", "1");
    await createOnce(fs, "inbox/second.json", "2");
    expect(log).toEqual(["inbox/first.json", "sync inbox", "inbox/second.json", "sync inbox"]);
  });
});

describe("reading", () => {
  test("only what does not exist is absent", async () => {
    const { home, fs } = temporaryState();
    expect(await fs.read("inbox/nothing.json")).toBeNull();
    expect(await fs.info("inbox/nothing.json")).toBeNull();
    writeFileSync(join(home, "inbox/empty.json"), "");
    expect(await fs.read("inbox/empty.json")).toBe("");
  });

  test("a directory that is missing is an error, never an empty one", async () => {
    const { fs } = temporaryState();
    await expect(fs.list("no-such-directory")).rejects.toThrow("ENOENT");
  });

  test.each([
    ["a directory", (path: string) => mkdirSync(path)],
    ["a symbolic link", (path: string) => symlinkSync("/etc/hostname", path)],
    ["a pipe, without waiting for its writer", (path: string) => void execFileSync("mkfifo", [path])],
    [
      "a file that is too large",
      (path: string) => {
        writeFileSync(path, "");
        truncateSync(path, RECORD_BYTES_MAX + 1);
      },
    ],
  ])("%s is no record", async (_, make) => {
    const { home, fs } = temporaryState();
    make(join(home, "inbox/odd.json"));
    await expect(fs.read("inbox/odd.json")).rejects.toThrow(BadJson);
  });

  test.runIf(process.getuid?.() !== 0)("a file without permission is no record", async () => {
    const { home, fs } = temporaryState();
    writeFileSync(join(home, "inbox/odd.json"), "{}");
    chmodSync(join(home, "inbox/odd.json"), 0);
    await expect(fs.read("inbox/odd.json")).rejects.toThrow(BadJson);
  });
});

describe("linking", () => {
  test("gives a second name, never replaces one, and says when there is nothing to name", async () => {
    const { home, fs } = temporaryState();
    writeFileSync(join(home, "inbox/a.json"), "a");
    expect(await fs.link("inbox/a.json", "archive/a.json")).toBe("linked");
    expect(await fs.link("inbox/a.json", "archive/a.json")).toBe("exists");
    expect(await fs.link("inbox/none.json", "archive/none.json")).toBe("missing");
    expect(statSync(join(home, "archive/a.json")).nlink).toBe(2);
  });

  test("removing what is gone is fine", async () => {
    const { fs } = temporaryState();
    await fs.unlink("inbox/none.json");
  });
});

test("a directory that changed a moment ago says that it may have changed again", async () => {
  const { home, fs } = temporaryState();
  writeFileSync(join(home, "inbox/a.json"), "a");
  expect(await fs.version("inbox")).toBeNull();
  linkSync(join(home, "inbox/a.json"), join(home, "inbox/b.json"));
  expect(await fs.version("inbox")).toBeNull();
});

test("any number of syncs of one directory at once all come back", async () => {
  const { fs } = temporaryState();
  await Promise.all(Array.from({ length: 200 }, () => fs.syncDir("inbox")));
});

describe("a directory of the state that was removed", () => {
  /** A disk on which `dir` is missing, and what was made again. */
  function without(dir: string) {
    const { home } = temporaryState();
    const made: string[] = [];
    const fs = openDisk(home, "test-1-2", () => made.push(...restoreDirectories(home)));
    return { home, fs, made, remove: () => rmSync(join(home, dir), { recursive: true }) };
  }

  test.each(DIRECTORIES)("is made again where somebody looks into it: %s", async (dir) => {
    const { home, fs, made, remove } = without(dir);
    remove();
    const children = DIRECTORIES.filter((each) => each.startsWith(`${dir}/`)).map((each) => basename(each));
    expect((await fs.list(dir)).sort()).toEqual(children.sort());
    expect(made).toContain(dir);
    expect(statSync(join(home, dir)).mode & 0o777).toBe(0o700);
    remove();
    await fs.version(dir);
    expect(made.filter((each) => each === dir)).toHaveLength(2);
  });

  test.each(["inbox", "tmp"])("costs no record that comes then: %s", async (dir) => {
    const { home, fs, remove } = without(dir);
    remove();
    expect(await createOnce(fs, "inbox/m.json", "text")).toBe(true);
    expect(readFileSync(join(home, "inbox/m.json"), "utf8")).toBe("text");
  });

  test("is there again for what is moved into it", async () => {
    const { home, fs, made, remove } = without("quarantine");
    writeFileSync(join(home, "inbox/junk"), "junk");
    remove();
    expect(await fs.rename("inbox/junk", "quarantine/junk")).toBe(true);
    expect(await fs.rename("inbox/nothing", "quarantine/nothing")).toBe(false);
    expect(await fs.link("inbox/nothing", "quarantine/nothing")).toBe("missing");
    expect(made).toEqual(["quarantine"]);
  });

  test.runIf(existsSync("/proc/self/fd"))("is let go when another has taken its place, which is synced", async () => {
    const { home, fs, remove } = without("inbox");
    const held = () =>
      readdirSync("/proc/self/fd").flatMap((file) => {
        try {
          const path = readlinkSync(`/proc/self/fd/${file}`);
          return path.startsWith(join(home, "inbox")) ? [path] : [];
        } catch {
          // It was that of the listing itself.
          return [];
        }
      });
    await createOnce(fs, "inbox/m-1.json", "text");
    expect(held()).toEqual([join(home, "inbox")]);
    remove();
    await createOnce(fs, "inbox/m-2.json", "text");
    expect(held()).toEqual([join(home, "inbox")]);
  });

  test("took what was not durable with it: nothing is acknowledged", async () => {
    const { fs, remove } = without("inbox");
    const removing = { ...fs, link: async (from: string, to: string) => fs.link(from, to).finally(remove) };
    await expect(createOnce(removing, "inbox/m.json", "text")).rejects.toThrow("ENOENT");
  });

  test("does not come back where the whole state was removed, and neither does a directory of somebody else's", async () => {
    const { home, fs, remove } = without("");
    await expect(fs.list("runs/t-000001.a1")).rejects.toThrow("ENOENT");
    remove();
    await expect(fs.list("inbox")).rejects.toThrow("ENOENT");
    await expect(createOnce(fs, "inbox/m.json", "text")).rejects.toThrow("ENOENT");
    expect(existsSync(home)).toBe(false);
  });

  test("is nobody's business for one who only opens the state", () => {
    const { home } = temporaryState();
    const before = readdirSync(join(home, "tmp"));
    openDisk(home, "test-1-3");
    expect(readdirSync(join(home, "tmp"))).toEqual(before);
  });
});
