import type { AdviceList } from "../../core/schema/control-insight-responses.js";
import { printErrorLine } from "../terminal.js";

export type Advice = AdviceList["items"][number];

export function adviceLine({ advice, why, times, example, docs }: Advice): string {
  const often = times === 1 ? "" : ` ${times} times`;
  return `${advice} ${why[0]!.toUpperCase()}${why.slice(1)}${often}: ${example} (${docs})`;
}

export function printAdvice(advice: readonly Advice[]): void {
  for (const one of advice) printErrorLine(`advice: ${adviceLine(one)}`);
}

/** Advice that was given after `before` was read; `times` counts only the new occurrences. */
export function findNewAdvice(before: readonly Advice[], after: readonly Advice[]): Advice[] {
  return after.flatMap((one) => {
    const times = one.times - (before.find(({ id }) => id === one.id)?.times ?? 0);
    return times > 0 ? [{ ...one, times }] : [];
  });
}

export function mergeAdvice(lists: readonly (readonly Advice[])[]): Advice[] {
  const all = new Map<string, Advice>();
  for (const one of lists.flat())
    all.set(one.id, { ...one, times: one.times + (all.get(one.id)?.times ?? 0) });
  return [...all.values()];
}
