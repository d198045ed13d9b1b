/** The time and memory of processes: as Linux tells it under /proc. */
import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";

/** The kernel counts processor time for user space in hundredths of a second, on every platform that Node runs on. */
const TICK_MS = 10;
const MB = 1e6;

/** Processor time of these processes since each was started, in milliseconds, all threads together. */
export function cpuMs(pids: readonly number[]): number {
  return TICK_MS * pids.reduce((sum, pid) => sum + ticksOf(pid), 0);
}

function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name of the program, in brackets, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user, system] = [fields[11], fields[12]].map(Number);
  return (user ?? 0) + (system ?? 0);
}

/** Memory of these processes in megabytes: all that is resident, and with what is shared divided among those who share it. */
export function memoryOf(pids: readonly number[]): { rss: number; pss: number } {
  const sum = { rss: 0, pss: 0 };
  for (const pid of pids) {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    const bytes = (name: string) => 1_024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0);
    sum.rss += bytes("Rss") / MB;
    sum.pss += bytes("Pss") / MB;
  }
  return sum;
}

/** How busy the machine is: processes that wanted to run in the last minute, beside its processors. */
export const loadText = (): string => `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} processors`;
