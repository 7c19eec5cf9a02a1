import { CHARGE_RULES } from "../../core/domain/charge.js";
import {
  entryAt,
  follow,
  type StatusRules,
  type TimelineEntry,
  type Turn,
} from "../../core/domain/timeline.js";
import { WITHDRAWAL_RULES } from "../../core/domain/withdrawal.js";
import { formatDuration } from "../../core/schema/duration.js";
import type { Scenario } from "../../core/schema/scenario.js";
import { DEFAULT_SETTINGS } from "../../core/schema/settings.js";

/** Something that is allowed and cannot be meant: at run time it is a recorded no-op. */
export interface Warning {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const EXPIRY_MS = DEFAULT_SETTINGS.limits.checkout_default_minutes * 60_000;

/**
 * Entries of timelines that do nothing in a plain run: of a whitelabel charge with the default life, or of a
 * withdrawal, that nobody but the scenario and the clock moves.
 */
export function scenarioWarnings({ charges = [], withdrawals = [] }: Scenario): Warning[] {
  const placed = (kind: "charges" | "withdrawals", rule: number) => (idle: Idle) => ({
    path: [kind, rule, "timeline", idle.step],
    message: idle.message,
  });
  return [
    ...charges.flatMap(({ timeline }, rule) =>
      idleEntries("charge", CHARGE_RULES, timeline, EXPIRY_MS).map(placed("charges", rule)),
    ),
    ...withdrawals.flatMap(({ timeline }, rule) =>
      idleEntries("withdrawal", WITHDRAWAL_RULES, timeline, undefined).map(placed("withdrawals", rule)),
    ),
  ];
}

interface Idle {
  readonly step: number;
  readonly message: string;
}

function idleEntries<Status extends string>(
  what: "charge" | "withdrawal",
  rules: StatusRules<Status>,
  timeline: readonly TimelineEntry<Status>[],
  expiryMs: number | undefined,
): Idle[] {
  const next = entryAt(timeline, 0, 0, undefined);
  const made = { status: rules.first, expiredMs: undefined, expiryMs, next };
  const turns = [...follow(rules, timeline, made, (dueMs) => dueMs)];
  return timeline.flatMap((entry, step) => {
    const turn = turns.find((one) => one.step === step);
    switch (turn?.verdict) {
      case "moves":
        return [];
      case "already":
        return [{ step, message: `changes nothing: the ${what} is ${turn.status} already` }];
      case "illegal":
        return [
          { step, message: `never happens: a ${what} that is ${turn.status} cannot become ${entry.to}` },
        ];
      default:
        return [{ step, message: `never happens: ${neverComes(entry, turns)}` }];
    }
  });
}

const LATE = "a late payment is written after_expiry";

/** Why an entry of a charge has no turn at all. */
function neverComes<Status extends string>(
  entry: TimelineEntry<Status>,
  turns: readonly Turn<Status>[],
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
