/** System calls, as strace counts them. The watched process is slow meanwhile, and only counts mean anything. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { endChild } from "./cleanup.ts";
import { findProgram } from "./find-program.ts";

export const strace = (): string | null => findProgram("strace");

/** How many calls these processes make while something is done, all threads together. */
export async function countSystemCalls(
  program: string,
  pids: readonly number[],
  act: () => Promise<void>,
): Promise<number> {
  const args = ["-c", "-f", ...pids.flatMap((pid) => ["-p", `${pid}`])];
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  if (child.stderr === null) throw new Error("strace has no output");
  // The first thing that it says is that it is attached.
  const attached = once(child.stderr, "data");
  const said = text(child.stderr);
  await attached;
  await act();
  await endChild(child, "SIGINT");
  // The last line: `100.00    1.234    12    90210    1234 total`.
  const total = /^ *100\.00 +\S+ +\d+ +(\d+) .*total$/m.exec(await said)?.[1];
  if (total === undefined) throw new Error("strace has counted nothing");
  return Number(total);
}
