import type { Charge } from "../domain/charge.js";
import { plainCharge } from "../domain/charge-state.js";
import { firstRule, matches, type Subject } from "../domain/scenario.js";
import { type PlannedEntry, type StatusRules, verdictOn } from "../domain/timeline.js";
import type { Withdrawal } from "../domain/withdrawal.js";
import { isRefusal, type Refusal } from "../schema/errors.js";
import type { Scenario } from "../schema/scenario.js";
import { chanceOf, digestOf } from "./ids.js";
import { DEFAULT_SCENARIO, scenariosFor } from "./scenarios.js";
import type { Transaction } from "./transaction.js";

/*
 * What scenarios do with charges and withdrawals alike: the rule that matches gives a record its timeline, and each
 * entry has its turn.
 */

/** The record with the timeline of the rule that matches it, frozen; a note says so when it is not of the scenario asked for. */
export function withTimeline<Timed extends Charge | Withdrawal>(
  tx: Transaction,
  kind: Timed extends Charge ? "charges" : "withdrawals",
  record: Timed,
  subject: Subject,
): Timed {
  const { scenario_asked: asked, notes } = record;
  const id = "charge_id" in record ? record.charge_id : record.withdrawal_id;
  const scenarios = scenariosFor(tx.state, asked);
  const choice = firstRule(
    kind,
    scenarios,
    subject,
    (name, index, rule) =>
      (name === asked || !isLeftToDefault(kind, scenarios, name, rule, subject)) &&
      isDrawn(rule.probability ?? 1, id, name, index),
  );
  if (choice !== undefined) tx.apply(choice);
  const scenario = choice?.scenario ?? null;
  const isAsked = asked === null || scenario === asked;
  return {
    ...plainCharge(record),
    scenario,
    timeline: choice?.rule.timeline ?? [],
    rule: choice?.index ?? null,
    notes: isAsked
      ? notes
      : [
          ...notes,
          { at: tx.at, note: `no rule of scenario ${asked} matches; ${scenario ?? "none"} applies` },
        ],
  };
}

/**
 * An active mishap's rule for everyone leaves magic customers and amounts to `default`: a test of a decline must still see
 * its decline.
 */
function isLeftToDefault(
  kind: "charges" | "withdrawals",
  scenarios: readonly Scenario[],
  name: string,
  rule: { readonly match?: unknown },
  subject: Subject,
): boolean {
  if (rule.match !== undefined || scenarios.find((one) => one.name === name)?.kind !== "mishap") return false;
  const magic = scenarios.find((one) => one.name === DEFAULT_SCENARIO)?.[kind] ?? [];
  return magic.some(({ match }) => match !== undefined && matches(match, subject));
}

/** Chance follows from the record's id, which follows from the seed: whatever else is called changes nothing of it. */
function isDrawn(probability: number, id: string, scenario: string, index: number): boolean {
  return probability === 1 || chanceOf(digestOf(`${id}\0${scenario}#${index}`)) < probability;
}

/** Plans the turn of an entry, if there is one to plan; the id of its task. */
export function planEntry(
  tx: Transaction,
  kind: "timeline" | "withdrawal",
  ref: string,
  entry: PlannedEntry | undefined,
): number | undefined {
  if (entry === undefined) return undefined;
  const { step, dueMs: due_ms } = entry;
  return tx.schedule({ due_ms, rank: 1, kind, ref, step });
}

interface Planned<Status extends string> {
  readonly status: Status;
  readonly timeline: readonly { readonly to: Status; readonly reason?: string | undefined }[];
}

/** What `move` makes of the record when the turn of an entry has come; a note when that is nothing. */
export function takeTurn<Status extends string, Moved extends object>(
  tx: Transaction,
  called: "charge" | "withdrawal",
  rules: StatusRules<Status>,
  { status, timeline }: Planned<Status>,
  step: number,
  move: (to: Status, reason: string | undefined) => Moved | Refusal,
): Moved | string {
  const { to, reason } = timeline[step]!;
  const isThere = verdictOn(rules, status, to) === "already";
  const moved = isThere ? undefined : tx.attempt(() => move(to, reason));
  if (moved !== undefined && !isRefusal(moved)) return moved;
  const why = moved === undefined ? `the ${called} is ${to} already` : moved.message;
  return `timeline entry ${step + 1} (${to}) did nothing: ${why}`;
}
