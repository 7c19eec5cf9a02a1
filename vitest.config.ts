import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Every answer of the service in the suite is held against the OpenAPI document.
    setupFiles: ["test/support/openapi-setup.ts"],
    // Limits for what hangs. How fast something is, bench/ measures: a busy machine must not fail a test.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    pool: "threads",
    // Most files wait for a process, a socket or a disk half of the time: a worker a core, not one core left out.
    maxWorkers: "100%",
  },
});
