/** A last occurrence that is further ahead than this, in milliseconds, was decided by a clock that was ahead. */
export const AHEAD_MS_MIN = 600_000;
