/** A clock that no change of the time of day affects. */
const NS_PER_MS = 1_000_000n;

/** The time of CLOCK_MONOTONIC in milliseconds, the same for all processes of this machine since its start. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / NS_PER_MS);
}
