import type { Charge } from "../domain/charge-transition.js";
import { prorateAmount, toCanonicalAmount } from "../domain/money.js";
import { findRule, type MatchSubject } from "../domain/rule-matching.js";
import { checkEntry, type PlannedEntry, type StatusRules } from "../domain/timeline.js";
import type { Withdrawal } from "../domain/withdrawal.js";
import { isRefusal, type Refusal } from "../schema/refusals.js";
import type { ChargeRule, Scenario } from "../schema/scenario-rules.js";
import { durationToMs } from "../schema/time.js";
import { digestOf, fractionOf } from "./ids.js";
import { DEFAULT_SCENARIO, listApplicableScenarios, requestedScenarioNamesOf } from "./scenario-lookup.js";
import type { Transaction } from "./transaction.js";

/* Timelines of charges and withdrawals: a matching scenario rule sets the timeline, and a task runs each entry. */

type RuleTest = (
  scenario: string,
  index: number,
  rule: { readonly probability?: number | undefined },
) => boolean;

/** Sets a record's timeline from the first matching rule. Adds to `notes` if no rule of the requested scenario fits. */
export function assignTimeline<Item extends Charge | Withdrawal>(
  tx: Transaction,
  kind: Item extends Charge ? "charges" : "withdrawals",
  record: Item,
  subject: MatchSubject,
): Item {
  const { notes } = record;
  const requested = requestedScenarioNamesOf(record);
  const id = "charge_id" in record ? record.charge_id : record.withdrawal_id;
  const scenarios = listApplicableScenarios(tx.state, requested);
  const isDrawnRule: RuleTest = (name, index, { probability = 1 }) => isDrawn(probability, id, name, index);
  const choice = findRule(
    kind,
    scenarios,
    subject,
    (name, index, rule) =>
      isDrawnRule(name, index, rule) &&
      (requested.includes(name) ||
        !leavesToDefaultScenario(kind, scenarios, name, rule, subject, isDrawnRule)),
  );
  if (choice !== undefined) tx.noteRule(choice);
  const scenario = choice?.scenario ?? null;
  const isRequested = scenario !== null && requested.includes(scenario);
  const missed = isRequested ? requested.slice(0, requested.indexOf(scenario)) : requested;
  return {
    ...record,
    scenario,
    timeline: choice?.rule.timeline ?? [],
    rule: choice?.index ?? null,
    ...(choice !== undefined && "charge_id" in record ? chargeFieldsOf(tx, record, choice.rule) : {}),
    notes:
      missed.length === 0
        ? notes
        : [
            ...notes,
            ...missed.map((name) => ({
              at: tx.at,
              note: `no rule of scenario ${name} matches; ${scenario ?? "none"} applies`,
            })),
          ],
  };
}

function chargeFieldsOf(tx: Transaction, charge: Charge, rule: ChargeRule) {
  const { paid, settles_after } = rule;
  return {
    ...paidOf(tx, charge, paid),
    ...(settles_after === undefined ? {} : { settlement_delay_ms: durationToMs(settles_after) }),
  };
}

/** Amount and currency that a rule makes the customer pay; empty if they equal the charge's. */
function paidOf(tx: Transaction, { amount, currency }: Charge, paid: ChargeRule["paid"]) {
  if (paid === undefined) return {};
  const { code, decimals } =
    tx.catalogue.currency(paid.currency ?? currency) ?? tx.catalogue.requireCurrency(currency);
  const amount_paid = toCanonicalAmount(
    paid.amount ?? prorateAmount(amount, String(paid.factor ?? 1), "1", decimals),
    decimals,
  );
  return amount_paid === amount && code === currency ? {} : { amount_paid, currency_paid: code };
}

/**
 * A mishap scenario's rule without `match` yields to a rule of `default` whose `match` fits the object, unless an
 * outcome scenario in between decides.
 */
function leavesToDefaultScenario(
  kind: "charges" | "withdrawals",
  scenarios: readonly Scenario[],
  name: string,
  rule: { readonly match?: unknown },
  subject: MatchSubject,
  isDrawnRule: RuleTest,
): boolean {
  const position = scenarios.findIndex((scenario) => scenario.name === name);
  if (rule.match !== undefined || scenarios[position]?.kind !== "mishap") return false;
  const others = scenarios.slice(position + 1).filter((scenario) => scenario.kind !== "mishap");
  const next = findRule(kind, others, subject, isDrawnRule);
  return next?.scenario === DEFAULT_SCENARIO && next.rule.match !== undefined;
}

/** The random draw follows from the record's id, and so from the seed; other calls do not change it. */
function isDrawn(probability: number, id: string, scenario: string, index: number): boolean {
  return probability === 1 || fractionOf(digestOf(`${id}\0${scenario}#${index}`)) < probability;
}

/** Schedules the task of an entry; returns the task's id. */
export function planTimelineEntry(
  tx: Transaction,
  kind: "timeline" | "withdrawal",
  ref: string,
  entry: PlannedEntry | undefined,
): number | undefined {
  if (entry === undefined) return undefined;
  const { step, dueMs: due_ms } = entry;
  return tx.schedule({ due_ms, rank: 1, kind, ref, step });
}

interface WithTimeline<Status extends string> {
  readonly status: Status;
  readonly scenario: string | null;
  readonly timeline: readonly { readonly to: Status; readonly reason?: string | undefined }[];
}

/**
 * Runs a due timeline entry by calling `move`; returns the reason as text if the entry changes nothing.
 * @param already the reason if the record has the entry's status
 */
export function applyTimelineEntry<Status extends string, Moved extends object>(
  tx: Transaction,
  rules: StatusRules<Status>,
  { status, scenario, timeline }: WithTimeline<Status>,
  step: number,
  already: string,
  move: (to: Status, reason: string | undefined) => Moved | Refusal,
): Moved | string {
  const { to, reason } = timeline[step]!;
  const isAlready = checkEntry(rules, status, to) === "already";
  const moved = isAlready ? undefined : tx.tryPart(() => move(to, reason));
  if (moved !== undefined && !isRefusal(moved)) return moved;
  return `scenario ${scenario} planned ${to} for now: ${moved === undefined ? already : moved.message}`;
}
