/** The door for tests (`payments-sandbox/testing`) where ES modules are imported. */
import { offerHooks } from "./testing/setup.js";

export type { TestHooks } from "./testing/hooks.js";
export { type SetupOptions, setupSandbox, type TestSandbox } from "./testing/setup.js";

// Vitest has no globals unless told so, and hooks must be there when setupSandbox() is called.
if (process.env.VITEST !== undefined) offerHooks(await vitestHooks());

/** Undefined where a package manager keeps Vitest out of our sight: then the test passes its hooks. */
async function vitestHooks() {
  try {
    return await import("vitest");
  } catch (error) {
    // The second is Yarn's word for it.
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
