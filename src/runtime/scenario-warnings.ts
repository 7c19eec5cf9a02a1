import { CHARGE_TRANSITIONS, isOpen } from "../domain/charge.js";
import { WITHDRAWAL_TRANSITIONS } from "../domain/withdrawal.js";
import type { ChargeStatus, WithdrawalStatus } from "../schema/common.js";
import { durationMs, formatDuration } from "../schema/duration.js";
import type { ChargeEntry, Scenario, WithdrawalEntry } from "../schema/scenario.js";
import { DEFAULT_SETTINGS } from "../schema/settings.js";

/** Something that is allowed and cannot be meant: at run time it is a recorded no-op. */
export interface Warning {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Entries of timelines that can never happen, as long as nobody but the scenario moves the charge. */
export function scenarioWarnings(scenario: Scenario): Warning[] {
  const warnings: Warning[] = [];
  const note = (kind: "charges" | "withdrawals", rule: number) => {
    return (entry: number, message: string) => {
      warnings.push({ path: [kind, rule, "timeline", entry], message });
    };
  };
  for (const [index, { timeline }] of (scenario.charges ?? []).entries())
    followCharge(timeline, note("charges", index));
  for (const [index, { timeline }] of (scenario.withdrawals ?? []).entries())
    followWithdrawal(timeline, note("withdrawals", index));
  return warnings;
}

type Note = (entry: number, message: string) => void;

const EXPIRY_MS = DEFAULT_SETTINGS.limits.checkout_default_minutes * 60_000;

/** Plays a timeline through: from creation, expiry at its default, an entry at a time. */
function followCharge(timeline: readonly ChargeEntry[], note: Note): void {
  let status: ChargeStatus = "PENDING";
  let atMs = 0;
  let hasExpired = false;
  for (const [index, entry] of timeline.entries()) {
    if ("after" in entry) {
      const dueMs: number = atMs + durationMs(entry.after);
      if (!hasExpired && isOpen(status) && dueMs >= EXPIRY_MS) {
        note(
          index,
          `never happens: the charge is ${status} until it expires after ${formatDuration(EXPIRY_MS)} (the default); a late payment is written after_expiry`,
        );
        continue;
      }
      atMs = dueMs;
    } else {
      if (!hasExpired && !isOpen(status)) {
        note(index, `never happens: a charge that is ${status} does not expire`);
        continue;
      }
      if (!hasExpired) status = "EXPIRED";
      hasExpired = true;
      atMs = EXPIRY_MS + durationMs(entry.after_expiry);
    }
    if (entry.to === status) note(index, `changes nothing: the charge is ${status} already`);
    else if (!CHARGE_TRANSITIONS[status].includes(entry.to))
      note(index, `never happens: a charge that is ${status} cannot become ${entry.to}`);
    else status = entry.to;
    if (status === "EXPIRED") hasExpired = true;
  }
}

function followWithdrawal(timeline: readonly WithdrawalEntry[], note: Note): void {
  let status: WithdrawalStatus = "PENDING";
  for (const [index, { to }] of timeline.entries())
    if (to === status) note(index, `changes nothing: the withdrawal is ${status} already`);
    else if (!WITHDRAWAL_TRANSITIONS[status].includes(to))
      note(index, `never happens: a withdrawal that is ${status} cannot become ${to}`);
    else status = to;
}
