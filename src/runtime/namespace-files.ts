import { readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { namespaceNameSchema } from "../schema/control.js";
import { check } from "../schema/issues.js";

/** What a namespace's files are called after its own name. A name has no dot, so each file has one reading only. */
const ENDINGS = ["", ".journal", ".lock", ".snapshots", ".identity"] as const;

/** Files of this program that a killed process left half done: a state being written, a stale lock set aside. */
const LEFTOVER = /^\.(tmp|lock\.\d+)$/;
/** Likewise of the data file itself; the identities of all namespaces are written under its name. */
const OWN_LEFTOVER = /^\.(tmp|lock\.\d+|identity\.tmp)$/;

/** The namespaces beside a data file, as their files tell. */
export interface NamespaceFiles {
  /** Names that a call could have made, of those whose state is there. */
  readonly names: readonly string[];
  /** What a killed process left half done, for somebody to remove. */
  readonly leftovers: readonly string[];
}

/** The file that holds a namespace's state; the others' names begin with it. */
export function namespaceFile(data: string, name: string): string {
  return `${data}.ns-${name}`;
}

export function filesOf(file: string): string[] {
  return ENDINGS.map((ending) => file + ending);
}

/** Reads the folder; what this program did not write there is none of its business. */
export function findNamespaces(data: string): NamespaceFiles {
  const prefix = `${basename(data)}.`;
  const names: string[] = [];
  const leftovers: string[] = [];
  for (const entry of readdirSync(dirname(data), { withFileTypes: true })) {
    const file = entry.name;
    if (!file.startsWith(prefix)) continue;
    const rest = file.slice(prefix.length - 1);
    const [, name, ending] = /^\.ns-([^.]*)(.*)$/s.exec(rest) ?? [];
    if (name === undefined) {
      if (entry.isFile() && OWN_LEFTOVER.test(rest)) leftovers.push(file);
    } else if (check(namespaceNameSchema, name).ok) {
      if (ending === "") names.push(name);
      else if (entry.isFile() && LEFTOVER.test(ending!)) leftovers.push(file);
    }
  }
  return { names: names.sort(), leftovers };
}
