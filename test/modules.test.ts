import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/** A source file with its imports and exported values. */
interface SourceModule {
  readonly file: string;
  readonly text: string;
  readonly imports: readonly string[];
  readonly exports: readonly string[];
}

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g;
const EXPORT = /^export (?:async )?(?:abstract )?(?:function\*?|class|const|let|enum) (\w+)/gm;

/** Returns the files below a folder, with their imports resolved. */
function modulesBelow(root: string, folder: string): SourceModule[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
    .filter((file) => /\.m?[jt]s$/.test(file))
    .map((file) => {
      const text = readFileSync(join(root, file), "utf8");
      return moduleOf(file, text);
    });
}

function moduleOf(file: string, text: string): SourceModule {
  const at = (specifier: string) => normalize(join(dirname(file), specifier)).replaceAll("\\", "/");
  const ending = file.endsWith(".ts") ? ".ts" : ".js";
  return {
    file,
    text,
    imports: [...text.matchAll(IMPORT)].map(([, specifier]) => at(specifier!).replace(/\.js$/, ending)),
    exports: [...text.matchAll(EXPORT)].map(([, name]) => name!),
  };
}

/** Finds import cycles with Tarjan's algorithm. */
function circlesIn(modules: readonly SourceModule[]): string[][] {
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

/** Returns exports that no other file uses. `import * as` uses all of them. */
function unusedExports(
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

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const COMMAND = readFileSync(`${ROOT}bin/payments-sandbox.js`, "utf8");
const src = modulesBelow(ROOT, "src");
const users = [...src, ...["test", "bench", "scripts"].flatMap((folder) => modulesBelow(ROOT, folder))];
const examples = modulesBelow(ROOT, "examples").filter(({ file }) => !file.includes("node_modules"));

describe("the modules of src", () => {
  it("finds the modules of src with their imports and exports", () => {
    expect(src.length).toBeGreaterThan(300);
    const money = src.find(({ file }) => file === "src/core/domain/money.ts");
    expect(money?.exports).toContain("compareAmounts");
    expect(src.find(({ file }) => file === "src/library/index.ts")?.imports).toContain(
      "src/library/sandbox.ts",
    );
  });

  it("src, tests, scripts and examples have no import cycles", () => {
    expect(circlesIn([...users, ...examples])).toEqual([]);
  });

  it("src has no unused exports", () => {
    const unused = unusedExports(src, users)
      .filter(({ file }) => !file.startsWith("src/core/schema/"))
      // The build uses these by file name.
      .filter(
        ({ name }) =>
          !users.some(({ file, text }) => file.startsWith("scripts/") && text.includes(name)) &&
          !COMMAND.includes(name),
      );
    expect(unused).toEqual([]);
  });
});

describe("the search for cycles and exports", () => {
  it("finds an import cycle through types and dynamic imports", () => {
    const modules = [
      moduleOf("src/a.ts", 'import type { B } from "./b.js";'),
      moduleOf("src/b.ts", 'const c = () => import("./c/c.js");'),
      moduleOf("src/c/c.ts", 'export * from "../a.js";'),
      moduleOf("src/d.ts", 'import "./a.js";'),
    ];
    expect(circlesIn(modules)).toEqual([["src/a.ts", "src/b.ts", "src/c/c.ts"]]);
  });

  it.each(["js", "mjs"])("finds an import cycle in %s", (ending) => {
    const modules = ["a", "b"].map((name) =>
      moduleOf(`scripts/${name}.${ending}`, `import "./${name === "a" ? "b" : "a"}.${ending}";`),
    );
    expect(circlesIn(modules)).toEqual([[`scripts/a.${ending}`, `scripts/b.${ending}`]]);
  });

  it("reports an export that no file imports", () => {
    const exporter = moduleOf(
      "src/a.ts",
      "export const used = 1;\nexport function left() {}\nexport type T = 1;",
    );
    const importer = moduleOf("test/a.test.ts", 'import { used } from "../src/a.js";');
    const stranger = moduleOf("src/b.ts", "left();");
    const found = [{ file: "src/a.ts", name: "left" }];
    expect(unusedExports([exporter], [importer, stranger])).toEqual(found);
  });
});
