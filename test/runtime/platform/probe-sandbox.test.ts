/** The probe whether the sandbox of this system works. */
import { probeSandbox } from "@mimikit/runtime/platform/probe-sandbox";
import { platform } from "@mimikit/runtime/platform/this-platform";
import { BUBBLEWRAP, findRequired } from "@mimikit/runtime/requirements";
import { expect, onTestFinished, test, vi } from "vitest";

const tool = platform.sandbox;
const program = tool === null ? null : (tool.program ?? findRequired(BUBBLEWRAP, process.env));

test.runIf(tool !== null && program !== null)(
  "the probe of the sandbox writes no file, so that a kill in the middle of it leaves none behind",
  async () => {
    if (tool === null || program === null) throw new Error("there is none");
    const expected = await probeSandbox(tool, program);
    vi.stubEnv("TMPDIR", "/nowhere");
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await probeSandbox(tool, program)).toBe(expected);
  },
);

test.runIf(tool !== null)("a program that hides nothing does not work as a sandbox", async () => {
  if (tool === null) throw new Error("there is none");
  expect(await probeSandbox({ ...tool, wrap: (_, [file = "", ...args]) => [file, ...args] }, "none")).not.toBeNull();
});
