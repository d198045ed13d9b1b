import { delimiter, join } from "node:path";
import { defineConfig } from "vitest/config";

// The processes that tests start are compiled once, not each time.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/node");

// Records that tests make about state directories stay out of the user's own.
process.env.XDG_STATE_HOME ??= join(import.meta.dirname, "node_modules/.cache/state");

// Hints name a command as a shell with this PATH finds it, and tests read them: here it is `mimikit`.
process.env.PATH = `${process.env.PATH}${delimiter}${import.meta.dirname}`;

/** How long a poll goes on: an event that is awaited comes when the machine has the time for it. */
const expect = { poll: { timeout: 20_000 } };
/** Projects whose tests start programs. */
const BUNDLES = "test/support/programs.ts";
const slow = { globalSetup: BUNDLES, testTimeout: 300_000, hookTimeout: 120_000, expect };

export default defineConfig({
  test: {
    // Most of the time goes by in waiting for real processes, not in computing.
    maxWorkers: 4,
    projects: [
      {
        test: {
          name: "unit",
          // Each test that belongs to no other project, so that no folder is left out.
          include: ["test/**/*.test.ts"],
          exclude: ["test/{agents,attacks,browser,cli,container,e2e,improve,kills,package,pm2,servers,sim}/**"],
          isolate: false,
          testTimeout: 90_000,
          hookTimeout: 90_000,
          expect,
        },
      },
      // The real system once, from a message to its report: enough to see that a clone works.
      { test: { name: "quick", include: ["test/e2e/main-job.test.ts"], ...slow } },
      // Most of these start the program many times.
      { test: { ...slow, name: "cli", include: ["test/cli/**/*.test.ts"], testTimeout: 90_000, hookTimeout: 90_000 } },
      // It computes all the time, beside whatever else runs.
      { test: { name: "sim", include: ["test/sim/**/*.test.ts"], ...slow, testTimeout: 900_000 } },
      { test: { name: "e2e", include: ["test/e2e/**/*.test.ts"], ...slow } },
      {
        test: {
          name: "agents",
          include: ["test/agents/**/*.test.ts"],
          ...slow,
          globalSetup: [BUNDLES, "test/agents/setup.ts"],
          setupFiles: "test/agents/own-home.ts",
        },
      },
      { test: { name: "servers", include: ["test/servers/**/*.test.ts"], ...slow } },
      { test: { name: "attacks", include: ["test/attacks/**/*.test.ts"], ...slow } },
      { test: { name: "improve", include: ["test/improve/**/*.test.ts"], ...slow } },
      {
        test: {
          name: "portable",
          // What depends on the system most, as on one without /proc, abstract sockets, control groups and a sandbox.
          include: [
            "test/runtime/**/*.test.ts",
            "test/agent/shell/**/*.test.ts",
            "test/worker-pool/end-earlier.test.ts",
            "test/e2e/{main-job,interrupts,left-running,removed-directories}.test.ts",
          ],
          env: { MIMIKIT_PLATFORM: "portable" },
          ...slow,
        },
      },
      { test: { name: "container", include: ["test/container/**/*.test.ts"], ...slow } },
      { test: { name: "pm2", include: ["test/{kills,pm2}/**/*.test.ts"], ...slow } },
      {
        test: {
          name: "package",
          include: ["test/package/**/*.test.ts"],
          ...slow,
          globalSetup: [BUNDLES, "test/package/setup.ts"],
        },
      },
      {
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          ...slow,
          globalSetup: [BUNDLES, "test/browser/support/setup.ts"],
        },
      },
    ],
  },
});
