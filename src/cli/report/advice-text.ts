import type { AdviceList } from "../../core/schema/control-responses.js";
import { tellLine } from "../terminal.js";

export type Advice = AdviceList["items"][number];

/** A line a piece: what to do, what was done, where to read on. */
export function adviceLine({ advice, why, times, example, docs }: Advice): string {
  const often = times === 1 ? "" : ` ${times} times`;
  return `${advice} ${why[0]!.toUpperCase()}${why.slice(1)}${often}: ${example} (${docs})`;
}

/** After a command's own output, where there is some. */
export function tellAdvice(advice: readonly Advice[]): void {
  for (const one of advice) tellLine(`advice: ${adviceLine(one)}`);
}

/** What of the advice is new since it was last asked for. */
export function adviceSince(before: readonly Advice[], after: readonly Advice[]): Advice[] {
  return after.flatMap((one) => {
    const times = one.times - (before.find(({ id }) => id === one.id)?.times ?? 0);
    return times > 0 ? [{ ...one, times }] : [];
  });
}

/** The advice of several sandboxes as one. */
export function adviceOfAll(lists: readonly (readonly Advice[])[]): Advice[] {
  const all = new Map<string, Advice>();
  for (const one of lists.flat())
    all.set(one.id, { ...one, times: one.times + (all.get(one.id)?.times ?? 0) });
  return [...all.values()];
}
