/** Moves of a person with a charge or payout: set its status, pay another amount, take money back. */
import type { ControlCharge, ControlWithdrawal } from "../../../core/schema/control-responses.js";
import { CHARGE_STATUS_TABLE } from "../../../core/schema/statuses.js";
import { groupDigits, sentenceCase } from "../../format.js";
import { type Content, html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import type { PageContext } from "../page-context.js";
import { allScenarios, amountLeft, idOf, type Payment } from "../rows.js";

/** A change of status that a person can make. */
interface Move {
  readonly label: string;
  readonly to: string;
  readonly does: ui.Press;
}

const PAYOUT_VERBS: Readonly<Record<string, string>> = {
  PROCESSING: "Process",
  COMPLETED: "Complete",
  FAILED: "Fail",
  CANCELLED: "Cancel",
};

/** The statuses that the control API says may follow. */
async function movesOf({ ask }: PageContext, payment: Payment): Promise<Move[]> {
  const id = idOf(payment);
  const { items } = await ask("listNext", { id });
  const next = items.flatMap(({ kind, to }) => (kind === "transition" ? to : []));
  return next.flatMap((to): Move[] => {
    if (!("charge_id" in payment))
      return [{ label: PAYOUT_VERBS[to]!, to, does: ["transitionWithdrawal", { withdrawal_id: id, to }] }];
    const { verb } = CHARGE_STATUS_TABLE[to as keyof typeof CHARGE_STATUS_TABLE];
    if (verb === undefined) return [];
    return [{ label: sentenceCase(verb), to, does: ["transitionCharge", { charge_id: id, to }] }];
  });
}

/** The first move, with the others and the forms in a menu beside it. */
export async function moveButtons(context: PageContext, payment: Payment): Promise<Markup> {
  const id = idOf(payment);
  const moves = await movesOf(context, payment);
  const first = moves.find(({ to }) => to === "COMPLETED") ?? moves[0];
  const others = moves.filter((move) => move !== first);
  const forms = "charge_id" in payment ? chargeForms(context, payment, moves) : payoutForms(context, payment);
  const list = [others.length > 0 && reasonForm(context, id, others), ...forms].filter(Boolean);
  if (first === undefined && list.length === 0)
    return html`<div class="split soft">This status is final.</div>`;
  const label = first === undefined ? "Moves" : html`<span class="unseen">More moves</span>`;
  return html`<div class="split">${
    first !== undefined && ui.button({ does: first.does, label: first.label, to: id, kind: "main" })
  }${list.length > 0 && ui.menu(label, list)}</div>`;
}

function moveForm(context: PageContext, fields: Content, label: string, does: ui.Press): Markup {
  return ui.actionForm(context, html`${fields}${ui.submitButton({ does, label })}`, label);
}

function reasonField(label: string, hint: string): Markup {
  return ui.input({ name: "reason", label, hint });
}

/** A button for each status, with the reason. FAILED comes first: Enter in the field presses the first button. */
function reasonForm(context: PageContext, id: string, moves: readonly Move[]): Markup {
  const isFailure = ({ to }: Move) => to === "FAILED";
  const ordered = [...moves.filter(isFailure), ...moves.filter((move) => !isFailure(move))];
  const hint = moves.some(isFailure) ? "insufficient_funds" : "requested_by_customer";
  const buttons = ordered.map(({ does, label }) => ui.submitButton({ does, label, to: id }));
  return ui.actionForm(context, html`${reasonField("Reason", hint)}${buttons}`, "Change the status");
}

function amountField(label: string, currency: string, amount: string, value = ""): Markup {
  return ui.input({
    name: "amount",
    label: `${label} ${currency} ${groupDigits(amount)}`,
    value,
    required: true,
  });
}

function chargeForms(context: PageContext, charge: ControlCharge, moves: readonly Move[]): Content[] {
  const { charge_id, currency, currency_paid = currency, amount, payment_method } = charge;
  const canBePaid = payment_method !== null && moves.some(({ to }) => to === "COMPLETED");
  const canBeReversed = moves.some(({ to }) => to === "REFUNDED");
  const left = amountLeft(charge);
  const refund = [
    amountField("Amount or percentage, less than", currency_paid, left, "50 %"),
    reasonField("Reason", "one_item_missing"),
  ];
  return [
    canBePaid &&
      moveForm(context, amountField("Pay another amount than", currency, amount), "Pay", [
        "payAmount",
        { charge_id },
      ]),
    canBeReversed && moveForm(context, refund, "Refund part", ["refundPart", { charge_id }]),
    canBeReversed &&
      moveForm(context, reasonField("Reason", "fraudulent"), "Charge back", ["chargeBack", { charge_id }]),
  ];
}

function payoutForms(context: PageContext, payout: ControlWithdrawal): Content[] {
  const { withdrawal_id, status, reversals } = payout;
  const reason = reasonField("Returned by the bank, with the reason", "account_closed");
  return [
    status === "COMPLETED" &&
      reversals.length === 0 &&
      moveForm(context, reason, "Bounce", ["bounceWithdrawal", { withdrawal_id }]),
  ];
}

/** Menu that creates a charge like this one, with another scenario or amount. */
export async function repeatMenu(context: PageContext, charge: ControlCharge): Promise<Markup> {
  const { charge_id, base_amount, base_currency, sandbox } = charge;
  const scenarios = (await allScenarios(context)).map(({ name }) => name).sort();
  const fields = html`${ui.selectField(
    "scenario",
    "With scenario",
    [["", "as it is now"], ...scenarios],
    sandbox.scenario_asked ?? "",
  )}${ui.input({
    name: "amount",
    label: `Price in ${base_currency} (fees come on top)`,
    value: base_amount,
    required: true,
  })}${ui.submitButton({ does: ["again", { charge_id }], label: "Make again", kind: "main" })}`;
  return ui.menu("Make again", [ui.actionForm(context, fields, "Make again")]);
}
