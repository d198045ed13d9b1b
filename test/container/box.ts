/**
 * A Dockerfile carried out without a container engine: its steps in an empty root, and its command in namespaces of its own, as its user,
 * with a root that cannot be written. Of this machine it has /usr alone, so what `apt-get` would install must be there.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { type Instruction, type RunPlan, runPlanOf, type Stage, stagesOf } from "./dockerfile.ts";

const ROOT = join(import.meta.dirname, "../..");
const PATH = "/usr/local/bin:/usr/bin:/bin";
/** The program that is looked for, of each package of the system that the image has. */
const PROGRAMS: Readonly<Record<string, string>> = { bubblewrap: "bwrap", git: "git", tini: "tini" };
/** Packages without a program. */
const WITHOUT_PROGRAM = ["ca-certificates"];
const NAMESPACES = ["--unshare-pid", "--unshare-uts", "--unshare-ipc", "--unshare-net"];

/** Why no Dockerfile can be carried out here; null where it can. */
export function whyNoBox(): string | null {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "it takes root on Linux";
  const missing = ["bwrap", "setpriv", "nsenter", "tini"].filter((name) => !isProgram(name));
  return missing.length === 0 ? null : `${missing.join(", ")} is missing`;
}

function isProgram(name: string): boolean {
  return ["/usr/bin", "/usr/sbin"].some((directory) => existsSync(join(directory, name)));
}

/** Carries out every stage of the repository's Dockerfile below `directory`, which must be empty. */
export function build(directory: string): Box {
  const stages = stagesOf(readFileSync(join(ROOT, "Dockerfile"), "utf8"));
  const roots = new Map<string, string>();
  for (const [n, stage] of stages.entries()) {
    const root = join(directory, `${n}`);
    makeRoot(root);
    let workDir = "/";
    for (const each of stage.instructions) {
      if (each.name === "WORKDIR") workDir = each.text;
      if (each.name === "WORKDIR") mkdirSync(join(root, workDir), { recursive: true });
      if (each.name === "COPY") copy(each, root, workDir, roots);
      if (each.name === "RUN") runStep(each.text, root, workDir);
    }
    roots.set(stage.name, root);
  }
  return new Box(join(directory, `${stages.length - 1}`), runPlanOf(stages.at(-1) as Stage));
}

/** As an image of Debian with Node is: its directories, a user `node`, and nothing else. */
function makeRoot(root: string): void {
  for (const name of ["usr/local/bin", "dev", "proc", "tmp", "root", "etc", "home/node"])
    mkdirSync(join(root, name), { recursive: true });
  for (const name of ["bin", "sbin", "lib", "lib64"]) symlinkSync(`usr/${name}`, join(root, name));
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n");
  writeFileSync(join(root, "usr/local/bin/node"), "");
  chownSync(join(root, "home/node"), 1000, 1000);
}

function copy({ text: words }: Instruction, root: string, workDir: string, roots: ReadonlyMap<string, string>): void {
  const [, from, source = "", target = ""] = /^(?:--from=(\S+) )?(\S+) (\S+)$/.exec(words) ?? [];
  const to = join(root, resolve(workDir, target));
  if (from !== undefined) cpSync(join(roots.get(from) ?? "", source), to, { recursive: true, verbatimSymlinks: true });
  else for (const path of contextFiles()) cpSync(join(ROOT, source, path), join(to, path), { verbatimSymlinks: true });
}

/** The files that git knows, and that are not kept from the image. */
function contextFiles(): string[] {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: ROOT, encoding: "utf8" });
  const ignored = readFileSync(join(ROOT, ".dockerignore"), "utf8").split("\n");
  return listed
    .split("\n")
    .filter((path) => existsSync(join(ROOT, path)) && path !== "")
    .filter((path) => !ignored.some((name) => path === name || path.startsWith(`${name}/`)));
}

