import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Every answer of the service in the suite is held against the OpenAPI document.
    setupFiles: ["test/support/openapi-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "threads",
    // Most files wait for a process, a socket or a disk half of the time: a worker a core, not one core left out.
    maxWorkers: "100%",
  },
});
