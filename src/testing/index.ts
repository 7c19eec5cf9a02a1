/** ES module entry point of `payments-sandbox/testing`. */
import { offerHooks } from "./setup.js";

export type { TestHooks } from "./runner.js";
export { type SetupOptions, setupSandbox, type TestSandbox } from "./setup.js";

// Vitest has no global hooks by default, and setupSandbox() cannot wait for an import.
if (process.env.VITEST !== undefined) offerHooks(await vitestHooks());

/** Returns undefined if a package manager hides Vitest from this package. Tests then need the option `hooks`. */
async function vitestHooks() {
  try {
    return await import("vitest");
  } catch (error) {
    // Yarn reports a missing module as MODULE_NOT_FOUND.
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
