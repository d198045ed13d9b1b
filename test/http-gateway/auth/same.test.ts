import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isSame } from "../../../apps/http-gateway/src/auth/same.ts";

const AUTH = join(import.meta.dirname, "../../../apps/http-gateway/src/auth");

test.each([
  ["a", "a", true],
  ["a", "b", false],
  ["a", "aa", false],
  ["", "", true],
  ["é", "e\u0301", false],
])("28 %j and %j are told as equal only where they are, also where one is longer", (a, b, same) => {
  expect(isSame(a, b)).toBe(same);
});

test("28 every credential is compared in constant time, and none by an operator", () => {
  expect(readFileSync(join(AUTH, "same.ts"), "utf8")).toContain("timingSafeEqual(digest(a), digest(b))");
  for (const file of ["auth.ts", "sessions.ts"]) {
    const text = readFileSync(join(AUTH, file), "utf8");
    expect(text).toContain("isSame(");
    expect(text).not.toMatch(/\b(?:token|secret|cookie|\w+Hash)\b\)? ?[!=]== (?!undefined|null|")/);
  }
});
