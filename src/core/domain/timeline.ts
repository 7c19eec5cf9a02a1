import { durationMs } from "../schema/duration.js";

/** An entry of a timeline, be it a charge's or a withdrawal's. */
export type TimelineEntry<Status extends string> =
  | { readonly after: string; readonly to: Status }
  | { readonly after_expiry: string; readonly to: Status };

/** What the rule needs to know of a record's statuses. */
export interface StatusRules<Status extends string> {
  /** What it is when it is made. */
  readonly first: Status;
  /** What may follow each. */
  readonly statuses: Readonly<Record<Status, { readonly next: readonly Status[] }>>;
  /** What becomes of it when its time is up; null where nothing expires. */
  readonly expired: Status | null;
}

/** What a status may become, for a person who asked for something else. */
export function mayFollow<Status extends string>({ statuses }: StatusRules<Status>, status: Status): string {
  const { next } = statuses[status];
  return next.length === 0 ? `nothing follows ${status}` : `${status} may become ${next.join(", ")}`;
}

/** An entry that waits for its time. */
export interface PlannedEntry {
  readonly step: number;
  readonly dueMs: number;
}

/** Where a plan stands. */
export interface Standing<Status extends string> {
  readonly status: Status;
  /** When it expired, if it has. */
  readonly expiredMs: number | undefined;
  /** When its time is up, if something waits for that. */
  readonly expiryMs: number | undefined;
  readonly next: PlannedEntry | undefined;
}

/**
 * The next entry, planned at `nowMs`: there the timeline begins, or the entry before has had its turn, whatever came
 * of it. `after` counts from now and `after_expiry` from the expiry, but nothing is planned for a time that has
 * passed. Undefined where the timeline is over, or waits for the expiry.
 */
export function entryAt(
  timeline: readonly TimelineEntry<string>[],
  step: number,
  nowMs: number,
  expiredMs: number | undefined,
): PlannedEntry | undefined {
  const entry = timeline[step];
  if (entry === undefined) return undefined;
  if ("after" in entry) return { step, dueMs: nowMs + durationMs(entry.after) };
  if (expiredMs === undefined) return undefined;
  return { step, dueMs: Math.max(nowMs, expiredMs + durationMs(entry.after_expiry)) };
}

/** Expiry, by the clock or by an entry, cancels what is left of a timeline up to the next entry for after it. */
export function entryAtExpiry(
  timeline: readonly TimelineEntry<string>[],
  expiredMs: number,
): PlannedEntry | undefined {
  const step = timeline.findIndex((entry) => "after_expiry" in entry);
  return step === -1 ? undefined : entryAt(timeline, step, expiredMs, expiredMs);
}

/** What comes of an entry that has its turn. All but `moves` is a recorded no-op. */
export type Verdict = "moves" | "already" | "illegal";

export function verdictOn<Status extends string>(
  { statuses }: StatusRules<Status>,
  status: Status,
  to: Status,
): Verdict {
  if (to === status) return "already";
  return statuses[status].next.includes(to) ? "moves" : "illegal";
}

/** One thing of a plan that comes about. */
export interface Turn<Status extends string> {
  /** The entry whose turn it is; null is the expiry. */
  readonly step: number | null;
  readonly before: Status;
  readonly verdict: Verdict;
  readonly status: Status;
}

/**
 * All that comes of a plan as long as nobody interferes, one thing after the other; of two things at the same instant
 * the expiry goes first. Changes nothing. `timeOf` says when something that is due then has its turn.
 */
export function* follow<Status extends string>(
  rules: StatusRules<Status>,
  timeline: readonly TimelineEntry<Status>[],
  standing: Standing<Status>,
  timeOf: (dueMs: number) => number,
): Generator<Turn<Status>, void> {
  let { status, expiredMs, expiryMs, next } = standing;
  const { expired } = rules;
  for (;;) {
    const before = status;
    const mayExpire = expired !== null && rules.statuses[status].next.includes(expired);
    if (expiryMs !== undefined && mayExpire && (next === undefined || expiryMs <= next.dueMs)) {
      expiredMs = timeOf(expiryMs);
      expiryMs = undefined;
      status = expired;
      next = entryAtExpiry(timeline, expiredMs);
      yield { step: null, before, verdict: "moves", status };
      continue;
    }
    if (next === undefined) return;
    const { step } = next;
    const nowMs = timeOf(next.dueMs);
    const { to } = timeline[step]!;
    const verdict = verdictOn(rules, status, to);
    if (verdict === "moves") status = to;
    if (verdict === "moves" && to === expired) {
      expiredMs = nowMs;
      next = entryAtExpiry(timeline, nowMs);
    } else next = entryAt(timeline, step + 1, nowMs, expiredMs);
    yield { step, before, verdict, status };
  }
}
