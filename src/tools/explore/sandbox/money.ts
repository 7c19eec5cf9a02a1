import { add } from "../../../core/domain/money.js";
import { isJsonObject } from "../../../core/schema/json-objects.js";
import type { RunPlan } from "../run-plan.js";
import type { ObservedCharge, ObservedPayment, ObservedRun } from "../run-record.js";
import type { Baseline, LoadedRun, RunVariables, Sums } from "./facts.js";
import { isSameEmail } from "./observation.js";
import { filledText, savedVariable, textOf } from "./saved-variable.js";
import { RUN_ID } from "./views.js";

/*
 * How the money of a run ended. The unit is the order: its charges that never moved money do not count.
 */

/** The money of a run in which no charge was paid. */
export const UNPAID = "unpaid";

/** Describes how the money of a run ended, by order: the same text for the same money in all runs. */
export function moneyOf(plan: RunPlan, run: LoadedRun, baseline: Baseline): string {
  const outcomes = chargesOf(run, baseline)
    .filter((charge) => hasBeenPaid(charge))
    .map((charge) => `${orderOf(charge, run.loaded)} ${outcomeOf(charge, plan)}`);
  return outcomes.length === 0 ? UNPAID : outcomes.sort().join(", ");
}

export function hasBeenPaid({ history }: ObservedCharge, byMs = Infinity): boolean {
  return history.some(({ status, atMs }) => status === "COMPLETED" && atMs <= byMs);
}

function outcomeOf({ history, status, expiresMs }: ObservedCharge, { end }: RunPlan): string {
  const paidMs = history.find((one) => one.status === "COMPLETED")!.atMs;
  const isLate = paidMs > expiresMs || history.some((one) => one.status === "EXPIRED" && one.atMs <= paidMs);
  return `${isLate ? "late " : ""}${end === "partly_refunded" ? "partly " : ""}${status}`;
}

/** Names the order of a charge by metadata that the flow knows; empty if it knows none. */
function orderOf({ metadata }: ObservedCharge, loaded: RunVariables): string {
  const { scope, runId } = loaded;
  const known = new Map(scope.names.map((name) => [textOf(savedVariable(loaded, name)), name]));
  return Object.entries(metadata)
    .flatMap(([key, value]) => {
      const name = value.includes(runId) ? value.replaceAll(runId, RUN_ID) : known.get(value);
      return name === undefined || value === "" ? [] : [`${key}=${name}`];
    })
    .join(" ");
}

export function sumsOf(run: LoadedRun, baseline: Pick<Baseline, "customerMatch" | "chargeMatch">): Sums {
  const prices = chargesOf(run, baseline).map(({ status, base }) => ({ status, ...base }));
  return { paid: sumOf(prices), paidOut: sumOf(run.observed.withdrawals) };
}

function sumOf(payments: readonly Pick<ObservedPayment, "status" | "amount" | "currency">[]): string {
  const sums = new Map<string, string>();
  for (const { status, amount, currency } of payments)
    if (status === "COMPLETED") sums.set(currency, add(sums.get(currency) ?? "0", amount));
  return [...sums]
    .map(([currency, sum]) => `${sum} ${currency}`)
    .sort()
    .join(", ");
}

/** The charges of a run that its baseline counts: of its customer, or of its order. */
export function chargesOf(
  { observed, loaded }: LoadedRun,
  { customerMatch, chargeMatch }: Pick<Baseline, "customerMatch" | "chargeMatch">,
): readonly ObservedCharge[] {
  const email = customerEmail({ customerMatch }, loaded.runId);
  if (email !== undefined) return observed.charges.filter((charge) => isSameEmail(charge.email, email));
  const { metadata } = chargeMatch;
  if (!isJsonObject(metadata)) return observed.charges;
  return observed.charges.filter((charge) =>
    Object.entries(metadata).every(
      ([key, reference]) =>
        charge.metadata[key] === textOf(savedVariable(loaded, String(reference).slice(2, -1))),
    ),
  );
}

export function customerEmail(
  { customerMatch }: Pick<Baseline, "customerMatch">,
  runId: string,
): string | undefined {
  return customerMatch.customer_email?.replaceAll(RUN_ID, runId).replaceAll("\\*", "*");
}

/** The email of a run's customer, once two plain runs have shown that a run has exactly one. */
export function soleCustomer(
  [one, other]: readonly LoadedRun[],
  baseline: Baseline,
  runId: string,
): string | undefined {
  const emails = new Set(one?.observed.charges.map(({ email }) => email));
  return other === undefined || emails.size !== 1 ? undefined : customerEmail(baseline, runId);
}

/** The charges of the order or customer that a view names; all charges of the run if it names none of theirs. */
export function chargesShownBy(view: object, { observed, loaded }: LoadedRun): readonly ObservedCharge[] {
  const call = filledText(JSON.stringify(view), loaded);
  const named = new Set(call.split(/[/?&=#"\s]+/));
  const shown = observed.charges.filter(({ email, metadata }) =>
    [email, ...Object.values(metadata)].some((value) => named.has(value)),
  );
  return shown.length === 0 ? observed.charges : shown;
}

/** Returns true if a charge was refunded before the app had accepted the webhook of its payment. */
export function wasRefundedFirst({ charges, deliveries }: ObservedRun): boolean {
  return charges.some(({ id, history }) => {
    const refundedMs = history.find(({ status }) => status === "REFUNDED")?.atMs;
    const paid = deliveries.filter(({ object_id, type }) => object_id === id && type === "charge.completed");
    const accepted = paid
      .flatMap(({ attempts }) => attempts)
      .filter(({ status }) => status !== null && status < 300);
    return refundedMs !== undefined && paid.length > 0 && accepted.every(({ atMs }) => atMs >= refundedMs);
  });
}
