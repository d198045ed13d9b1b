/**
 * Loaded into real processes (`node --import`): their wall clock is as many milliseconds ahead as the file that SHIFT_CLOCK
 * names says, and moves when the file changes. What runs by monotonic time goes on as it is.
 */
import { readFileSync } from "node:fs";

/** Milliseconds between two looks at the file. */
const LOOK_EVERY_MS = 20;
const RealDate = Date;
const path = process.env.SHIFT_CLOCK ?? "";

let shiftMs = 0;
let lookedAtMs = Number.NEGATIVE_INFINITY;

function now(): number {
  const elapsedMs = performance.now();
  if (elapsedMs - lookedAtMs >= LOOK_EVERY_MS) {
    lookedAtMs = elapsedMs;
    shiftMs = Number(readFileSync(path, "utf8"));
  }
  return RealDate.now() + shiftMs;
}

class ShiftedDate extends RealDate {
  constructor(...given: [] | [number | string | Date]) {
    super(given[0] ?? now());
  }

  static override now(): number {
    return now();
  }
}

/** `new Date(2026, 10, 22)`, with all its forms, is the real one's. */
globalThis.Date = new Proxy(ShiftedDate, {
  construct: (target, given: unknown[]) =>
    given.length === 0 ? new target() : Reflect.construct(RealDate, given, RealDate),
  apply: () => new ShiftedDate().toString(),
}) as unknown as DateConstructor;
