/** The table of processes as POSIX's `ps` tells it: on Linux, macOS and the BSDs, to the second. */
import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";
import type { Identity } from "@mimikit/protocol/records/claim";
import type { Activity, RunningProcess } from "./platform.ts";

/** Environments of a thousand processes. */
const OUTPUT_BYTES_MAX = 64 * 1_048_576;
const MS_MAX = 10_000;
/** A process found alive is not asked for again within this time; one that is gone is noticed at once all the same. */
const FRESH_MS = 100;
/** `Mon Nov 23 12:17:44 2026`: C's own way to write a time, in UTC, whatever the user's language is. */
const LOCALE = { LC_CTYPE: process.platform === "darwin" ? "UTF-8" : "C.UTF-8", LC_TIME: "C", TZ: "UTC" };
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const LSTART = String.raw`\w{3} +(\w{3}) +(\d+) (\d+):(\d+):(\d+) (\d{4})`;
const ONE = new RegExp(`^ *([A-Za-z]\\S*) +${LSTART}`, "m");
const ROW = new RegExp(`^ *(\\d+) +(\\d+) +([A-Za-z]\\S*) +${LSTART} ?(.*)$`);
/** The state, and a time as `1-02:03:04`, on macOS `0:01.23`. */
const ACTIVITY = /^ *([A-Za-z]\S*) +(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)/m;
/** Where a variable begins in what ps prints after the arguments. */
const VARIABLE = / (?=[^ =]+=)/;

const options = () => ({
  env: { PATH: `${process.env.PATH ?? ""}:/bin:/usr/bin`, ...LOCALE },
  encoding: "utf8" as const,
  maxBuffer: OUTPUT_BYTES_MAX,
  timeout: MS_MAX,
});

const seen = new Map<number, { atMs: number; startTime: string }>();

/** When process `pid` began, in seconds since 1970; null when there is none, or when it is a zombie. Throws where ps cannot be run. */
export function startTimeOf(pid: number): string | null {
  if (!exists(pid)) {
    seen.delete(pid);
    return null;
  }
  const known = seen.get(pid);
  // This process does not end while it asks.
  if (known !== undefined && (pid === process.pid || performance.now() - known.atMs < FRESH_MS)) return known.startTime;
  seen.delete(pid);
  const found = ONE.exec(runOnce(["-o", "stat=,lstart=", "-p", String(pid)]));
  if (found === null) return null;
  const [, state = "", ...time] = found;
  if (isOver(state)) return null;
  const startTime = secondsOf(time);
  seen.set(pid, { atMs: performance.now(), startTime });
  return startTime;
}

/** The memory of process `pid` in bytes; null if there is none. */
export function residentBytesOf(pid: number): number | null {
  const kilobytes = runOnce(["-o", "rss=", "-p", String(pid)]).trim();
  return kilobytes === "" ? null : Number(kilobytes) * 1_024;
}

/** The activity of process `pid` according to ps; null if there is none. */
export function activityWithPs(pid: number): Activity | null {
  const [, state = "", ...times] = ACTIVITY.exec(runOnce(["-o", "stat=,time=", "-p", String(pid)])) ?? [];
  if (state === "") return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = times.map((part) => Number(part ?? 0));
  const cpuMs = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000;
  return { cpuMs, isHeld: /^[DTU]/i.test(state), isWaiting: false };
}

/** The environment of process `pid` according to ps; null if ps does not show it. */
export function environmentWithPs(pid: number): ReadonlyMap<string, string> | null {
  const shown = (flags: string) => runOnce([flags, "-o", "args=", "-p", String(pid)]).trimEnd();
  const [bare, full] = [shown("-ww"), shown(process.platform === "darwin" ? "-Eww" : "eww")];
  return bare !== "" && full.length > bare.length && full.startsWith(bare)
    ? parseEnvironment(full.slice(bare.length))
    : null;
}

/** Every living process of this user's, of all users for root; never this one. @param identify adds the boot. */
export async function listWithPs(identify: (pid: number, startTime: string) => Identity): Promise<RunningProcess[]> {
  // The environment stands after the arguments, without a bound between the two: the arguments alone tell where it begins.
  const [bare, full] = await Promise.all([table("axww"), table(process.platform === "darwin" ? "axEww" : "axeww")]);
  const own = process.getuid?.() ?? 0;
  return [...bare].flatMap(([key, { pid, uid, state, startTime, text }]) => {
    if (pid === process.pid || isOver(state) || (own !== 0 && uid !== own)) return [];
    const said = full.get(key)?.text ?? "";
    const environment = parseEnvironment(said.startsWith(text) ? said.slice(text.length) : "");
    return [{ ...identify(pid, startTime), args: text.split(" ").filter((arg) => arg !== ""), environment }];
  });
}

interface Row {
  pid: number;
  uid: number;
  state: string;
  startTime: string;
  /** The arguments, and in the full table the environment after them. */
  text: string;
}

/** By pid and start time. */
async function table(flags: string): Promise<Map<string, Row>> {
  // Columns that all of them have; the last is cut nowhere.
  const { stdout } = await promisify(execFile)("ps", [flags, "-o", "pid=,uid=,stat=,lstart=,args="], options());
  const rows = stdout.split("\n").flatMap((line): [string, Row][] => {
    const found = ROW.exec(line);
    if (found === null) return [];
    const [, pid = "", uid = "", state = "", ...rest] = found;
    const startTime = secondsOf(rest);
    return [[`${pid}/${startTime}`, { pid: Number(pid), uid: Number(uid), state, startTime, text: rest[6] ?? "" }]];
  });
  return new Map(rows);
}

/** Its output; empty where ps ends with 1, which says that there is no such process. */
function runOnce(args: readonly string[]): string {
  try {
    return execFileSync("ps", args, { ...options(), stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    if (error instanceof Error && "status" in error && error.status === 1) return "";
    throw error;
  }
}

/** A zombie runs nothing any more. */
const isOver = (state: string) => state.startsWith("Z") || state.startsWith("X");

function secondsOf([month = "", ...numbers]: readonly string[]): string {
  const [day = 0, hours = 0, minutes = 0, seconds = 0, year = 0] = numbers.slice(0, 5).map(Number);
  return String(Date.UTC(year, MONTHS.indexOf(month), day, hours, minutes, seconds) / 1_000);
}

/** A value with ` name=` in it is cut there: ps does not tell it from the next variable. */
function parseEnvironment(text: string): Map<string, string> {
  const [, ...pairs] = text.split(VARIABLE);
  // The last one wins in a Map; a process that says a variable twice means the first.
  return new Map(
    pairs.reverse().map((pair): [string, string] => {
      const equals = pair.indexOf("=");
      return [pair.slice(0, equals), pair.slice(equals + 1)];
    }),
  );
}

/** Another user's process exists too. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
