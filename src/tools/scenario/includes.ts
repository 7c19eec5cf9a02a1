import { isAbsolute, join } from "node:path";
import { DocumentError, type LoadedDocument, readDocument } from "../../core/files/documents.js";
import { isJsonObject } from "../../core/schema/json-objects.js";
import { nestedStepLists } from "./loaded-steps.js";
import type { ValuePath } from "./variables.js";

/** Files that a scenario file includes, directly or not, by path. */
export type IncludedFiles = ReadonlyMap<string, LoadedDocument>;

export function resolveRelativePath(file: string, name: string): string {
  return isAbsolute(name) ? name : join(file, "..", name);
}

/** Reads all included files. Reports a missing file or a circular include at the line of the `include`. */
export async function readIncludedFiles(document: LoadedDocument): Promise<IncludedFiles> {
  const read = new Map<string, LoadedDocument>();
  const follow = async (document: LoadedDocument, chain: readonly string[]): Promise<void> => {
    for (const { at, name } of includesOf(document.value)) {
      const file = resolveRelativePath(document.file, name);
      if (chain.includes(file)) {
        const message = `leads back to itself: ${[...chain, file].join(" → ")}`;
        throw new DocumentError([document.faultAt(at, message)]);
      }
      if (read.has(file)) continue;
      const included = await readDocument(file).catch(unreadableFileHandler(document, at, file));
      read.set(file, included);
      await follow(included, [...chain, file]);
    }
  };
  await follow(document, [join(document.file)]);
  return read;
}

/** Reports an unreadable file at the place that names the file. */
export function unreadableFileHandler(document: LoadedDocument, at: ValuePath, file: string) {
  return (error: unknown): never => {
    const [first] = error instanceof DocumentError ? error.faults : [];
    if (first?.line !== 1 || first.column !== 1) throw error;
    throw new DocumentError([document.faultAt(at, `${file}: ${first.message}`)]);
  };
}

interface Include {
  readonly at: ValuePath;
  readonly name: string;
}

function includesOf(value: unknown): Include[] {
  if (!isJsonObject(value)) return [];
  return [...parseIncludes(value.include, ["include"]), ...includesAmong(value.steps, ["steps"])];
}

function includesAmong(list: unknown, at: ValuePath): Include[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((step: unknown, index) => {
    if (!isJsonObject(step)) return [];
    const stepPath = [...at, index];
    return [
      ...parseIncludes(step.include, [...stepPath, "include"]),
      ...nestedStepLists(step).flatMap((part) => includesAmong(part.list, [...stepPath, ...part.at])),
    ];
  });
}

/** Lists the file names in an `include`: one name, or an array at the top of a file. */
export function parseIncludes(include: unknown, at: ValuePath): Include[] {
  if (typeof include === "string") return [{ at, name: include }];
  if (!Array.isArray(include)) return [];
  return include.flatMap((name: unknown, index) =>
    typeof name === "string" ? [{ at: [...at, index], name }] : [],
  );
}
