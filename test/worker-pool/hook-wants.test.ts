/** Which events a hook wants by the title that it names. */
import type { HookEvent } from "@mimikit/protocol/records/hook";
import type { Hook } from "@mimikit/runtime/hooks/read-hooks";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { wants } from "../../apps/worker-pool/src/hooks/wants.ts";

const isWanted = (title: string, said: string) =>
  wants({ on: "task_done", title } as Hook, { type: "task_done", data: { title: said } } as HookEvent);

test("a star stands for any characters, everything else for itself", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", ".", "\n", "*"), maxLength: 8 });
  void fc.assert(
    fc.property(text, text, (pattern, said) => {
      const parts = pattern.split("*").map((part) => part.replaceAll(".", "\\."));
      expect(isWanted(pattern, said)).toBe(new RegExp(`^${parts.join(".*")}$`, "s").test(said));
    }),
    { numRuns: 2_000 },
  );
});

test("however many stars a title has, it is compared in one pass", () => {
  expect(isWanted(`${"*a".repeat(40)}*b`, "a".repeat(500))).toBe(false);
});
