import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { NamespaceIdentity, NamespaceStorage } from "./host.js";
import { DEFAULT_NAMESPACE } from "./host.js";
import { memoryStore } from "./runtime/store/memory.js";

/** Where namespaces keep their state: in memory, or each in a file of its own beside the default one's. */
export async function namespaceStorage(data: string | undefined, fsync: boolean): Promise<NamespaceStorage> {
  if (data === undefined) {
    return {
      open: () => memoryStore(),
      names: () => [],
      snapshotFolder: () => undefined,
      keep: () => {},
      kept: () => ({}),
      remove: () => {},
    };
  }
  const { fileStore } = await import("./runtime/store/file.js");
  const fileOf = (name: string): string => (name === DEFAULT_NAMESPACE ? data : `${data}.ns-${name}`);
  const identityOf = (name: string): string => `${fileOf(name)}.identity`;
  return {
    open: (name) => fileStore({ file: fileOf(name), fsync }),
    snapshotFolder: (name) => `${fileOf(name)}.snapshots`,
    names() {
      const folder = dirname(data);
      const prefix = `${basename(data)}.ns-`;
      if (!existsSync(folder)) return [];
      const names = readdirSync(folder)
        .filter((file) => file.startsWith(prefix))
        .map((file) => file.slice(prefix.length).replace(/\.(journal|lock|snapshots|identity)$/, ""));
      return [...new Set(names)].sort();
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
      for (const ending of ["", ".journal", ".lock", ".snapshots", ".identity"])
        rmSync(`${fileOf(name)}${ending}`, { force: true, recursive: true });
    },
  };
}
