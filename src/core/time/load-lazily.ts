const loading = new Set<Promise<unknown>>();

/**
 * Imports a module on first use and tracks it for `waitForLazyLoads()`. Test runners report an import after the end of
 * the tests as an error; Jest ends the whole run.
 */
export async function loadLazily<Module>(load: () => Promise<Module>): Promise<Module> {
  const promise = load();
  loading.add(promise);
  try {
    return await promise;
  } finally {
    loading.delete(promise);
  }
}

/** Resolves when no import is pending. Errors go to the caller of `loadLazily`. */
export async function waitForLazyLoads(): Promise<void> {
  while (loading.size > 0) await Promise.allSettled(loading);
}
