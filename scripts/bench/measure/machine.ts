/** The machine of the moment: figures of different machines, or hours, are not to be compared. */
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { cpus, release } from "node:os";
import { join } from "node:path";
import { makeFolder, removeFolder } from "./cleanup.ts";
import { type Figures, quantile } from "./figures.ts";
import { loadText } from "./processes.ts";

const SYNCS = 200;
const SYNCED_BYTES = 300;
const LOOPS = 5;
const LOOP_STEPS = 20_000_000;

/** A disk that answers at once, and a processor that nobody else wants, are what both sides of a comparison need. */
export function machineNow(): Figures {
  const syncs = syncTimes();
  const loops = Array.from({ length: LOOPS }, loopMs);
  return {
    [`fdatasync of ${SYNCED_BYTES} bytes, p50, ms`]: quantile(syncs, 0.5),
    [`fdatasync of ${SYNCED_BYTES} bytes, p99, ms`]: quantile(syncs, 0.99),
    "a loop of 20 million steps, ms": quantile(loops, 0.5),
  };
}

export function describeMachine(): string {
  return `${cpus()[0]?.model ?? "unknown processor"}, Linux ${release()}, Node ${process.versions.node}, ${loadText()}`;
}

function syncTimes(): number[] {
  const folder = makeFolder();
  const file = openSync(join(folder, "synced"), "w");
  const bytes = Buffer.alloc(SYNCED_BYTES, "x");
  const times = Array.from({ length: SYNCS }, () => {
    const startMs = performance.now();
    writeSync(file, bytes);
    fdatasyncSync(file);
    return performance.now() - startMs;
  });
  closeSync(file);
  removeFolder(folder);
  return times;
}

function loopMs(): number {
  const startMs = performance.now();
  let state = 1;
  for (let step = 0; step < LOOP_STEPS; step++) state = Math.imul(state, 48_271) + step;
  if (state === 0) throw new Error("the loop was not run");
  return performance.now() - startMs;
}
