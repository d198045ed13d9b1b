/** Where the program of an agent CLI is, asked many times a turn. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { findBinary } from "../../../../packages/agent/src/providers/agent-cli/find-binary.ts";
import { temporaryDirectory } from "../../fixtures.ts";

const BINARY = { variable: "TEST_BIN", name: "agent", packaged: [] };

afterEach(() => {
  vi.useRealTimers();
});

function program(dir: string): string {
  const path = join(dir, "agent");
  writeFileSync(path, "", { mode: 0o755 });
  return path;
}

test("a program that is installed or removed while we run is noticed within seconds", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const PATH = temporaryDirectory();
  expect(findBinary(BINARY, { PATH })).toBeNull();
  const file = program(PATH);
  vi.advanceTimersByTime(10_000);
  expect(findBinary(BINARY, { PATH })).toBe(file);
  rmSync(file);
  vi.advanceTimersByTime(10_000);
  expect(findBinary(BINARY, { PATH })).toBeNull();
});

test("another PATH is another search, and a variable that names the program is looked at each time", () => {
  const [first, second] = [temporaryDirectory(), temporaryDirectory()];
  const file = program(second);
  expect(findBinary(BINARY, { PATH: first })).toBeNull();
  expect(findBinary(BINARY, { PATH: second })).toBe(file);
  const named = join(first, "named");
  expect(findBinary(BINARY, { PATH: second, TEST_BIN: named })).toBeNull();
  writeFileSync(named, "", { mode: 0o755 });
  expect(findBinary(BINARY, { PATH: second, TEST_BIN: named })).toBe(named);
});
