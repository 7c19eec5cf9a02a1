import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { NamespaceIdentity, NamespaceStorage } from "./host.js";
import { DEFAULT_NAMESPACE } from "./host.js";
import { filesOf, findNamespaces, namespaceFile } from "./runtime/namespace-files.js";
import { memoryStore } from "./runtime/store/memory.js";

/** Where namespaces keep their state: in memory, or each in a file of its own beside the default one's. */
export async function namespaceStorage(data: string | undefined, fsync: boolean): Promise<NamespaceStorage> {
  if (data === undefined) {
    return {
      open: () => memoryStore(),
      recover: () => [],
      snapshotFolder: () => undefined,
      keep: () => {},
      kept: () => ({}),
      remove: () => {},
    };
  }
  const { fileStore } = await import("./runtime/store/file.js");
  const fileOf = (name: string): string => (name === DEFAULT_NAMESPACE ? data : namespaceFile(data, name));
  const identityOf = (name: string): string => `${fileOf(name)}.identity`;
  return {
    open: (name) => fileStore({ file: fileOf(name), fsync }),
    snapshotFolder: (name) => `${fileOf(name)}.snapshots`,
    recover() {
      const { names, leftovers } = findNamespaces(data);
      for (const file of leftovers) rmSync(join(dirname(data), file), { force: true });
      return names.filter((name) => name !== DEFAULT_NAMESPACE);
    },
    keep(name, { api_key, webhook_secret, clock }) {
      if (api_key === undefined && webhook_secret === undefined && clock === undefined) return;
      mkdirSync(dirname(data), { recursive: true });
      // Whole or not at all, whenever this process may die.
      writeFileSync(`${data}.identity.tmp`, JSON.stringify({ api_key, webhook_secret, clock }));
      renameSync(`${data}.identity.tmp`, identityOf(name));
    },
    kept(name) {
      const file = identityOf(name);
      return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as NamespaceIdentity) : {};
    },
    remove(name) {
      for (const file of filesOf(fileOf(name))) rmSync(file, { force: true, recursive: true });
    },
  };
}
