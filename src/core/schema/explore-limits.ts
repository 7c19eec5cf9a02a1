import * as z from "zod/mini";
import { didYouMean } from "./nearest.js";

function countUpTo(maximum: number, minimum = 1) {
  const message = `must be ${minimum} to ${maximum}`;
  return z.int("must be a whole number").check(z.gte(minimum, message), z.lte(maximum, message));
}

/** Number of deviations that runs combine at most; with `max` also larger sets, drawn at random until the budget ends. */
export const exploreDepthSchema = z.union(
  [z.literal(1), z.literal(2), z.literal("max")],
  "must be 1, 2 or max",
);
export type ExploreDepth = z.infer<typeof exploreDepthSchema>;
export const DEFAULT_EXPLORE_DEPTH: ExploreDepth = 1;
/** All sets up to this number of deviations are run with `max`. */
export const MAX_EXHAUSTIVE_DEPTH = 2;

/** Maximum number of parallel runs. */
export const exploreLanesSchema = countUpTo(16);
export const DEFAULT_EXPLORE_LANES = 4;

export const exploreLivesSchema = countUpTo(100_000);
export const DEFAULT_LIVES = 400;
/** Over HTTP a life takes longer than in this process. */
export const DEFAULT_FILE_LIVES = 100;
/** Name of a life that was drawn: its seed, and a path of fast-check. */
export const LIFE_NAME = /^life (\d{1,10}):(\d+(?::\d+)*)$/;
export const exploreSeedSchema = countUpTo(2 ** 31 - 1, 0);

/** Kinds of deviation, in the order in which they are tried. */
export const DEVIATION_KINDS = [
  "request_lost",
  "response_lost",
  "response_held",
  "response_5xx",
  "response_429",
  "read_stale",
  "read_held",
  "paid_between_pages",
  "webhook_late",
  "webhook_after_deadline",
  "webhook_after_next",
  "webhook_twice",
  "webhook_twice_at_once",
  "webhook_again_later",
  "webhook_response_lost",
  "webhook_first",
  "paid_late",
  "cancelled_then_paid",
  "declined",
  "expired_unpaid",
  "returned_unpaid",
  "refunded",
  "partly_refunded",
  "settled_late",
  "events_at_once",
  "pressed_twice",
  "pressed_again",
  "job_meanwhile",
  "job_at_once",
  "job_twice",
  "meanwhile",
  "app_killed",
  "underpaid",
  "overpaid",
  "paid_in_other_currency",
  "webhook_forged",
  "webhook_dropped",
  "foreign_charge",
  "awkward_value",
  "tried_again",
] as const;

/** Deviations by kind and place: `response_lost at createWhitelabel#1`; a comma separates several. */
export function splitDeviations(text: string): { readonly kind: string; readonly at: string | undefined }[] {
  return text.split(", ").map((part) => {
    const [, kind = part, at] = /^(\S+) at (.+)$/.exec(part) ?? [];
    return { kind, at };
  });
}

export function deviationsFault(text: string): string | undefined {
  if (LIFE_NAME.test(text)) return undefined;
  if (text.includes(" + ")) return `a comma separates deviations: ${text.replaceAll(" + ", ", ")}`;
  for (const { kind, at } of splitDeviations(text)) {
    if (!(DEVIATION_KINDS as readonly string[]).includes(kind))
      return `${kind} is no kind of deviation${didYouMean(kind, DEVIATION_KINDS)}`;
    if (at === undefined) return `${kind} needs its place: ${kind} at PLACE`;
  }
  return undefined;
}

/** Values of `--fail-on`: the kinds of deviation, and `manners` for bad client practice. */
export const FAIL_ON_KINDS = [...DEVIATION_KINDS, "manners"] as const;

export const failOnSchema = z.array(
  z.string().check(
    z.refine((kind) => (FAIL_ON_KINDS as readonly string[]).includes(kind), {
      error: ({ input }) =>
        `is neither a kind of deviation nor manners${didYouMean(String(input), FAIL_ON_KINDS)}`,
    }),
  ),
);
