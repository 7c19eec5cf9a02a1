/** Kinds of deviation, in the order in which they are tried (contract section 11). */
export const DEVIATION_KINDS = [
  "request_lost",
  "answer_lost",
  "answer_held",
  "answer_5xx",
  "answer_429",
  "read_stale",
  "read_held",
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
  "job_meanwhile",
  "job_at_once",
  "webhook_dropped",
] as const;
/** The kind of a deviation. */
export type DeviationKind = (typeof DEVIATION_KINDS)[number];

/** Notes that can become findings: any kind of deviation, and bad client practice. */
export const NOTED_KINDS = [...DEVIATION_KINDS, "manners"] as const;
export type NotedKind = (typeof NOTED_KINDS)[number];

/** One difference from the plain run. */
export interface Deviation {
  /** The kind. */
  readonly kind: DeviationKind;
  /** The place: `createWhitelabel#1` is the first call of that operation, `charge.completed#1` the first such event. */
  readonly at: string;
}

/** The deviations of one run. */
export type Schedule = readonly Deviation[];

export function keyOf({ kind, at }: Deviation): string {
  return `${kind} ${at}`;
}

/** Equal for the same deviations in any order. */
export function scheduleKey(schedule: Schedule): string {
  return schedule.map(keyOf).sort().join("\n");
}

/** As text: `answer_lost at createWhitelabel#1`. */
export function scheduleText(schedule: Schedule): string {
  return schedule.map(({ kind, at }) => `${kind} at ${at}`).join(", ");
}
