/** The reach of a Worker's shell. */

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import type { SandboxMode } from "@mimikit/agent/provider";
import { proveConfinement } from "@mimikit/agent/providers/prove-confinement";
import { proveWalls } from "@mimikit/agent/providers/prove-walls";
import { boundsOf, findSandbox } from "@mimikit/agent/shell/sandbox";
import { RESULT_SCHEMAS } from "@mimikit/protocol/records/result";
import type { Task } from "@mimikit/protocol/records/task";
import { Config } from "@mimikit/runtime/config/config";
import { ROOT } from "@mimikit/runtime/home/programs";
import { platform } from "@mimikit/runtime/platform/this-platform";
import { findMarked } from "@mimikit/runtime/process/marked-processes";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { codeSpan } from "../../../packages/agent/src/providers/offline/code-span.ts";
import { reportOf, run, taskOf, temporaryDirectory } from "../fixtures.ts";
import { runOf } from "../prompt-fixtures.ts";

const sandbox = await findSandbox();
const isThere = "program" in sandbox;
if (!isThere) console.warn(`the tests of the sandbox are skipped: ${sandbox.missing}`);

/** A workspace with its state directory, wherever the two are. */
function open({ home = ".mimikit", workDir = "." }: { home?: string; workDir?: string } = {}) {
  const directory = temporaryDirectory();
  const place = { home: join(directory, home), workDir: join(directory, workDir) };
  mkdirSync(join(place.home, "worker/results"), { recursive: true });
  mkdirSync(place.workDir, { recursive: true });
  writeFileSync(join(place.home, "token"), "secret");
  return place;
}

type Options = Pick<Partial<Task>, "upstream" | "skill"> & {
  sandbox?: SandboxMode;
  signal?: AbortSignal;
  onStream?: () => void;
};

function work(command: string, place: ReturnType<typeof open>, { upstream = [], skill, ...options }: Options = {}) {
  const prompt = `run ${codeSpan(command)}`;
  const task = taskOf({ id: "t-000001.0.1", role: "worker", prompt, upstream, ...(skill && { skill }) });
  return run(task, { ...place, ...options });
}

async function printed(...call: Parameters<typeof work>): Promise<string> {
  const ran = await work(...call);
  return RESULT_SCHEMAS.text.parse(ran.result).text;
}

