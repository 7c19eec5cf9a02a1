import { counted } from "../schema/printable.js";
import type { ExploreReport } from "./report.js";

/** How sets of so many are called. */
const SETS = ["single deviation", "pair", "triple"] as const;

/** What came of it in a line that can be quoted. */
export function sentenceOf(
  name: string,
  { findings, behaviours, drawn, complete_depth, notes }: Omit<ExploreReport, "sentence">,
  runsOfDepth: readonly number[],
): string {
  const sets = runsOfDepth.map((runs, index) => counted(runs, SETS[index] ?? `set of ${index + 1}`));
  if (drawn > 0) sets.push(`${counted(drawn, "larger set")} by chance`);
  const found = counted(findings.length, "finding");
  const more = notes.length === 0 ? [] : [counted(notes.length, "note")];
  const all = [...sets, counted(behaviours, "behaviour"), found, ...more].join(", ");
  return `${name}: ${all}; depth ${complete_depth} complete`;
}
