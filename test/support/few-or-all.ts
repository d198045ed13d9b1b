/** @returns `few`, or `all` where LONG_TESTS=1 is set, as `.ci/nightly` does: how often a test repeats what it does. */
export const fewOrAll = (few: number, all: number): number => (process.env.LONG_TESTS === "1" ? all : few);
