import { join } from "node:path";
import type { SourceFile } from "typescript/unstable/ast";
import { ROOT } from "./built.js";

export const { parse }: { parse(source: string): SourceFile } = await import(
  join(ROOT, "scripts/syntax.mjs")
);
