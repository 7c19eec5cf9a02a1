import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { circlesIn, moduleOf, modulesBelow } from "./support/module-graph.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const src = modulesBelow(ROOT, "src");

describe("the modules of src", () => {
  it("are found, with what they import and export", () => {
    expect(src.length).toBeGreaterThan(300);
    const money = src.find(({ file }) => file === "src/domain/money.ts");
    expect(money?.exports).toContain("compare");
    expect(src.find(({ file }) => file === "src/index.ts")?.imports).toContain("src/sandbox.ts");
  });

  it("do not import each other in a circle, for types either", () => {
    expect(circlesIn(src)).toEqual([]);
  });
});

describe("the search", () => {
  it("finds a circle, by way of types and of modules loaded later too", () => {
    const modules = [
      moduleOf("src/a.ts", 'import type { B } from "./b.js";'),
      moduleOf("src/b.ts", 'const c = () => import("./c/c.js");'),
      moduleOf("src/c/c.ts", 'export * from "../a.js";'),
      moduleOf("src/d.ts", 'import "./a.js";'),
    ];
    expect(circlesIn(modules)).toEqual([["src/a.ts", "src/b.ts", "src/c/c.ts"]]);
  });
});
