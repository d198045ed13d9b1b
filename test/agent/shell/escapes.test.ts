/** The ways out of the sandbox of a model's command, tried as root and as another user. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { finishCommand } from "@mimikit/agent/shell/command";
import { Output } from "@mimikit/agent/shell/output";
import { findSandbox } from "@mimikit/agent/shell/sandbox";
import type { Walls } from "@mimikit/runtime/platform/platform";
import { describe, expect, onTestFinished, test } from "vitest";
import { repositoryPlaces } from "../../../packages/agent/src/shell/repository.ts";
import { temporaryDirectory } from "../fixtures.ts";

const found = await findSandbox();
const isRoot = process.getuid?.() === 0;
/** A user without any right of its own: nobody. */
const NOBODY = 65_534;
const WHO = isRoot ? ["root", "a user"] : ["a user"];
const CAPABILITIES = /^--cap-(drop|add)$/;

/** A workspace that is a git repository with a commit, and a state directory in it. */
function open() {
  const work = temporaryDirectory();
  const state = join(work, ".mimikit");
  mkdirSync(state);
  writeFileSync(join(state, "token"), "secret");
  git(work, "init", "-q");
  writeFileSync(join(work, "a.txt"), "a\n");
  git(work, "add", "a.txt");
  git(work, "commit", "-qm", "first");
  return { work, state };
}

