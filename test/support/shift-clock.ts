/**
 * Loaded into real processes (`node --import`): their wall clock is as many milliseconds ahead as the file that
 * SHIFT_CLOCK names says, and moves when the file changes. Monotonic time goes on as it is.
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

/** The real one in all but what it says of now: its prototype too, so that every date is an instance of it. */
const ShiftedDate: DateConstructor = new Proxy(RealDate, {
  construct: (target, given: unknown[], newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget === ShiftedDate ? target : newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name, receiver) => (name === "now" ? now : Reflect.get(target, name, receiver)),
});
globalThis.Date = ShiftedDate;