describe.skipIf(!isThere)("a command in the sandbox", () => {
  test.each([
    ["inside the workspace", ".mimikit", "."],
    ["beside it", "state", "work"],
    ["around it", "state", "state/work"],
    ["a folder of its own deep below", "work/a/b/c", "work"],
  ])(
    "finds nothing in a state directory %s, changes nothing there, and works in the workspace",
    async (_, home, workDir) => {
      const place = open({ home, workDir });
      const text = await printed(
        `cat '${place.home}/token'; echo forged > '${place.home}/worker/results/t-1.json'; echo forged > '${place.home}/token';` +
          "echo mine > mine.txt; cat mine.txt",
        place,
      );
      expect(text).not.toContain("secret");
      expect(text).toMatch(/^mine$/m);
      expect(readFileSync(join(place.workDir, "mine.txt"), "utf8")).toBe("mine\n");
      expect(readFileSync(join(place.home, "token"), "utf8")).toBe("secret");
      expect(existsSync(join(place.home, "worker/results/t-1.json"))).toBe(false);
    },
  );

  test("runs the scripts of a skill in the state directory where its prompt names it, and changes none of them", async () => {
    const place = open();
    const folder = join(place.home, "skills/pdf/scripts");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "../SKILL.md"), "---\nname: pdf\ndescription: Reads PDF.\n---\nRun scripts/pages.sh\n");
    writeFileSync(join(folder, "pages.sh"), '#!/bin/sh\necho "pages of $1"\n', { mode: 0o700 });
    const command = `'${folder}/pages.sh' a.pdf; cat '${folder}/../SKILL.md'; echo evil > '${folder}/pages.sh'; ls '${place.home}'`;
    const text = await printed(command, place);
    expect(text).toContain("pages of a.pdf");
    expect(text).toContain("description: Reads PDF.");
    expect(text).not.toContain("token");
    expect(readFileSync(join(folder, "pages.sh"), "utf8")).not.toContain("evil");
    // A link in its place leads nowhere that the command does not see anyway.
    rmSync(join(place.home, "skills"), { recursive: true });
    symlinkSync("worker", join(place.home, "skills"));
    expect(await printed(`ls '${place.home}/skills/' '${place.home}/worker'`, place)).not.toMatch(/^results$/m);
  });

  test("sees nothing of PM2, whose socket would start a program outside the sandbox", async () => {
    const place = open();
    const [named, own] = [join(temporaryDirectory(), "pm2"), join(temporaryDirectory(), ".pm2")];
    for (const pm2 of [named, own]) {
      mkdirSync(pm2);
      writeFileSync(join(pm2, "dump.pm2"), "sk-of-the-owner");
    }
    const server = createServer((socket) => socket.end("reached"));
    onTestFinished(() => void server.close());
    await once(server.listen(join(named, "rpc.sock")), "listening");
    vi.stubEnv("PM2_HOME", named);
    vi.stubEnv("HOME", dirname(own));
    onTestFinished(() => void vi.unstubAllEnvs());
    const call = `require("net").connect(process.argv[1]).on("error", () => {}).pipe(process.stdout)`;
    const tries = [named, own].map((pm2) => `cat '${pm2}/dump.pm2'; echo mine > '${pm2}/pub.sock'`);
    const command = `${tries.join("; ")}; '${process.execPath}' -e '${call}' '${named}/rpc.sock'; echo done`;
    const text = await printed(command, place);
    expect(text).toContain("done");
    expect(text).not.toMatch(/sk-of-the-owner|reached/);
    expect([named, own].map((pm2) => existsSync(join(pm2, "pub.sock")))).toEqual([false, false]);
    // Without the sandbox the same command finds all of it.
    expect(await printed(command, place, { sandbox: "off" })).toMatch(/sk-of-the-owner.*reached/s);
  });

  test("sees a PM2 directory that contains the workspace", async () => {
    const place = open({ home: "state", workDir: ".pm2/work" });
    vi.stubEnv("PM2_HOME", dirname(place.workDir));
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await printed("echo mine > mine.txt; cat mine.txt", place)).toBe("mine\n");
    expect(existsSync(join(place.workDir, "mine.txt"))).toBe(true);
  });

  test("sees nothing of another state directory of the user, and cannot forge that one is adopted", async () => {
    const place = open();
    const userHome = temporaryDirectory();
    const records = join(userHome, ".local/state/mimikit/homes");
    const other = join(temporaryDirectory(), ".mimikit");
    for (const dir of [records, other]) mkdirSync(dir, { recursive: true });
    writeFileSync(join(other, "token"), "token-of-another");
    const record = { home: other, tokenHash: "0".repeat(64), at: "2026-01-01T00:00:00.000Z" };
    writeFileSync(join(records, "r.json"), JSON.stringify(record));
    vi.stubEnv("HOME", userHome);
    vi.stubEnv("XDG_STATE_HOME", "");
    onTestFinished(() => void vi.unstubAllEnvs());
    const command = `cat '${other}/token' '${records}/r.json'; echo forged > '${records}/forged.json'; echo done`;
    const text = await printed(command, place);
    expect(text).toContain("done");
    expect(text).not.toMatch(/token-of-another|tokenHash/);
    expect(existsSync(join(records, "forged.json"))).toBe(false);
    expect(await printed(command, place, { sandbox: "off" })).toMatch(/token-of-another/);
  });

  test("changes neither Mimikit's own program nor the user's skills, where neither is the workspace", async () => {
    const place = open();
    const userHome = temporaryDirectory();
    vi.stubEnv("HOME", userHome);
    vi.stubEnv("XDG_CONFIG_HOME", "");
    onTestFinished(() => void vi.unstubAllEnvs());
    const skills = join(userHome, ".config/mimikit/skills");
    const program = join(ROOT, "apps/supervisor/changed-by-a-worker.ts");
    onTestFinished(() => rmSync(program, { force: true }));
    const command = `mkdir -p '${skills}/evil'; echo x > '${skills}/evil/SKILL.md'; echo x > '${program}'; echo mine > mine.txt; echo done`;
    expect(await printed(command, place)).toContain("done");
    expect([existsSync(program), existsSync(join(skills, "evil"))]).toEqual([false, false]);
    expect(existsSync(join(place.workDir, "mine.txt"))).toBe(true);
  });

  test("works in a workspace inside of what it cannot change, and in a part of Mimikit that is the workspace", async () => {
    const userHome = temporaryDirectory();
    const skills = join(userHome, "config/mimikit/skills");
    vi.stubEnv("XDG_CONFIG_HOME", join(userHome, "config"));
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const workDir of [skills, join(skills, "mine")]) {
      const place = { home: join(userHome, "state"), workDir };
      for (const dir of [place.home, workDir]) mkdirSync(dir, { recursive: true });
      expect(await printed(`echo x > ../beside; echo mine > mine.txt; cat mine.txt`, place)).toContain("mine");
      expect(existsSync(join(workDir, "mine.txt"))).toBe(true);
    }
    expect(existsSync(join(skills, "beside"))).toBe(false);
  });

  test("has a /tmp of its own for all commands of a run, in which a workspace that is there stays", async () => {
    const theirs = mkdtempSync("/tmp/mimikit-test-");
    onTestFinished(() => rmSync(theirs, { recursive: true, force: true }));
    const place = { home: join(theirs, "work/.mimikit"), workDir: join(theirs, "work") };
    mkdirSync(join(place.home, "runs"), { recursive: true });
    writeFileSync(join(theirs, "of-others"), "");
    const command = `ls '${theirs}'; echo "$TMPDIR"; echo kept > /tmp/kept; mktemp; echo mine > mine.txt`;
    const text = await printed(command, place);
    expect(text).toMatch(/^work\n\/tmp\n\/tmp\/tmp\./);
    expect(readFileSync(join(place.workDir, "mine.txt"), "utf8")).toBe("mine\n");
    expect(existsSync("/tmp/kept")).toBe(false);
    expect(await printed(command, place, { sandbox: "off" })).toContain("of-others");
    rmSync("/tmp/kept");
  });

  test("has no detour into it", async () => {
    const place = open();
    symlinkSync(join(place.home, "token"), join(place.workDir, "l"));
    const detours = [
      "cat l",
      `cat '/proc/1/root${place.home}/token'`,
      `cat '/proc/${process.pid}/root${place.home}/token'`,
      `umount '${place.home}'; cat '${place.home}/token'`,
      `unshare -Urm sh -c "umount '${place.home}'; cat '${place.home}/token'"`,
      `mount -o remount,rw '${place.home}'; mkdir '${place.home}/teller'`,
    ];
    const text = await printed(detours.join("; "), place);
    expect(text).not.toContain("secret");
    expect(existsSync(join(place.home, "teller"))).toBe(false);
  });

  test("has no network where its task follows a read-only skill, also in the owner's own words", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const command = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}' 2> /dev/null && echo reached || echo none`;
    expect(await printed(command, open())).toBe("reached\n");
    expect(await printed(command, open(), { skill: { name: "look", level: "read-only" } })).toBe("none\n");
  });

  test("sees its own processes and no others, so that it cannot read their variables", async () => {
    const place = open();
    const pids = (await printed("cd /proc; ls -d [0-9]*", place)).trim().split("\n").map(Number);
    expect(pids.length).toBeLessThan(8);
    expect(pids).not.toContain(process.pid);
  });

  test("reads its own run's folder and what the task before it printed, and can change neither", async () => {
    const place = open();
    const runDir = join(place.home, "runs/t-000001.0.0.a1");
    mkdirSync(runDir, { recursive: true });
    const artifact = join(runDir, "output.txt");
    writeFileSync(artifact, "from the file\n");
    const upstream = [reportOf({ id: "t-000001.0.0", result: { text: "from the result", artifact } })];
    const command =
      'exec 2>&1; cat; cat "$MIMIKIT_UPSTREAM"; echo forged > /dev/stdin; echo forged > "$MIMIKIT_UPSTREAM"; chmod 777 /dev/stdin; ls "$(dirname "$MIMIKIT_UPSTREAM")"';
    expect(await printed(command, place, { upstream })).toMatch(/^(from the file\n){2}(.*\n)*output\.txt\n$/);
    expect(readFileSync(artifact, "utf8")).toBe("from the file\n");
  });

  test("is asked to end before it is made to, and nothing of it is left", async () => {
    const place = open();
    const controller = new AbortController();
    const command = "trap 'echo tidied > tidied.txt; exit 1' TERM; echo ready; while :; do sleep 0.05; done";
    const ran = await work(command, place, {
      signal: controller.signal,
      onStream: () => controller.abort("cancelled"),
    });
    expect(ran).toMatchObject({ status: "failed", failureReason: "cancelled" });
    expect(readFileSync(join(place.workDir, "tidied.txt"), "utf8")).toBe("tidied\n");
    expect(await findMarked(ran.mark)).toEqual([]);
  });

  test("cannot leave anything behind, even without its mark and in a session of its own", async () => {
    const place = open();
    const text = await printed("env -i setsid sh -c 'sleep 61.7' >/dev/null 2>&1 & echo done", place);
    expect(text).toBe("done\n");
    const left = () => {
      const all = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
      return all.split("\n").filter((args) => args === "sleep 61.7");
    };
    // The kernel ends the processes of a sandbox when it has told us of its end.
    await expect.poll(left).toEqual([]);
  });

  test.each([
    ["kill -KILL $$", "killed", true],
    ["kill -SEGV $$", "error", false],
    ["exit 3", "error", false],
  ])("ends as it would without: %s", async (command, failureReason, retryable) => {
    expect(await work(command, open())).toMatchObject({ failureReason, retryable });
  });
});

