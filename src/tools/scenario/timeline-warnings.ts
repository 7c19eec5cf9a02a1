import { CHARGE_RULES } from "../../core/domain/charge-transition.js";
import {
  nextEntry,
  type SimulatedStep,
  type StatusRules,
  simulateTimeline,
  type TimelineEntry,
} from "../../core/domain/timeline.js";
import { WITHDRAWAL_RULES } from "../../core/domain/withdrawal.js";
import { formatDuration } from "../../core/schema/duration.js";
import type { Scenario } from "../../core/schema/scenario-rules.js";
import { DEFAULT_SETTINGS } from "../../core/schema/settings.js";

/** Valid content that has no effect at run time. */
export interface Warning {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const EXPIRY_MS = DEFAULT_SETTINGS.limits.checkout_default_minutes * 60_000;

/** Warns of timeline entries without effect on a whitelabel charge with the default expiry, or on a withdrawal, that only the timeline advances. */
export function timelineWarnings({ charges = [], withdrawals = [] }: Scenario): Warning[] {
  const warningAt = (kind: "charges" | "withdrawals", rule: number) => (idle: Idle) => ({
    path: [kind, rule, "timeline", idle.step],
    message: idle.message,
  });
  return [
    ...charges.flatMap(({ timeline }, rule) =>
      idleEntries("charge", CHARGE_RULES, timeline, EXPIRY_MS).map(warningAt("charges", rule)),
    ),
    ...withdrawals.flatMap(({ timeline }, rule) =>
      idleEntries("withdrawal", WITHDRAWAL_RULES, timeline, undefined).map(warningAt("withdrawals", rule)),
    ),
  ];
}

interface Idle {
  readonly step: number;
  readonly message: string;
}

function idleEntries<Status extends string>(
  object: "charge" | "withdrawal",
  rules: StatusRules<Status>,
  timeline: readonly TimelineEntry<Status>[],
  expiryMs: number | undefined,
): Idle[] {
  const next = nextEntry(timeline, 0, 0, undefined);
  const created = { status: rules.first, expiredMs: undefined, expiryMs, next };
  const turns = [...simulateTimeline(rules, timeline, created, (dueMs) => dueMs)];
  return timeline.flatMap((entry, step) => {
    const turn = turns.find((candidate) => candidate.step === step);
    switch (turn?.verdict) {
      case "moves":
        return [];
      case "already":
        return [{ step, message: `has no effect: the ${object} is already ${turn.status}` }];
      case "illegal":
        return [
          { step, message: `never happens: a ${object} that is ${turn.status} cannot become ${entry.to}` },
        ];
      default:
        return [{ step, message: `never happens: ${unreachedReason(entry, turns)}` }];
    }
  });
}

const LATE = "a late payment is written after_expiry";

/** Explains why a charge's entry is never reached. */
function unreachedReason<Status extends string>(
  entry: TimelineEntry<Status>,
  turns: readonly SimulatedStep<Status>[],
): string {
  const expiry = turns.find(({ verdict, status }) => verdict === "moves" && status === "EXPIRED");
  if (expiry === undefined)
    return "after_expiry" in entry
      ? `a charge that is ${turns.at(-1)?.status} does not expire`
      : "it counts from an entry that waits for an expiry, which never comes";
  return expiry.step === null
    ? `the charge is ${expiry.before} until it expires after ${formatDuration(EXPIRY_MS)} (the default); ${LATE}`
    : `entry ${expiry.step + 1} of the timeline makes the charge EXPIRED, which ends it; ${LATE}`;
}