function git(cwd: string, ...args: string[]): string {
  const who = ["-c", "user.name=Owner", "-c", "user.email=owner@localhost", "-c", "safe.directory=*"];
  return execFileSync("git", [...who, ...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

/** The output of the command, as `who`, in a sandbox that keeps outside. */
async function printed(who: string, command: string, place: ReturnType<typeof open>, walls: Partial<Walls> = {}) {
  if (!("tool" in found)) throw new Error("there is no sandbox");
  const asUser = isRoot && who !== "root";
  const repository = await repositoryPlaces(place.work);
  if (asUser) execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, place.work]);
  const [file, ...args] = found.tool.wrap(found.program, ["/bin/sh", "-c", command], {
    ...place,
    hidden: [],
    passages: [],
    isReadOnly: false,
    keepsOutside: true,
    isOffline: true,
    protect: [],
    repository,
    temporary: null,
    userHome: "/nonexistent",
    kept: [],
    secret: null,
    ...walls,
  });
  const own = asUser
    ? args.filter((arg, at) => !CAPABILITIES.test(arg) && !CAPABILITIES.test(args[at - 1] ?? ""))
    : args;
  const env = { PATH: process.env.PATH, HOME: "/tmp", GIT_CONFIG_COUNT: "2", ...identity };
  const ended = spawnSync(file, own, { env, encoding: "utf8", ...(asUser && { uid: NOBODY, gid: NOBODY }) });
  if (asUser) execFileSync("chown", ["-R", "0:0", place.work]);
  expect(ended.stderr).not.toMatch(/^bwrap:/m);
  return ended.stdout;
}
const identity = {
  GIT_CONFIG_KEY_0: "user.name",
  GIT_CONFIG_VALUE_0: "Model",
  GIT_CONFIG_KEY_1: "user.email",
  GIT_CONFIG_VALUE_1: "model@localhost",
};

const isThere = "tool" in found && found.tool.name === "bubblewrap";
const everywhere: [string, Partial<Walls>][] = [
  ["in the workspace", {}],
  ["anywhere", { keepsOutside: false, isOffline: false }],
];
const all = WHO.flatMap((who) => everywhere.map(([where, walls]) => [who, where, walls] as const));

describe.skipIf(!isThere).each(all)("as %s, a command that may write %s", (who, _where, walls) => {
  const run = (command: string, place = open()) => printed(who, command, place, walls);

  test("opens no setting of the kernel for writing", async () => {
    // Nothing is written: a setting that can be opened for that is one too many.
    const files =
      "/proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/kernel/hostname /proc/sys/fs/binfmt_misc/register " +
      "/proc/sysrq-trigger /proc/irq/default_smp_affinity /proc/mtrr /sys/power/state /sys/kernel/uevent_helper /sys/kernel/mm/ksm/run";
    expect(await run(`for f in ${files}; do (: >> $f) 2>/dev/null && echo "$f"; done; echo done`)).toBe("done\n");
    expect(
      await run("find /proc/sys /proc/irq /proc/bus /sys -writable -type f 2>/dev/null | head -5; echo done"),
    ).toBe("done\n");
  });

  test("sets no clock, mounts nothing, makes no device and loads no module", async () => {
    const tries = [
      'date -s "@$(date +%s)"',
      "mount -t tmpfs none /mnt",
      "mount -o remount,rw /proc/sys",
      "umount /proc/sys",
      "mknod /tmp/disk b 7 0",
      "mknod ./disk b 7 0",
      "chroot / true",
      "hostname other",
    ];
    const command = tries
      .map((each) => `(${each}) >/dev/null 2>&1 && echo "done: ${each.replaceAll('"', "")}"`)
      .join("; ");
    expect(await run(`${command}; echo end`)).toBe("end\n");
    const held = BigInt(`0x${/CapEff:\s*(\w+)/.exec(await run("grep CapEff /proc/self/status"))?.[1]}`);
    // CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, NET_BIND_SERVICE, SETFCAP.
    expect(held & ~0x8000_04fbn).toBe(0n);
  });

  test("has no disk, no memory of the kernel and no input device", async () => {
    expect(
      await run(
        "find /dev -type b; ls -d /dev/mem /dev/port /dev/kmsg /dev/input /dev/fuse /dev/loop* /dev/vcs* /dev/tty[0-9]* /dev/console 2>/dev/null; echo done",
      ),
    ).toBe("done\n");
    expect(await run("echo x > /dev/null && head -c 4 /dev/urandom | wc -c && head -c 2 /dev/zero | wc -c")).toBe(
      "4\n2\n",
    );
  });

  test("reads and writes no terminal of the owner", async () => {
    const terminal = spawn("script", ["-qfc", "tty; cat", "/dev/null"], { stdio: ["pipe", "pipe", "ignore"] });
    onTestFinished(() => void terminal.kill("SIGKILL"));
    const [line] = (await once(terminal.stdout, "data")) as [Buffer];
    const name = line.toString().trim();
    expect(name).toMatch(/^\/dev\/pts\/\d+$/);
    expect(lstatSync(name).isCharacterDevice()).toBe(true);
    const text = await run(
      `ls /dev/pts; (: < ${name}) && echo read; (: > ${name}) && echo wrote; (: > /dev/tty) && echo tty`,
    );
    expect(text).toBe("ptmx\n");
  });

  test("shares no memory with others, and leaves none behind", async () => {
    const name = `mimikit-escape-${process.pid}-${who.length}`;
    writeFileSync(`/dev/shm/${name}`, "theirs", { mode: 0o666 });
    onTestFinished(() => rmSync(`/dev/shm/${name}`, { force: true }));
    expect(await run(`cat /dev/shm/${name} 2>/dev/null; echo x > /dev/shm/left-${name} && echo own`)).toBe("own\n");
    expect(existsSync(`/dev/shm/left-${name}`)).toBe(false);
    expect(await run("readlink /proc/self/ns/ipc")).not.toContain(
      execFileSync("readlink", ["/proc/self/ns/ipc"], { encoding: "utf8" }).trim(),
    );
  });
});

describe.skipIf(!isThere).each(WHO.map((who) => [who]))("as %s, in the repository of the workspace", (who) => {
  /** Everything of the repository that can run a program, with its content. */
  function settingsOf(work: string): Record<string, string> {
    const of = (path: string): [string, string][] => {
      const full = join(work, ".git", path);
      if (!existsSync(full)) return [];
      if (lstatSync(full).isDirectory()) return readdirSync(full).flatMap((name) => of(join(path, name)));
      return [[path, readFileSync(full, "utf8")]];
    };
    return Object.fromEntries(
      ["config", "config.worktree", "hooks", "info", "modules/sub/config", "modules/sub/hooks"].flatMap(of),
    );
  }

  const EVIL = `sh -c 'touch /tmp/ran'`;
  test.each([
    ["sets a monitor", `git config core.fsmonitor "${EVIL}"`],
    ["appends a filter", `printf '[filter "f"]\\n\\tsmudge = evil\\n' >> .git/config`],
    ["adds a hook", "printf '#!/bin/sh\\nevil' > .git/hooks/post-commit; chmod +x .git/hooks/post-commit"],
    ["sets other hooks", "git config core.hooksPath ./hooks"],
    ["gives attributes", "echo '* filter=f' > .git/info/attributes"],
    ["replaces the settings", "cp .git/config c; echo x >> c; mv -f c .git/config"],
    ["exchanges the directory of hooks", "mv .git/hooks .git/old; mkdir .git/hooks; touch .git/hooks/pre-commit"],
    ["exchanges the repository", "mv .git .old; cp -r .old .git; git config core.pager evil"],
    ["makes it anew", "rm -rf .git; git init -q; git config core.pager evil"],
    ["puts a link in its place", "mv .git .old && ln -s .old .git; git config alias.st '!evil'"],
    ["puts a file in its place", "mv .git .old && echo 'gitdir: .old' > .git; git config core.pager evil"],
    [
      "sets up a submodule's repository",
      "git -C .git/modules/sub config core.fsmonitor evil; echo x > .git/modules/sub/hooks/post-checkout",
    ],
    [
      "exchanges a submodule's repository",
      "mv .git/modules/sub .git/modules/o; cp -r .git/modules/o .git/modules/sub; echo x >> .git/modules/sub/config",
    ],
    ["exchanges all of these", "mv .git/modules .git/m; cp -r .git/m .git/modules; echo x >> .git/modules/sub/config"],
    [
      "turns on settings of a worktree",
      "git config extensions.worktreeConfig true; git config --worktree core.fsmonitor evil",
    ],
    ["unmounts what holds it", "umount .git/config .git/hooks .git; git config core.pager evil"],
  ])("a command that %s changes none of its settings", async (_what, command) => {
    const place = open();
    const modules = join(place.work, ".git/modules/sub");
    git(place.work, "clone", "-q", "--bare", ".", modules);
    const before = settingsOf(place.work);
    await printed(who, `(${command}) 2>/dev/null; true`, place);
    expect(settingsOf(place.work)).toEqual(before);
  });

  test.skipIf(who !== WHO[0])(
    "what names the settings of another repository is removed when the command has ended",
    async () => {
      const place = open();
      mkdirSync(join(place.state, "runs"));
      const output = await Output.create(join(place.state, "runs/output.txt"), 1_000);
      const bounds = {
        home: place.state,
        workDir: place.work,
        allow: [],
        mode: "required",
        keepsOutside: true,
      } as const;
      const command =
        "cp -r .git evil; echo '[alias] st = !evil' >> evil/config; echo ../evil > .git/commondir; git config alias.st";
      await finishCommand(command, { bounds, environment: {}, output }, new AbortController().signal);
      expect(output.tail()).toContain("!evil");
      expect(existsSync(join(place.work, ".git/commondir"))).toBe(false);
      await output.close();
    },
  );

  test("no commit of a command holds the state", async () => {
    const place = open();
    writeFileSync(join(place.state, ".gitignore"), "*\n");
    const run = join(place.state, "runs/r");
    mkdirSync(run, { recursive: true });
    writeFileSync(join(run, "kernel.jsonl"), "transcript");
    const passages = [join(place.state, ".gitignore"), run].map((path) => ({ path, isWritable: false }));
    const command = `cat '${run}/kernel.jsonl'; git add -A && git commit -qm all --allow-empty && git ls-files`;
    expect(await printed(who, command, place, { passages })).toBe("transcripta.txt\n");
  });

  test("a command commits, branches, stashes and merges", async () => {
    const place = open();
    const command =
      "set -e; echo b > b.txt; git add b.txt; git commit -qm second; git switch -qc side; echo c > c.txt; git add c.txt; git commit -qm third; " +
      "git switch -q -; git merge -q --no-ff -m merged side; echo d >> a.txt; git stash -q; git stash pop -q; git checkout -q a.txt; git gc -q; git log --oneline | wc -l";
    expect(await printed(who, command, place)).toBe("4\n");
    expect(git(place.work, "log", "--format=%s", "-1")).toBe("merged\n");
  });

  test("a repository with settings of its own for worktrees, without hooks, or with links cannot be changed there either", async () => {
    const bare = open();
    rmSync(join(bare.work, ".git/hooks"), { recursive: true });
    rmSync(join(bare.work, ".git/info"), { recursive: true });
    await printed(
      who,
      "mkdir -p .git/hooks .git/info; echo x > .git/hooks/post-commit; echo x > .git/info/attributes",
      bare,
    );
    expect([...readdirSync(join(bare.work, ".git/hooks")), ...readdirSync(join(bare.work, ".git/info"))]).toEqual([]);

    const worktrees = open();
    git(worktrees.work, "config", "extensions.worktreeConfig", "true");
    await printed(who, "git config --worktree core.fsmonitor evil 2>/dev/null; true", worktrees);
    expect(readFileSync(join(worktrees.work, ".git/config.worktree"), "utf8")).toBe("");

    const linked = open();
    execFileSync("sh", ["-c", "mv .git/hooks hooks && ln -s ../hooks .git/hooks"], { cwd: linked.work });
    await printed(who, "rm -f .git/hooks; mkdir .git/hooks; echo x > .git/hooks/post-commit", linked);
    expect(lstatSync(join(linked.work, ".git/hooks")).isSymbolicLink()).toBe(true);
  });

  test("a command runs, though git removes the folder of the linked worktrees before it starts", async () => {
    const place = open();
    const linked = temporaryDirectory();
    git(place.work, "worktree", "add", "-q", linked);
    const repository = await repositoryPlaces(place.work);
    git(place.work, "worktree", "remove", linked);
    expect(existsSync(join(place.work, ".git/worktrees"))).toBe(false);
    expect(await printed(who, "echo ran", place, { repository })).toBe("ran\n");
  });

  test("a workspace that is a linked worktree keeps its link to the repository", async () => {
    const main = open();
    const work = temporaryDirectory();
    git(main.work, "worktree", "add", "-q", work);
    const state = join(work, ".mimikit");
    mkdirSync(state);
    const link = readFileSync(join(work, ".git"), "utf8");
    await printed(who, "rm -f .git; git init -q; mv .git x", { work, state });
    expect(readFileSync(join(work, ".git"), "utf8")).toBe(link);
  });

  test("a workspace without a repository can get one", async () => {
    const work = temporaryDirectory();
    const place = { work, state: join(work, ".mimikit") };
    mkdirSync(place.state);
    expect(
      await printed(who, "git init -q && echo a > a && git add a && git commit -qm one && git log --format=%s", place),
    ).toBe("one\n");
  });
});
