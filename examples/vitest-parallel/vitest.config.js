import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.js"],
    // The files run side by side; what is in one file runs in order.
    fileParallelism: true,
    maxWorkers: 4,
    // A limit for what hangs: a busy CI machine may be slow.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
