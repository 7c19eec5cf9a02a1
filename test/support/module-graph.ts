import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** A source file: whom it imports, for types or for values alike, and the values it exports. */
export interface SourceModule {
  readonly file: string;
  readonly text: string;
  readonly imports: readonly string[];
  readonly exports: readonly string[];
}

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g;
/** Exports of values: a type belongs to the value that has it in its signature. */
const EXPORT = /^export (?:async )?(?:abstract )?(?:function\*?|class|const|let|enum) (\w+)/gm;

/** Files below a folder, as paths from the root; imports with their suffix on disk. */
export function modulesBelow(root: string, folder: string): SourceModule[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
    .filter((file) => /\.m?[jt]s$/.test(file))
    .map((file) => {
      const text = readFileSync(join(root, file), "utf8");
      return moduleOf(file, text);
    });
}

export function moduleOf(file: string, text: string): SourceModule {
  const at = (specifier: string) => normalize(join(dirname(file), specifier)).replaceAll("\\", "/");
  const ending = file.endsWith(".ts") ? ".ts" : ".js";
  return {
    file,
    text,
    imports: [...text.matchAll(IMPORT)].map(([, specifier]) => at(specifier!).replace(/\.js$/, ending)),
    exports: [...text.matchAll(EXPORT)].map(([, name]) => name!),
  };
}

/** Files that import each other in a circle, each circle once (Tarjan's strongly connected components). */
export function circlesIn(modules: readonly SourceModule[]): string[][] {
  const byFile = new Map(modules.map((module) => [module.file, module]));
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const circles: string[][] = [];
  const visit = ({ file, imports }: SourceModule): void => {
    order.set(file, order.size);
    lowest.set(file, order.get(file)!);
    path.push(file);
    for (const other of imports) {
      const next = byFile.get(other);
      if (next === undefined) continue;
      if (!order.has(other)) visit(next);
      if (path.includes(other)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(other)!));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const circle = path.splice(path.indexOf(file));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const module of modules) if (!order.has(module.file)) visit(module);
  return circles;
}

/**
 * Exported values that no file mentions that imports the exporting one. A file that is imported as a whole (`* as`)
 * is used as a whole.
 */
export function unusedExports(
  modules: readonly SourceModule[],
  users: readonly SourceModule[],
): { readonly file: string; readonly name: string }[] {
  const importers = new Map<string, string[]>();
  for (const { imports, text } of users)
    for (const file of new Set(imports)) importers.set(file, [...(importers.get(file) ?? []), text]);
  const isUsed = (file: string, name: string) =>
    (importers.get(file) ?? []).some((text) => isWhole(text, file) || new RegExp(`\\b${name}\\b`).test(text));
  return modules.flatMap(({ file, exports }) =>
    exports.filter((name) => !isUsed(file, name)).map((name) => ({ file, name })),
  );
}

function isWhole(text: string, file: string): boolean {
  const [name] = file.split("/").slice(-1);
  return new RegExp(`\\* as \\w+ from "[^"]*${name!.replace(/\.ts$/, "\\.js")}"`).test(text);
}
