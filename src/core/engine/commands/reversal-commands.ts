import type * as z from "zod/mini";
import type { Actor, Charge } from "../../domain/charge-transition.js";
import { type Posting, refundPostings, withdrawalReversalPostings } from "../../domain/ledger-postings.js";
import { add, compareAmounts, decimalsOf, isZero, subtract, toCanonicalAmount } from "../../domain/money.js";
import type { MatchSubject } from "../../domain/rule-matching.js";
import type { Withdrawal } from "../../domain/withdrawal.js";
import type { refundRequestSchema, reversalSchema } from "../../schema/engine-requests.js";
import { REVERSALS, type ReversalKind } from "../../schema/event-types.js";
import { type Refusal, refuse, refuseInvalid } from "../../schema/refusals.js";
import { isPaid } from "../../schema/statuses.js";
import { emitEvent } from "../event-emission.js";
import { amountReturned, postToLedger, requireBookedPayment } from "../ledger-posting.js";
import { chargeSubject, withdrawalSubject } from "../match-fields.js";
import type { Command, Transaction } from "../transaction.js";
import { chargeDetailView, withdrawalView } from "../wire-views.js";
import { transitionCharge } from "./charge-commands.js";

/** Partial refund, chargeback or bounce, as shown in responses and events. */
export type Reversal = z.infer<typeof reversalSchema>;

interface ReversalSource {
  readonly kind: ReversalKind;
  readonly source: Charge | Withdrawal;
  /** The source as events show it. */
  readonly view: object;
  readonly objectId: string;
  readonly amount: string;
  readonly currency: string;
  readonly postings: readonly Posting[];
  readonly subject: () => MatchSubject;
  readonly reason: string | undefined;
}

/** Refunds a part of a completed payment, fee included in proportion. */
export function refundPart(
  chargeId: string,
  requested: string,
  reason?: string,
): Command<Reversal | Refusal> {
  return reversePart(chargeId, "partial_refund", reason, (tx, { currency }, left) => {
    const { decimals } = tx.catalogue.requireCurrency(currency);
    if (decimalsOf(requested) > decimals)
      return refuseInvalid({ amount: `must have at most ${decimals} decimals in ${currency}` });
    if (isZero(requested)) return refuseInvalid({ amount: "must be more than 0" });
    if (compareAmounts(requested, left) >= 0)
      return refuseInvalid({
        amount: `must be less than the ${left} ${currency} that are left; refund returns all of it`,
      });
    return toCanonicalAmount(requested, decimals);
  });
}

/** Refunds a part of a payment, or all that is left. */
export function refund(
  chargeId: string,
  { amount, reason }: z.infer<typeof refundRequestSchema>,
  actor: Actor,
): Command<Charge | Refusal> {
  return (tx) => {
    const charge = tx.get("charges", chargeId);
    const isAll =
      amount === undefined ||
      (charge !== undefined &&
        isPaid(charge.status) &&
        compareAmounts(amount, bookedPart(tx, charge).left) === 0);
    if (isAll) return transitionCharge(chargeId, "REFUNDED", actor, reason)(tx);
    const part = refundPart(chargeId, amount, reason)(tx);
    return "entry_id" in part ? charge! : part;
  };
}

/** The booked payment of a charge, and what of it has been returned and is left. */
function bookedPart({ state }: Transaction, charge: Charge) {
  const booked = requireBookedPayment(charge);
  const returned = amountReturned(state, charge);
  return { booked, returned, left: subtract(booked.amount, returned) };
}

/** Charges back the rest of a completed payment, fee included. */
export function chargeBack(chargeId: string, reason?: string): Command<Reversal | Refusal> {
  return reversePart(chargeId, "chargeback", reason, (_tx, _charge, left) => left);
}

function reversePart(
  chargeId: string,
  kind: ReversalKind,
  reason: string | undefined,
  amountOf: (tx: Transaction, charge: Charge, left: string) => string | Refusal,
): Command<Reversal | Refusal> {
  return (tx) => {
    const charge = tx.get("charges", chargeId);
    if (charge === undefined) return refuse("NOT_FOUND", "Charge not found");
    if (!isPaid(charge.status)) return notCompleted("charge", charge.status);
    if (charge.settled_at === null)
      return refuse("INVALID_TRANSITION", "The charge has not settled yet: nothing can be taken back.");
    const { booked, returned, left } = bookedPart(tx, charge);
    const { currency } = booked;
    if (isZero(left)) return refuse("INVALID_TRANSITION", "Nothing of the charge is left to charge back.");
    const amount = amountOf(tx, { ...charge, currency }, left);
    if (typeof amount !== "string") return amount;
    return reverse(tx, {
      kind,
      source: charge,
      view: chargeDetailView(charge),
      currency,
      objectId: chargeId,
      amount,
      postings: refundPostings(booked, returned, add(returned, amount)),
      subject: () => chargeSubject(charge),
      reason,
    });
  };
}

/** Returns a completed payout to the balance; the fee is not returned. */
export function bounceWithdrawal(withdrawalId: string, reason?: string): Command<Reversal | Refusal> {
  return (tx) => {
    const withdrawal = tx.get("withdrawals", withdrawalId);
    if (withdrawal === undefined) return refuse("NOT_FOUND", "Withdrawal not found");
    if (withdrawal.status !== "COMPLETED") return notCompleted("withdrawal", withdrawal.status);
    if (tx.state.entriesOf(withdrawalId).some(({ kind }) => kind === "bounce"))
      return refuse("INVALID_TRANSITION", "The withdrawal has already been returned.");
    return reverse(tx, {
      kind: "bounce",
      source: withdrawal,
      view: withdrawalView(withdrawal),
      currency: withdrawal.currency,
      objectId: withdrawalId,
      amount: withdrawal.amount,
      postings: withdrawalReversalPostings(withdrawal.amount),
      subject: () => withdrawalSubject(withdrawal, tx.get("destinations", withdrawal.destination_id)),
      reason,
    });
  };
}

function notCompleted(what: string, status: string): Refusal {
  return refuse("INVALID_TRANSITION", `The ${what} is ${status}: only a COMPLETED one can be reversed.`);
}

/** Posts a reversal and emits its event; the charge or withdrawal itself is unchanged. */
function reverse(tx: Transaction, of: ReversalSource): Reversal | Refusal {
  const { kind, source, view, objectId, amount, currency, subject } = of;
  const { mode, organization_id } = source;
  const refusal = postToLedger(tx, kind, { mode, organization_id, currency }, objectId, of.postings);
  // 409, because the request is valid and only the funds are lacking.
  if (refusal !== undefined) return { ...refusal, status: 409 };
  const reversal: Reversal = {
    kind,
    entry_id: `le_${tx.last("entry")}`,
    object_id: objectId,
    amount,
    currency,
    reason: of.reason ?? null,
    at: tx.at,
  };
  emitEvent(tx, {
    type: REVERSALS[kind].event,
    owner: source,
    objectId,
    data: JSON.stringify({ ...view, sandbox_extension: reversal }),
    subject,
  });
  return reversal;
}
