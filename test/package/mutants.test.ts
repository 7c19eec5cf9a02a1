import { join } from "node:path";
import { transformSync } from "rolldown/utils";
import { expect, it } from "vitest";
import { ROOT } from "../support/built.js";

const { apply, drawMutants, mutationsOf, readSources } = await import(join(ROOT, "scripts/mutants/list.mjs"));

const SOURCE = `
const TABLE = { limit: 10, says: "left alone" };
interface Shape { readonly kind: "a" }
async function send(count: number, kind: string): Promise<void> {
  if (count > 3 && kind === "b") await post(count + 1);
  field(kind === "c" ? kind : "", "left alone");
}
const isLow = (count: number) => count < 1;
`;

const edits = (source: string) =>
  mutationsOf(source).map(({ kind, before, text }: Record<string, string>) => `${kind}: ${before} → ${text}`);

it("finds mutations only in functions", () => {
  expect(edits(SOURCE).sort()).toEqual([
    "change a number: 1 → 2",
    "change a number: 1 → 2",
    "change a number: 3 → 4",
    "drop a call: await post(count + 1); → ;",
    'drop a call: field(kind === "c" ? kind : "", "left alone"); → ;',
    "drop an await: await  → ",
    'empty a string: "b" → ""',
    'empty a string: "c" → ""',
    'negate a condition: count > 3 && kind === "b" → !(count > 3 && kind === "b")',
    'negate a condition: kind === "c" → !(kind === "c")',
    "return early:  →  return;",
    "swap a comparison: < → <=",
    "swap a comparison: === → !==",
    "swap a comparison: === → !==",
    "swap a comparison: > → >=",
    "swap an operator: && → ||",
    "swap an operator: + → -",
  ]);
});

const SOURCES = new Map(
  ([...readSources(ROOT)] as [string, string][]).filter(([file]) =>
    /^src\/(core\/(domain|store)\/|server\/control\/|[^/]+$)/.test(file),
  ),
);
const draw = (seed: string, count: number) => drawMutants(SOURCES, seed, count);
const mutants = draw("mutants", 100);

it("the same seed selects the same mutants", () => {
  expect(draw("mutants", 120).slice(0, 100)).toEqual(mutants);
  expect(draw("other", 100)).not.toEqual(mutants);
});

it("skips files that send signals to processes", () => {
  const source = (signal: string) => `const send = (pid: number) => pid > 0 && process.kill(pid, ${signal});`;
  const drawn = drawMutants(
    new Map([
      ["src/a.ts", source("signal")],
      ["src/b.ts", source("0")],
    ]),
    "mutants",
    100,
  );
  expect(new Set(drawn.map(({ file }: { file: string }) => file))).toEqual(new Set(["src/b.ts"]));
});

it("mutants and probes are valid source", () => {
  for (const mutant of mutants) {
    const source = SOURCES.get(mutant.file)!;
    const probes = mutant.probes.map((edit: { text: string }) => ({
      ...edit,
      text: edit.text.replace("PROBE", "run()"),
    }));
    for (const text of [apply(source, [mutant]), apply(source, probes)]) {
      expect(text).not.toBe(source);
      expect(transformSync("mutant.ts", text).errors, `${mutant.file}:${mutant.line}`).toEqual([]);
    }
  }
});
