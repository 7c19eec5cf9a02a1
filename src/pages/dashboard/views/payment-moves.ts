import { type Charge, needsMethod } from "../../../core/domain/charge-transition.js";
import { subtract } from "../../../core/domain/money.js";
import { WITHDRAWAL_STATUS_RULES, type Withdrawal } from "../../../core/domain/withdrawal.js";
import { amountReturned, requireBookedPayment } from "../../../core/engine/ledger-posting.js";
import { settableStatuses } from "../../../core/engine/look-ahead.js";
import type { ChargeStatus, WithdrawalStatus } from "../../../core/schema/common.js";
import { CHARGE_STATUS_TABLE } from "../../../core/schema/statuses.js";
import { groupDigits, sentenceCase } from "../../format.js";
import { type Content, html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import type { Press } from "../notices.js";
import type { PageContext } from "../page-context.js";

/** A change of a charge or payout that a person can make. */
export interface Move {
  readonly label: string;
  readonly to: ChargeStatus | WithdrawalStatus;
  readonly does: Press;
}

/** Allowed transitions. If the charge offers no method, excludes each status that needs a price. */
export function chargeMoves({ namespace }: PageContext, charge: Charge): Move[] {
  const { charge_id } = charge;
  return settableStatuses(namespace.engine.state, charge).flatMap((to): Move[] => {
    const { verb } = CHARGE_STATUS_TABLE[to];
    return verb === undefined || (needsMethod(charge, to) && charge.offered_methods.length === 0)
      ? []
      : [{ label: sentenceCase(verb), to, does: ["transitionCharge", { charge_id, to }] }];
  });
}

const PAYOUT_VERBS: Readonly<Record<WithdrawalStatus, string>> = {
  PENDING: "",
  PROCESSING: "Process",
  COMPLETED: "Complete",
  FAILED: "Fail",
  CANCELLED: "Cancel",
};

export function payoutMoves({ withdrawal_id, status }: Withdrawal): Move[] {
  return WITHDRAWAL_STATUS_RULES.statuses[status].next.map((to) => ({
    label: PAYOUT_VERBS[to],
    to,
    does: ["transitionWithdrawal", { withdrawal_id, to }],
  }));
}

function moveButton({ does, label }: Move, to: string, kind?: "main"): Markup {
  return ui.button({ does, label, to, kind });
}

/** The first move, with the others in a menu beside it. */
export function splitButton(moves: readonly Move[], id: string, more: readonly Content[]): Markup {
  const first = moves.find(({ to }) => to === "COMPLETED") ?? moves[0];
  const others = moves.filter((move) => move !== first);
  const buttons =
    others.length > 0 && html`<p class="actions">${others.map((move) => moveButton(move, id))}</p>`;
  const list = [buttons, ...more].filter(Boolean);
  if (first === undefined && list.length === 0)
    return html`<div class="split soft">This status is final.</div>`;
  return html`<div class="split">${first !== undefined && moveButton(first, id, "main")}${
    list.length > 0 &&
    ui.menu(first === undefined ? "Moves" : html`<span class="unseen">More moves</span>`, list)
  }</div>`;
}

function moveForm(context: PageContext, fields: Content, label: string, does: Press): Markup {
  return ui.actionForm(context, html`${fields}${ui.submitButton({ does, label })}`, label);
}

function reasonField(label: string, hint: string): Markup {
  return ui.input({ name: "reason", label, hint });
}

/** Form that changes the status with a reason. */
function reasonForm(context: PageContext, moves: readonly Move[], does: Press): Markup | false {
  if (moves.length < 2) return false;
  const statuses = moves.map(({ to }) => to);
  const selected = statuses.find((to) => to === "FAILED") ?? statuses[0]!;
  const status = ui.selectField("to", "Change the status to", statuses, selected);
  return moveForm(
    context,
    [
      status,
      reasonField("with the reason", selected === "FAILED" ? "insufficient_funds" : "requested_by_customer"),
    ],
    "Move",
    does,
  );
}

function amountField(label: string, currency: string, amount: string): Markup {
  return ui.input({ name: "amount", label: `${label} ${currency} ${groupDigits(amount)}`, required: true });
}

/** Field for a part of the amount that was not returned yet. */
function refundField({ namespace: { engine } }: PageContext, charge: Charge): Markup {
  const { amount, currency } = requireBookedPayment(charge);
  const left = subtract(amount, amountReturned(engine.state, charge));
  return amountField("Amount, less than", currency, left);
}

/** Forms and buttons of a charge beside its plain moves: another amount, a reversal, a reason, its own timeline. */
export function moreChargeMoves(context: PageContext, charge: Charge): Content[] {
  const { charge_id, currency, amount, payment_method } = charge;
  const moves = chargeMoves(context, charge);
  const planned = plannedStatuses(context, charge);
  const canBePaid = payment_method !== null && moves.some(({ to }) => to === "COMPLETED");
  const canBeReversed = moves.some(({ to }) => to === "REFUNDED");
  return [
    canBePaid &&
      moveForm(context, amountField("Pay another amount than", currency, amount), "Pay", [
        "payAmount",
        { charge_id },
      ]),
    canBeReversed &&
      moveForm(
        context,
        [refundField(context, charge), reasonField("Reason", "one_item_missing")],
        "Refund part",
        ["refundPart", { charge_id }],
      ),
    canBeReversed &&
      moveForm(context, reasonField("Reason", "fraudulent"), "Charge back", ["chargeBack", { charge_id }]),
    reasonForm(context, moves, ["transitionCharge", { charge_id }]),
    planned.length > 0 &&
      html`<div><p class="soft">Run only its own timeline; the clock does not move:</p><p
class="actions">${planned.map((to) =>
        ui.button({ does: ["advanceCharge", { charge_id, until: to }], label: `until ${to}`, to: charge_id }),
      )}</p></div>`,
  ];
}

/** Menu that creates a charge like this one, with another scenario or amount. */
export function repeatMenu(context: PageContext, { charge_id, pricing, scenario_asked }: Charge): Markup {
  const scenarios = [...context.namespace.engine.state.tables.scenarios.keys()].map(String).sort();
  return ui.menu("Make again", [
    ui.actionForm(
      context,
      html`${ui.selectField(
        "scenario",
        "With scenario",
        [["", "as it is now"], ...scenarios],
        scenario_asked ?? "",
      )}${ui.input({
        name: "amount",
        label: `Price in ${pricing.base_currency} (fees come on top)`,
        value: pricing.amount,
        required: true,
      })}${ui.submitButton({ does: ["again", { charge_id }], label: "Make again", kind: "main" })}`,
      "Make again",
    ),
  ]);
}

/** Planned statuses that are still to come, in order. */
function plannedStatuses({ namespace }: PageContext, charge: Charge): string[] {
  const { state } = namespace.engine;
  if (!state.tasksOf(charge.charge_id).some(({ kind }) => kind === "timeline")) return [];
  const reached = new Set(charge.status_history.map(({ status }) => status));
  return [...new Set(charge.timeline.map(({ to }) => to))].filter((to) => !reached.has(to));
}

/** Forms of a payout beside its plain moves: with a reason, and returned by the bank. */
export function morePayoutMoves(context: PageContext, payout: Withdrawal, isBounced: boolean): Content[] {
  const { withdrawal_id, status } = payout;
  return [
    reasonForm(context, payoutMoves(payout), ["transitionWithdrawal", { withdrawal_id }]),
    status === "COMPLETED" &&
      !isBounced &&
      moveForm(context, reasonField("Returned by the bank, with the reason", "account_closed"), "Bounce", [
        "bounceWithdrawal",
        { withdrawal_id },
      ]),
  ];
}
