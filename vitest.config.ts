import { join } from "node:path";
import { defineConfig } from "vitest/config";

// The processes that tests start are compiled once, not each time.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/node");

// Records that tests make about state directories stay out of the user's own.
process.env.XDG_STATE_HOME ??= join(import.meta.dirname, "node_modules/.cache/state");

const slow = { testTimeout: 300_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    // Most of the time goes by in waiting for real processes, not in computing.
    maxWorkers: 4,
    projects: [
      {
        test: {
          name: "unit",
          // Whatever belongs to no other project, so that there is no folder whose tests nobody runs.
          include: ["test/**/*.test.ts"],
          exclude: ["test/{agents,browser,e2e,improve,pm2,sim}/**"],
          isolate: false,
          testTimeout: 90_000,
        },
      },
      { test: { name: "sim", include: ["test/sim/**/*.test.ts"], ...slow } },
      { test: { name: "e2e", include: ["test/e2e/**/*.test.ts"], ...slow } },
      {
        test: {
          name: "agents",
          include: ["test/agents/**/*.test.ts"],
          globalSetup: "test/agents/setup.ts",
          setupFiles: "test/agents/own-home.ts",
          ...slow,
        },
      },
      { test: { name: "improve", include: ["test/improve/**/*.test.ts"], ...slow } },
      { test: { name: "pm2", include: ["test/pm2/**/*.test.ts"], ...slow } },
      {
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          globalSetup: "test/browser/support/setup.ts",
          ...slow,
        },
      },
    ],
  },
});
