import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/{core,store,agent,runtime,protocol,cli,sim,http-gateway}/**/*.test.ts", "test/*.test.ts"],
          isolate: false,
        },
      },
      { test: { name: "e2e", include: ["test/e2e/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000 } },
    ],
  },
});
