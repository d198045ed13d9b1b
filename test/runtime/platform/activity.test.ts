/** The activity of a process, by which the watchdog knows that it hangs, on each platform. */
import { spawn } from "node:child_process";
import { linux } from "@mimikit/runtime/platform/linux";
import { portable } from "@mimikit/runtime/platform/portable";
import { expect, onTestFinished, test } from "vitest";

/** A Node that runs `code`. */
function node(code: string): number {
  const child = spawn(process.execPath, ["-e", code], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child.pid ?? 0;
}

const PLATFORMS = [["linux", linux] as const, ["portable", portable] as const].slice(
  process.platform === "linux" ? 0 : 1,
);

test.each(PLATFORMS)(
  "an endless loop uses its processor until it is stopped, and does not wait (%s)",
  async (_, platform) => {
    const pid = node("for (;;);");
    await expect.poll(() => platform.activityOf(pid)?.cpuMs, { timeout: 60_000 }).toBeGreaterThan(1_000);
    expect(platform.activityOf(pid)).toMatchObject({ isHeld: false, isWaiting: false });
    process.kill(pid, "SIGSTOP");
    await expect.poll(() => platform.activityOf(pid)?.isHeld, { timeout: 60_000 }).toBe(true);
  },
);

test.skipIf(process.platform !== "linux")(
  "a wait that does not end is one; a stopped process does not wait",
  async () => {
    const pid = node("Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)");
    await expect.poll(() => linux.activityOf(pid)?.isWaiting, { timeout: 60_000 }).toBe(true);
    process.kill(pid, "SIGSTOP");
    await expect.poll(() => linux.activityOf(pid)?.isHeld, { timeout: 60_000 }).toBe(true);
    expect(linux.activityOf(pid)?.isWaiting).toBe(false);
  },
);

test.each(PLATFORMS)("nothing is known of a process that is gone (%s)", (_, platform) => {
  expect(platform.activityOf(0x7fffffff)).toBeNull();
});
