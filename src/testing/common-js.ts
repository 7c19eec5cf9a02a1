/** CommonJS entry point of `payments-sandbox/testing`. Imports no hooks, because Jest's hooks are globals. */
export type { TestHooks } from "./runner.js";
export { type SetupOptions, setupSandbox, type TestSandbox } from "./setup.js";
