import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { NamespaceStorage } from "./host.js";
import { DEFAULT_NAMESPACE } from "./host.js";
import { memoryStore } from "./runtime/store/memory.js";

/** Where namespaces keep their state: in memory, or each in a file of its own beside the default one's. */
export async function namespaceStorage(data: string | undefined, fsync: boolean): Promise<NamespaceStorage> {
  if (data === undefined) return { open: () => memoryStore(), names: () => [], remove: () => {} };
  const { fileStore } = await import("./runtime/store/file.js");
  const fileOf = (name: string): string => (name === DEFAULT_NAMESPACE ? data : `${data}.ns-${name}`);
  return {
    open: (name) => fileStore({ file: fileOf(name), fsync }),
    names() {
      const folder = dirname(data);
      const prefix = `${basename(data)}.ns-`;
      if (!existsSync(folder)) return [];
      const names = readdirSync(folder)
        .filter((file) => file.startsWith(prefix))
        .map((file) => file.slice(prefix.length).replace(/\.(journal|lock)$/, ""));
      return [...new Set(names)].sort();
    },
    remove(name) {
      for (const ending of ["", ".journal", ".lock"])
        rmSync(join(`${fileOf(name)}${ending}`), { force: true });
    },
  };
}