test.skipIf(!isThere)("the proof finds copies of secrets that a command can read", async () => {
  const place = open();
  mkdirSync(join(place.home, "tmp"));
  const restored = join(place.workDir, "old-state");
  mkdirSync(restored);
  writeFileSync(join(restored, "secrets.json"), "{}");
  writeFileSync(join(place.workDir, "mimikit-2026.tar.gz"), "backup");
  mkdirSync(join(place.home, "copies/before-1"), { recursive: true });
  writeFileSync(join(place.home, "copies/before-1/token"), "old");
  expect((await proveWalls(place))?.sort()).toEqual([
    `a copy of a secret (${place.workDir}/mimikit-2026.tar.gz)`,
    `a copy of a secret (${restored}/secrets.json)`,
  ]);
});

test("a command sees the state directory where the sandbox is off", async () => {
  const place = open();
  expect(await printed(`cat '${place.home}/token'`, place, { sandbox: "off" })).toBe("secret");
});

test("a result cannot name a file of the state directory as its output, so that the next task would read it", async () => {
  for (const file of ["token", "runs/t-000001.0.01.a1/x", "runs/t-000001.0.0.a1/link"]) {
    const place = open();
    for (const dir of ["t-000001.0.01.a1", "t-000001.0.0.a1"])
      mkdirSync(join(place.home, "runs", dir), { recursive: true });
    writeFileSync(join(place.home, "runs/t-000001.0.01.a1/x"), "secret");
    symlinkSync(join(place.home, "token"), join(place.home, "runs/t-000001.0.0.a1/link"));
    const result = { text: "harmless", artifact: join(place.home, file) };
    expect(await printed("cat", place, { upstream: [reportOf({ id: "t-000001.0.0", result })] })).toBe("harmless");
  }
});