/** The root of an image in the place of this machine's, but for /usr; `isWritable` while it is built. */
function mounts(root: string, isWritable: boolean): string[] {
  const bind = isWritable ? "--bind" : "--ro-bind";
  return [
    ...["--cap-add", "ALL", bind, root, "/", "--ro-bind", "/usr", "/usr", bind, join(root, "usr/local"), "/usr/local"],
    ...["--ro-bind", process.execPath, "/usr/local/bin/node", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp"],
    ...["--clearenv", "--setenv", "PATH", PATH],
  ];
}

function runStep(line: string, root: string, workDir: string): void {
  if (line.startsWith("apt-get ")) {
    assertInstalled(line);
    return;
  }
  // npm asks the registry of this machine, and keeps what it downloads where this machine does.
  const shared = ["/etc/resolv.conf", "/etc/hosts", "/etc/ssl", join(homedir(), ".npmrc"), join(homedir(), ".npm")];
  const npm = Object.entries(process.env).filter(([name]) => /^npm_config_(registry|cafile|cache|prefer)/i.test(name));
  execFileSync(
    "bwrap",
    [
      ...mounts(root, true),
      ...["--unshare-pid", "--proc", "/proc", "--setenv", "HOME", homedir()],
      ...shared.filter(existsSync).flatMap((path) => ["--bind", path, path]),
      ...npm.flatMap(([name, value = ""]) => ["--setenv", name, value]),
      ...["--chdir", workDir, "/bin/sh", "-c", line],
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
}

function assertInstalled(line: string): void {
  const packages = /install -y --no-install-recommends ([^&]+)/.exec(line)?.[1]?.trim().split(" ") ?? [];
  const missing = packages.filter((name) => !WITHOUT_PROGRAM.includes(name) && !isProgram(PROGRAMS[name] ?? name));
  if (missing.length > 0) throw new Error(`not installed on this machine, as the image has it: ${missing.join(", ")}`);
}

/** A container of the image. */
export class Box {
  readonly plan: RunPlan;
  /** Its output. */
  output = "";
  private readonly root: string;
  private process: ChildProcess | undefined;

  constructor(root: string, plan: RunPlan) {
    this.root = root;
    this.plan = plan;
  }

  /** `docker run --read-only --tmpfs /tmp`. */
  start(): void {
    const { volumes, workDir, command } = this.plan;
    const writable = volumes.flatMap((path) => ["--bind", join(this.root, path), path]);
    this.process = spawn(
      "bwrap",
      [
        ...mounts(this.root, false),
        ...NAMESPACES,
        ...["--as-pid-1", "--die-with-parent", "--proc", "/proc", ...writable, "--chdir", workDir],
        ...this.asUser(command),
      ],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    this.process.stdout?.on("data", (chunk: Buffer) => {
      this.output += chunk.toString();
    });
  }

  /** `docker exec`. */
  async exec(...words: string[]): Promise<{ code: number | null; out: string }> {
    const inside = ["--target", `${this.firstPid()}`, "--mount", "--pid", "--net", "--uts", "--ipc", "--root"];
    const child = spawn("nsenter", [...inside, `--wdns=${this.plan.workDir}`, ...this.asUser(words)], {
      env: { PATH: `${PATH}:/usr/sbin` },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [out] = await Promise.all([text(child.stdout), once(child, "close")]);
    return { code: child.exitCode, out };
  }

  /** Ends its first process with a signal, as `docker stop` does. @returns its exit code. */
  async stop(signal: "SIGTERM" | "SIGKILL"): Promise<number | null> {
    const child = this.process;
    if (child === undefined || child.exitCode !== null) return child?.exitCode ?? null;
    const closed = once(child, "close");
    process.kill(this.firstPid(), signal);
    await closed;
    return child.exitCode;
  }

  private asUser(command: readonly string[]): string[] {
    const { uid, gid, env } = this.plan;
    const rights = ["--clear-groups", "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"];
    const variables = Object.entries({ ...env, HOME: "/home/node" }).map(([name, value]) => `${name}=${value}`);
    return ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, ...rights, "env", ...variables, ...command];
  }

  /** As this machine counts; the only child of bubblewrap. */
  private firstPid(): number {
    const pid = this.process?.pid;
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim());
  }
}
