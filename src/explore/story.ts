import { formatDuration } from "../schema/duration.js";
import type { Seen } from "./seen.js";

/** What happened in a run, a line each, in order. Ids and instants of the run are left out: two runs can be held side by side. */
export function storyOf({ calls, deliveries, charges }: Seen): string[] {
  const own = calls.filter(({ isFlows }) => !isFlows);
  const told: readonly Told[] = [
    ...own.map(({ operation, status, atMs }) => ({
      atMs,
      text: `calls ${operation} ${status ?? "no answer"}`,
    })),
    ...charges.flatMap(({ history }, index) => {
      const which = charges.length > 1 ? ` ${index + 1}` : "";
      return history.map(({ status, atMs }) => ({ atMs, text: `charge${which} is ${status}` }));
    }),
    ...deliveries.flatMap(({ type, attempts }) =>
      attempts.map(({ atMs, status }) => ({
        atMs,
        text: `webhook ${type} → ${status ?? "no response"}`,
      })),
    ),
  ];
  const startMs = Math.min(...told.map(({ atMs }) => atMs));
  // What happens at one instant is told in the order above: which of it came first, races decide.
  return [...told]
    .sort((one, other) => one.atMs - other.atMs)
    .map(({ atMs, text }) => `+${formatDuration(Math.round((atMs - startMs) / 1_000) * 1_000)} ${text}`);
}

interface Told {
  readonly atMs: number;
  readonly text: string;
}
