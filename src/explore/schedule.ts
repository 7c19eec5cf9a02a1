/** What may go otherwise, a word a kind (contract section 11). */
export const DEVIATION_KINDS = [
  "request_lost",
  "answer_lost",
  "answer_held",
  "answer_5xx",
  "answer_429",
  "read_stale",
  "webhook_late",
  "webhook_after_next",
  "webhook_twice",
  "webhook_twice_at_once",
  "webhook_again_later",
  "webhook_answer_lost",
  "webhook_first",
  "paid_late",
  "cancelled_then_paid",
  "pressed_twice",
  "webhook_dropped",
] as const;
/** The kind of a deviation. */
export type DeviationKind = (typeof DEVIATION_KINDS)[number];

/** Kinds that an app may take alike: nothing is done and it learns so, or it is told a second time at once. */
const LIKENESSES: Partial<Record<DeviationKind, "refused" | "repeated">> = {
  request_lost: "refused",
  answer_5xx: "refused",
  answer_429: "refused",
  webhook_twice: "repeated",
  webhook_answer_lost: "repeated",
};

/** The same for what an app may take alike; undefined for what is like nothing else. */
export function likenessOf({ kind, at }: Deviation): string | undefined {
  const likeness = LIKENESSES[kind];
  return likeness && `${likeness} ${at}`;
}

/** One difference from the plain run. */
export interface Deviation {
  /** What. */
  readonly kind: DeviationKind;
  /** Where: `createWhitelabel#1` is the first call of that operation, `charge.completed#1` the first such event. */
  readonly at: string;
}

/** What goes otherwise in one run. */
export type Schedule = readonly Deviation[];

export function keyOf({ kind, at }: Deviation): string {
  return `${kind} ${at}`;
}

/** The same for the same deviations, in whatever order. */
export function scheduleKey(schedule: Schedule): string {
  return schedule.map(keyOf).sort().join("\n");
}

/** In words: `answer_lost at createWhitelabel#1`. */
export function scheduleText(schedule: Schedule): string {
  return schedule.map(({ kind, at }) => `${kind} at ${at}`).join(", ");
}
