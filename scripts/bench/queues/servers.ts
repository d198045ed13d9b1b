/** Servers of the bench's own, on loopback, in folders of their own: nothing of the machine's is touched. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, globSync, mkdirSync, readFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../../../test/support/free-port.ts";
import { endChild, makeFolder, removeFolder } from "../measure/cleanup.ts";
import { findProgram } from "../measure/find-program.ts";

const STARTS_MS_MAX = 20_000;
const LOOK_EVERY_MS = 20;
/** Where Debian puts PostgreSQL's programs, which are in no PATH. */
const POSTGRES_PLACES = "/usr/lib/postgresql/*/bin";
const POSTGRES_USER = "postgres";

export interface Server {
  port: number;
  pid: number;
  stop(): Promise<void>;
}

export const redisServer = (): string | null => findProgram("redis-server");

/** @param appendfsync when the log of writes is made durable: `always` before a write is answered, or once a second. */
export async function startRedis(program: string, appendfsync: "always" | "everysec"): Promise<Server> {
  const dir = makeFolder();
  const port = await freePort();
  const settings = { port, bind: "127.0.0.1", dir, appendonly: "yes", appendfsync, save: "", daemonize: "no" };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`]);
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] });
  await until("redis-server", () => listens(port));
  return { port, pid: child.pid ?? 0, stop: () => end(child, "SIGTERM", dir) };
}

export interface Postgres {
  bin: string;
  /** The user that runs it, if that is not the caller: it refuses root. */
  owner?: { uid: number; gid: number };
}

/** Where PostgreSQL is, or why it cannot be started here. */
export function findPostgres(): Postgres | string {
  const initdb = findProgram("initdb") ?? globSync(`${POSTGRES_PLACES}/initdb`).sort().at(-1);
  if (initdb === undefined) return "PostgreSQL is not installed";
  const bin = join(initdb, "..");
  if (!existsSync(join(bin, "postgres"))) return "PostgreSQL is not installed";
  if (process.getuid?.() !== 0) return { bin };
  const fields = readFileSync("/etc/passwd", "utf8").match(new RegExp(`^${POSTGRES_USER}:[^:]*:(\\d+):(\\d+):`, "m"));
  if (fields === null) return `PostgreSQL refuses root, and there is no user ${POSTGRES_USER}`;
  return { bin, owner: { uid: Number(fields[1]), gid: Number(fields[2]) } };
}

/** A cluster with its own settings, which are PostgreSQL's: each commit is synced. */
export async function startPostgres({ bin, owner }: Postgres): Promise<Server> {
  const folder = makeFolder();
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  if (owner !== undefined) for (const dir of [folder, data]) chownSync(dir, owner.uid, owner.gid);
  const asOwner = { cwd: folder, ...owner };
  execFileSync(join(bin, "initdb"), ["-D", data, "-A", "trust", "-U", POSTGRES_USER, "--no-sync"], {
    stdio: ["ignore", "ignore", "inherit"],
    ...asOwner,
  });
  const port = await freePort();
  const settings = [
    "-h",
    "127.0.0.1",
    "-p",
    `${port}`,
    "-c",
    "unix_socket_directories=",
    "-c",
    "log_min_messages=fatal",
  ];
  const child = spawn(join(bin, "postgres"), ["-D", data, ...settings], { stdio: "ignore", ...asOwner });
  // It listens before it answers; when it does, it says so in its file.
  const status = join(data, "postmaster.pid");
  await until("PostgreSQL", () => existsSync(status) && readFileSync(status, "utf8").includes("ready"));
  // SIGTERM: it stops when its clients have left, who would take anything else for an error.
  return { port, pid: child.pid ?? 0, stop: () => end(child, "SIGTERM", folder) };
}

async function end(child: ChildProcess, signal: NodeJS.Signals, folder: string): Promise<void> {
  await endChild(child, signal);
  removeFolder(folder);
}

/** Looks again and again, until it is so. Throws when that takes too long. */
async function until(name: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + STARTS_MS_MAX;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`${name} did not start in time`);
    await wait(LOOK_EVERY_MS);
  }
}

async function listens(port: number): Promise<boolean> {
  const socket = createConnection(port, "127.0.0.1");
  const answered = await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
  });
  socket.destroy();
  return answered;
}
