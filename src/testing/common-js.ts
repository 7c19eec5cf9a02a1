/** The door for tests where it is required: Jest has its hooks as globals. */
export type { TestHooks } from "./hooks.js";
export { type SetupOptions, setupSandbox, type TestSandbox } from "./setup.js";
