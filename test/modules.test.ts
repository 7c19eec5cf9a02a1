import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { circlesIn, moduleOf, modulesBelow, unusedExports } from "./support/module-graph.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const COMMAND = readFileSync(`${ROOT}bin/payments-sandbox.js`, "utf8");
const src = modulesBelow(ROOT, "src");
const users = [...src, ...["test", "bench", "scripts"].flatMap((folder) => modulesBelow(ROOT, folder))];
const examples = modulesBelow(ROOT, "examples").filter(({ file }) => !file.includes("node_modules"));

describe("the modules of src", () => {
  it("are found, with their imports and exports", () => {
    expect(src.length).toBeGreaterThan(300);
    const money = src.find(({ file }) => file === "src/core/domain/money.ts");
    expect(money?.exports).toContain("compareAmounts");
    expect(src.find(({ file }) => file === "src/library/index.ts")?.imports).toContain(
      "src/library/sandbox.ts",
    );
  });

  it("have no import cycles, types included, nor have tests, tools and examples", () => {
    expect(circlesIn([...users, ...examples])).toEqual([]);
  });

  it("have no unused exports, except schemas, which are found by name too", () => {
    const unused = unusedExports(src, users)
      .filter(({ file }) => !file.startsWith("src/core/schema/"))
      // The build asks for these by the names of the files that it makes, and the command's file for what is built.
      .filter(
        ({ name }) =>
          !users.some(({ file, text }) => file.startsWith("scripts/") && text.includes(name)) &&
          !COMMAND.includes(name),
      );
    expect(unused).toEqual([]);
  });
});

describe("the search for cycles and exports", () => {
  it("finds a cycle through types and dynamic imports", () => {
    const modules = [
      moduleOf("src/a.ts", 'import type { B } from "./b.js";'),
      moduleOf("src/b.ts", 'const c = () => import("./c/c.js");'),
      moduleOf("src/c/c.ts", 'export * from "../a.js";'),
      moduleOf("src/d.ts", 'import "./a.js";'),
    ];
    expect(circlesIn(modules)).toEqual([["src/a.ts", "src/b.ts", "src/c/c.ts"]]);
  });

  it.each(["js", "mjs"])("finds a cycle of files that are written in %s", (ending) => {
    const modules = ["a", "b"].map((name) =>
      moduleOf(`scripts/${name}.${ending}`, `import "./${name === "a" ? "b" : "a"}.${ending}";`),
    );
    expect(circlesIn(modules)).toEqual([[`scripts/a.${ending}`, `scripts/b.${ending}`]]);
  });

  it("finds an export that only a file that does not import it mentions", () => {
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