test("the proof says so where codex would have to hide the workspace itself", async () => {
  const place = open({ home: "." });
  mkdirSync(join(place.home, "tmp"));
  const proof = await proveConfinement("codex", Config.parse({}), place);
  expect(proof).toMatchObject({ verdict: "refused", why: expect.stringContaining("it is the workspace") });
});

describe.skipIf(!("program" in sandbox) || sandbox.tool.name !== "bubblewrap")("the proof", () => {
  const REACHED = { verdict: "open", why: "a command reached it" };
  const HELD = { verdict: "confined", mayWork: true };

  /** Tries a bubblewrap whose options were edited: `edit` is an expression over `args`, `state`, `work` and `hidden`. */
  function proveWith(edit: string) {
    const place = open({ home: "state", workDir: "work" });
    mkdirSync(join(place.home, "tmp"));
    execFileSync("git", ["init", "-q"], { cwd: place.workDir });
    const userHome = temporaryDirectory();
    const hidden = join(userHome, ".pm2");
    mkdirSync(hidden);
    writeFileSync(join(hidden, "dump.pm2"), "sk-of-the-owner");
    const tools = temporaryDirectory();
    const names = JSON.stringify({ ...place, hidden, real: "program" in sandbox && sandbox.program });
    const script = `#!${process.execPath}
const { home: state, workDir: work, hidden, real } = ${names};
let args = process.argv.slice(2);
const without = (...options) =>
  options.reduce((line, words) => line.replaceAll("\\0" + words.join("\\0") + "\\0", "\\0"), args.join("\\0")).split("\\0");
const bind = (option, path) => args.toSpliced(args.indexOf("--chdir"), 0, option, path, path);
args = ${edit};
process.exit(require("node:child_process").spawnSync(real, args, { stdio: "inherit" }).status ?? 1);
`;
    writeFileSync(join(tools, "bwrap"), script, { mode: 0o755 });
    const program = join(import.meta.dirname, "../processes/prove-confinement.ts");
    const env = { ...process.env, PATH: `${tools}:${process.env.PATH}`, HOME: userHome, XDG_CONFIG_HOME: "" };
    const output = execFileSync(process.execPath, [program, place.home, place.workDir], { env, encoding: "utf8" });
    expect([...readdirSync(place.workDir), ...readdirSync(join(place.home, "tmp"))]).toEqual([".git"]);
    return JSON.parse(output);
  }

  test.each<[what: string, edit: string, found: object]>([
    ["as it is", "args", { worker: HELD, readOnly: { verdict: "confined" }, walls: [] }],
    [
      "that shows the devices of this machine",
      'bind("--dev-bind", "/dev")',
      { worker: HELD, walls: expect.arrayContaining(["shared memory (/dev/shm)"]) },
    ],
    [
      "that lets git's settings be changed",
      'bind("--bind", work + "/.git")',
      { walls: ["git's settings (.git/config)", "git's hooks (.git/hooks)"] },
    ],
    [
      "that shows the token",
      'bind("--ro-bind", state)',
      { walls: [expect.stringMatching(/^a copy of a secret \(.*token\)$/)] },
    ],
    ["that shows the state directory", 'bind("--ro-bind", state)', { worker: REACHED }],
    ["that shows a hidden place", 'without(["--tmpfs", hidden], ["--remount-ro", hidden])', { worker: REACHED }],
    [
      "that lets its own program be changed",
      `without(["--ro-bind", "${ROOT}", "${ROOT}"])`,
      // A clone below /tmp is not there at all in a sandbox with a /tmp of its own.
      { worker: ROOT.startsWith("/tmp/") ? HELD : REACHED },
    ],
    [
      "that shows the /tmp of others",
      'args.filter((_, at) => ![0, 1, 2].some((n) => args[at + n] === "/tmp" && args[at + n - 2] === "--bind"))',
      { worker: REACHED },
    ],
    [
      "that keeps a command from the workspace",
      'bind("--ro-bind", work)',
      { worker: { verdict: "confined", mayWork: false } },
    ],
    [
      "that leaves the network to a read-only skill",
      'without(["--unshare-net"])',
      { worker: HELD, readOnly: { verdict: "open", why: "a command reached a server of this machine" } },
    ],
    ["that does not start", '["--no-such-option"]', { worker: { verdict: "open" }, readOnly: null, walls: null }],
  ])("says of a sandbox %s what a command could do in it", (_what, edit, found) => {
    expect(proveWith(edit)).toMatchObject(found);
  });
});

