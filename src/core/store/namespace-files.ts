import { type Dirent, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { safeParse } from "../schema/issues.js";
import { namespaceNameSchema } from "../schema/option-schemas.js";
import { UNPUBLISHED_SUFFIX } from "./checksummed-file.js";
import { asStoreError, StoreError, systemErrorCode } from "./store-error.js";

/** Suffixes after DATA.ns-NAME, the file of a namespace's state. A name has no dot, so file names are unambiguous. */
export const FILE_SUFFIX = {
  journal: ".journal",
  lock: ".lock",
  snapshots: ".snapshots",
  identity: ".identity",
  /** Marks a namespace under construction; renamed to `identity` when finished. */
  unfinished: `.identity${UNPUBLISHED_SUFFIX}`,
  /** State of a deleted namespace. */
  deleted: ".deleted",
} as const;

/** A marker is always a file: folders of these names belong to other programs. */
const MARKER_SUFFIXES: ReadonlySet<string> = new Set([FILE_SUFFIX.unfinished, FILE_SUFFIX.deleted]);

/** Suffix of a file that a killed process left: an unfinished state, or a stale lock set aside. */
const TEMPORARY = /^\.(tmp|lock\.\d+)$/;

/** Namespace files found beside a data file. */
export interface NamespaceFiles {
  /** Valid namespace names, with the suffixes of their files. */
  readonly namespaces: ReadonlyMap<string, ReadonlySet<string>>;
  /** Paths of temporary files to remove, those of the data file included. */
  readonly temporaryFiles: readonly string[];
}

/** Reads the folder; files of other programs are ignored. */
export function findNamespaces(data: string): NamespaceFiles {
  const prefix = basename(data);
  const found = new Map<string, Set<string>>();
  const leftovers: string[] = [];
  for (const entry of readEntries(dirname(data))) {
    if (!entry.name.startsWith(`${prefix}.`)) continue;
    const path = join(dirname(data), entry.name);
    const rest = entry.name.slice(prefix.length);
    const [, name, ending] = /^\.ns-([^.]*)(.*)$/s.exec(rest) ?? [];
    if (name === undefined) {
      if (entry.isFile() && TEMPORARY.test(rest)) leftovers.push(path);
    } else if (safeParse(namespaceNameSchema, name).ok) {
      if (entry.isFile() && TEMPORARY.test(ending!)) leftovers.push(path);
      else if (entry.isFile() || !MARKER_SUFFIXES.has(ending!))
        found.set(name, (found.get(name) ?? new Set()).add(ending!));
    }
  }
  return { namespaces: found, temporaryFiles: leftovers };
}

function readEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw asStoreError(error, `Cannot tell which namespaces are in ${folder}`);
  }
}

/** Path of a namespace's state. Throws for an invalid name. */
export function namespaceFile(data: string, name: string): string {
  if (!safeParse(namespaceNameSchema, name).ok)
    throw new StoreError(`${JSON.stringify(name)} is not a valid namespace name.`);
  return `${data}.ns-${name}`;
}

/** Returns 0 if the file does not exist. */
export function fileSize(file: string): number {
  try {
    return statSync(file).size;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return 0;
    throw error;
  }
}
