const loading = new Set<Promise<unknown>>();

/**
 * Loads a module when it is first needed, where nobody may be waiting for it: `nothingLoading()` does. A test runner
 * takes a module that is asked for after its end for a fault, and Jest ends the whole run for it.
 */
export async function lazily<Module>(load: () => Promise<Module>): Promise<Module> {
  const loaded = load();
  loading.add(loaded);
  try {
    return await loaded;
  } finally {
    loading.delete(loaded);
  }
}

/** Resolves when nothing is being loaded. A module that fails is its asker's to tell of. */
export async function nothingLoading(): Promise<void> {
  while (loading.size > 0) await Promise.allSettled(loading);
}