describe.skipIf(platform.sandbox?.name !== "bubblewrap")("without a sandbox that works", () => {
  /** `bwrap` is the program of that name, as a script; null is none. */
  function runWith(bwrap: string | null, mode: SandboxMode): Record<string, unknown> {
    const path = temporaryDirectory();
    if (bwrap !== null) {
      writeFileSync(join(path, "bwrap"), bwrap);
      chmodSync(join(path, "bwrap"), 0o755);
    }
    const script = join(import.meta.dirname, "../processes/run-in-sandbox.ts");
    const env = { ...process.env, PATH: path };
    const output = execFileSync(process.execPath, [script, "echo ran", path, mode], { env, encoding: "utf8" });
    return JSON.parse(output);
  }
  const BROKEN = "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n";

  test("a command runs without, and it is known why", () => {
    const missing = expect.stringContaining("not installed");
    expect(runWith(null, "auto")).toEqual({
      isSandboxed: false,
      output: "ran\n",
      sandbox: { missing, next: expect.stringMatching(/^install bubblewrap/) },
    });
    const reason = expect.stringContaining("No permissions to create new namespace");
    expect(runWith(BROKEN, "auto")).toEqual({
      isSandboxed: false,
      output: "ran\n",
      sandbox: { missing: reason, next: expect.stringContaining("user namespaces") },
    });
  });

  test.each([
    [null, "install bubblewrap"],
    [BROKEN, "let bubblewrap make user namespaces"],
  ])("no command runs where one is required, and it is said what to do (%#)", (bwrap, next) => {
    expect(runWith(bwrap, "required").error).toMatch(new RegExp(`sandbox: required.*${next}`));
  });
});

test("only a task that is work may change the workspace: whoever judges conditions or sums up memory may not", async () => {
  const evaluation = [{ id: "c1", triggerId: "trg-1", leaf: 0, prompt: "Is it late?" }];
  const rollUp = { period: "2026-11-16", sources: [{ path: "memory/2026-11-16.md", sha256: "" }] };
  for (const [kind, isReadOnly] of [[{}, false] as const, [{ evaluation }, true] as const, [{ rollUp }, true] as const])
    expect(await boundsOf(runOf(taskOf({ id: "t-1.0.0", role: "worker", ...kind })))).toMatchObject({ isReadOnly });
});
