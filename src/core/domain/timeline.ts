import { durationToMs } from "../schema/time.js";

/** An entry of a charge's or withdrawal's timeline; `after` and `after_expiry` are durations. */
export type TimelineEntry<Status extends string> =
  | { readonly after: string; readonly to: Status }
  | { readonly after_expiry: string; readonly to: Status };

/** Statuses and allowed changes of charges or of withdrawals. */
export interface StatusRules<Status extends string> {
  readonly first: Status;
  readonly statuses: Readonly<Record<Status, { readonly next: readonly Status[] }>>;
  /** Status after expiry; null if records do not expire. */
  readonly expired: Status | null;
}

/** Says in an error message which statuses may follow. */
export function nextStatusesText<Status extends string>(
  { statuses }: StatusRules<Status>,
  status: Status,
): string {
  const { next } = statuses[status];
  return next.length === 0 ? `nothing follows ${status}` : `${status} may become ${next.join(", ")}`;
}

export interface PlannedEntry {
  readonly step: number;
  readonly dueMs: number;
}

export interface TimelineProgress<Status extends string> {
  readonly status: Status;
  readonly expiredMs: number | undefined;
  readonly expiryMs: number | undefined;
  readonly next: PlannedEntry | undefined;
}

/**
 * Plans the entry at index `step`. `after` counts from `nowMs`, `after_expiry` from the expiry; a due time is never in
 * the past. Returns undefined if the timeline is over or waits for expiry.
 */
export function planEntry(
  timeline: readonly TimelineEntry<string>[],
  step: number,
  nowMs: number,
  expiredMs: number | undefined,
): PlannedEntry | undefined {
  const entry = timeline[step];
  if (entry === undefined) return undefined;
  if ("after" in entry) return { step, dueMs: nowMs + durationToMs(entry.after) };
  if (expiredMs === undefined) return undefined;
  return { step, dueMs: Math.max(nowMs, expiredMs + durationToMs(entry.after_expiry)) };
}

/** Plans the first entry with `after_expiry`; expiry skips the entries before it. */
export function planEntryAfterExpiry(
  timeline: readonly TimelineEntry<string>[],
  expiredMs: number,
): PlannedEntry | undefined {
  const step = timeline.findIndex((entry) => "after_expiry" in entry);
  return step === -1 ? undefined : planEntry(timeline, step, expiredMs, expiredMs);
}

/** Result of a due entry: it changes the status, names the current status, or names a status that may not follow. */
type EntryResult = "moves" | "already" | "illegal";

export function checkEntry<Status extends string>(
  { statuses }: StatusRules<Status>,
  status: Status,
  to: Status,
): EntryResult {
  if (to === status) return "already";
  return statuses[status].next.includes(to) ? "moves" : "illegal";
}

export interface SimulatedStep<Status extends string> {
  /** Index of the entry; null for expiry. */
  readonly step: number | null;
  readonly before: Status;
  readonly verdict: EntryResult;
  readonly status: Status;
}

/**
 * Simulates the rest of a timeline, as if no status were set manually. Expiry runs before an entry due at the same
 * instant. `timeOf` returns the time at which a task due at `dueMs` runs.
 */
export function* simulateTimeline<Status extends string>(
  rules: StatusRules<Status>,
  timeline: readonly TimelineEntry<Status>[],
  standing: TimelineProgress<Status>,
  timeOf: (dueMs: number) => number,
): Generator<SimulatedStep<Status>, void> {
  let { status, expiredMs, expiryMs, next } = standing;
  const { expired } = rules;
  for (;;) {
    const before = status;
    const mayExpire = expired !== null && rules.statuses[status].next.includes(expired);
    if (expiryMs !== undefined && mayExpire && (next === undefined || expiryMs <= next.dueMs)) {
      expiredMs = timeOf(expiryMs);
      expiryMs = undefined;
      status = expired;
      next = planEntryAfterExpiry(timeline, expiredMs);
      yield { step: null, before, verdict: "moves", status };
      continue;
    }
    if (next === undefined) return;
    const { step } = next;
    const nowMs = timeOf(next.dueMs);
    const { to } = timeline[step]!;
    const verdict = checkEntry(rules, status, to);
    if (verdict === "moves") status = to;
    if (verdict === "moves" && to === expired) {
      expiredMs = nowMs;
      next = planEntryAfterExpiry(timeline, nowMs);
    } else next = planEntry(timeline, step + 1, nowMs, expiredMs);
    yield { step, before, verdict, status };
  }
}
