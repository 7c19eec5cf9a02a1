import { type Dirent, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { check } from "../schema/issues.js";
import { namespaceNameSchema } from "../schema/options.js";
import { asStoreError, codeOf, StoreError } from "./error.js";
import { UNPUBLISHED } from "./sealed-file.js";

/**
 * What a namespace's files are called after DATA.ns-NAME, which is the file of its state. A name has no dot, so
 * each file has one reading only.
 */
export const ENDING = {
  journal: ".journal",
  lock: ".lock",
  snapshots: ".snapshots",
  identity: ".identity",
  /** It is being made, and is none before this is `identity`. */
  unfinished: `.identity${UNPUBLISHED}`,
  /** It was deleted; this was its state. */
  deleted: ".deleted",
} as const;

/** Such a folder is somebody else's. */
const MARKS: ReadonlySet<string> = new Set([ENDING.unfinished, ENDING.deleted]);

/** Files of this program that a killed process left half done: a state being written, a stale lock set aside. */
const LEFTOVER = /^\.(tmp|lock\.\d+)$/;

/** What lies beside a data file of the namespaces' own. */
export interface NamespaceFiles {
  /** Names that a call could have made, with the endings of their files. */
  readonly found: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whole paths of what nobody needs any more, of the data file itself too. */
  readonly leftovers: readonly string[];
}

/** Reads the folder; what this program did not write there is none of its business. */
export function findNamespaces(data: string): NamespaceFiles {
  const prefix = basename(data);
  const found = new Map<string, Set<string>>();
  const leftovers: string[] = [];
  for (const entry of entriesOf(dirname(data))) {
    if (!entry.name.startsWith(`${prefix}.`)) continue;
    const path = join(dirname(data), entry.name);
    const rest = entry.name.slice(prefix.length);
    const [, name, ending] = /^\.ns-([^.]*)(.*)$/s.exec(rest) ?? [];
    if (name === undefined) {
      if (entry.isFile() && LEFTOVER.test(rest)) leftovers.push(path);
    } else if (check(namespaceNameSchema, name).ok) {
      if (entry.isFile() && LEFTOVER.test(ending!)) leftovers.push(path);
      else if (entry.isFile() || !MARKS.has(ending!))
        found.set(name, (found.get(name) ?? new Set()).add(ending!));
    }
  }
  return { found, leftovers };
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw asStoreError(error, `Cannot tell which namespaces are in ${folder}`);
  }
}

/** The file of a namespace's state. A name that leads anywhere else is none. */
export function namespaceFile(data: string, name: string): string {
  if (!check(namespaceNameSchema, name).ok)
    throw new StoreError(`${JSON.stringify(name)} names no namespace.`);
  return `${data}.ns-${name}`;
}

/** 0 when it is not there. */
export function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return 0;
    throw error;
  }
}
