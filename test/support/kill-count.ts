/** @returns `few`, or `all` where LONG_TESTS=1 is set, as `.ci/nightly` does: how many kills a test makes. */
export const killCount = (few: number, all: number): number => (process.env.LONG_TESTS === "1" ? all : few);
