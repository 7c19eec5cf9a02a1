import type { Charge } from "../../core/domain/charge-transition.js";
import { payAmount, transitionCharge } from "../../core/engine/commands/charge-commands.js";
import { chargeBack, refund, refundPart } from "../../core/engine/commands/reversal-commands.js";
import type { FieldCondition } from "../../core/engine/indexes.js";
import { emailCondition, metadataCondition } from "../../core/engine/match-fields.js";
import type { State } from "../../core/engine/state.js";
import { chargeDetailJson } from "../../core/engine/wire-views.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { chargeQuerySchema } from "../../core/schema/control-log-requests.js";
import { chargeAdvanceRequestSchema } from "../../core/schema/control-requests.js";
import {
  partialRefundRequestSchema,
  payAmountRequestSchema,
  refundRequestSchema,
  reversalRequestSchema,
  transitionRequestSchema,
} from "../../core/schema/engine-requests.js";
import { CHARGE_REVERSALS } from "../../core/schema/event-types.js";
import { refuse } from "../../core/schema/refusals.js";
import { RawJson, viewOrRefusal } from "../http/reply.js";
import { collectHistory } from "./charge-history.js";
import { defineControlOperation, kindsReply, pageReply } from "./control-operation.js";
import { paymentReport, planFilter } from "./payment-report.js";

const METADATA_PREFIX = "metadata.";

export const EXTENSION_NOTE =
  "The service has no such operation: the status stays `COMPLETED`, and the event's type begins with `sandbox.`.";

const DEFAULT_METHOD_NOTE =
  "If a hosted charge needs a method for this and has none, the first one the checkout offers is used.";

export const CHARGE_CONTROL_OPERATIONS = [
  defineControlOperation({
    id: "listCharges",
    call: "GET /_sandbox/charges",
    summary: "List charges",
    description: "Charges of every organization, newest first.",
    input: chargeQuerySchema,
    queryPrefix: METADATA_PREFIX,
    prefixedParameters:
      "Only charges with this metadata: one parameter `metadata.KEY` per key, such as `metadata.order_id=1042`.",
    runsDueTasks: true,
    output: "ControlChargeList",
    run: ({ namespace, input, url }) => {
      const { mode, customer_email, status, q } = input;
      const { state } = namespace.engine;
      const reversed = chargesReversed(state, status);
      const hasStatusAndMode = (charge: Charge) =>
        (mode === undefined || charge.mode === mode) &&
        (status === undefined || charge.status === (reversed === undefined ? status : "COMPLETED"));
      const isPlanned = planFilter(state, input);
      const fields = indexedFields(customer_email, url);
      const hasFields = (charge: Charge) => fields.every(({ of, value }) => of(charge) === value);
      const view = (charge: Charge) => controlChargeJson(namespace, charge);
      if ((q ?? isPlanned ?? reversed) === undefined && fields.length === 0)
        return kindsReply(state, "charges", hasStatusAndMode, input, view);
      const candidates =
        q !== undefined
          ? state.chargesWithWords(q)
          : fields.length > 0
            ? state.chargesMatching(fields).reverse()
            : state.allOfKinds("charges", hasStatusAndMode);
      const found = candidates.filter(
        (charge) =>
          hasStatusAndMode(charge) &&
          (reversed === undefined || reversed.has(charge.charge_id)) &&
          hasFields(charge) &&
          isPlanned?.(charge) !== false,
      );
      return pageReply(found, input, view);
    },
  }),
  defineControlOperation({
    id: "getCharge",
    call: "GET /_sandbox/charges/{charge_id}",
    summary: "Get a charge",
    description: "A charge of any organization, with the scenario and timeline that decide its outcome.",
    runsDueTasks: true,
    output: "ControlCharge",
    run: ({ namespace, param }) =>
      viewOrRefusal(
        chargeOf(namespace, param("charge_id")),
        (charge) => new RawJson(controlChargeJson(namespace, charge)),
      ),
  }),
  defineControlOperation({
    id: "transitionCharge",
    call: "POST /_sandbox/charges/{charge_id}/transition",
    summary: "Change a charge's status",
    description: `Sets its status now. The rest of its scenario's timeline is cancelled. ${DEFAULT_METHOD_NOTE}`,
    input: transitionRequestSchema,
    output: "Charge",
    errors: ["INVALID_TRANSITION", "INSUFFICIENT_BALANCE"],
    example: { to: "FAILED", reason: "declined_by_operator" },
    run: ({ namespace, actor, input: { to, reason }, param }) =>
      viewOrRefusal(namespace.execute(transitionCharge(param("charge_id"), to, actor, reason)), chargeReply),
  }),
  defineControlOperation({
    id: "payAmount",
    call: "POST /_sandbox/charges/{charge_id}/pay",
    summary: "Pay another amount",
    description: `The customer has paid more or less than the charge's amount, which completes it all the same. ${DEFAULT_METHOD_NOTE}`,
    input: payAmountRequestSchema,
    output: "Charge",
    errors: ["INVALID_TRANSITION"],
    example: { amount: "19.99" },
    run: ({ namespace, actor, input, param }) =>
      viewOrRefusal(namespace.execute(payAmount(param("charge_id"), input.amount, actor)), chargeReply),
  }),
  defineControlOperation({
    id: "refundCharge",
    call: "POST /_sandbox/charges/{charge_id}/refund",
    summary: "Refund a charge",
    description:
      "Refunds the whole charge, or `amount` of it: the settlement amount from the available balance, and the fee. A charge that has not settled yet settles first, if all of it is refunded.",
    input: refundRequestSchema,
    output: "Charge",
    errors: ["INVALID_TRANSITION", "INSUFFICIENT_BALANCE"],
    example: { reason: "requested_by_merchant" },
    run: ({ namespace, actor, input, param }) =>
      viewOrRefusal(namespace.execute(refund(param("charge_id"), input, actor)), chargeReply),
  }),
  defineControlOperation({
    id: "refundPart",
    call: "POST /_sandbox/charges/{charge_id}/partial-refund",
    summary: "Refund part of a charge (extension)",
    description: `Refunds part of a settled charge: the available balance and the fee pay in proportion, and a later refund returns the rest. ${EXTENSION_NOTE}`,
    input: partialRefundRequestSchema,
    output: "Reversal",
    errors: ["INVALID_TRANSITION", "INSUFFICIENT_BALANCE"],
    example: { amount: "5.10", reason: "one_item_missing" },
    run: ({ namespace, input: { amount, reason }, param }) =>
      namespace.execute(refundPart(param("charge_id"), amount, reason)),
  }),
  defineControlOperation({
    id: "chargeBack",
    call: "POST /_sandbox/charges/{charge_id}/chargeback",
    summary: "Charge back a payment (extension)",
    description: `The customer's bank takes back what is left of a settled charge, like a refund. ${EXTENSION_NOTE}`,
    input: reversalRequestSchema,
    output: "Reversal",
    errors: ["INVALID_TRANSITION", "INSUFFICIENT_BALANCE"],
    example: { reason: "fraudulent" },
    run: ({ namespace, input, param }) => namespace.execute(chargeBack(param("charge_id"), input.reason)),
  }),
  defineControlOperation({
    id: "advanceCharge",
    call: "POST /_sandbox/charges/{charge_id}/advance",
    summary: "Advance a charge along its timeline",
    description: `Runs the tasks scheduled for this charge, and no others, until it reaches the status. The clock is not moved. ${DEFAULT_METHOD_NOTE}`,
    input: chargeAdvanceRequestSchema,
    output: "Charge",
    errors: ["INVALID_TRANSITION"],
    example: { until: "COMPLETED" },
    run: ({ namespace, input, param }) =>
      viewOrRefusal(namespace.advanceCharge(param("charge_id"), input.until), chargeReply),
  }),
  defineControlOperation({
    id: "getChargeTimeline",
    call: "GET /_sandbox/charges/{charge_id}/timeline",
    summary: "Get a charge's history",
    description:
      "Requests, transitions, ledger entries, events, and every delivery attempt with its response, in order.",
    runsDueTasks: true,
    output: "ChargeStory",
    run: ({ namespace, param }) =>
      viewOrRefusal(chargeOf(namespace, param("charge_id")), (charge) => {
        const { charge_id, traceparent } = charge;
        return { charge_id, traceparent, ...collectHistory(namespace, charge) };
      }),
  }),
];

/** Ids of the charges whose last reversal is of a status, such as `PARTLY_REFUNDED`; undefined for any other status. */
function chargesReversed(state: State, status: string | undefined): ReadonlySet<string> | undefined {
  const reversals: ReadonlyMap<string, string> = CHARGE_REVERSALS;
  const asked = reversals.get(status ?? "");
  if (asked === undefined) return undefined;
  const types = [...reversals.values()];
  const newestFirst = state.allOfKinds("events", ({ type }) => types.includes(type));
  // The last type of an object counts.
  const lastTypes = new Map(newestFirst.reverse().map(({ object_id, type }) => [object_id!, type]));
  return new Set([...lastTypes].flatMap(([id, type]) => (type === asked ? id : [])));
}

function chargeOf({ engine }: Namespace, id: string) {
  return engine.state.get("charges", id) ?? refuse("NOT_FOUND", "Charge not found");
}

export function chargeReply(charge: Charge): RawJson {
  return new RawJson(chargeDetailJson(charge));
}

/** Mode, kind, price, scenario and timeline, which the service's view lacks. */
export function chargeExtras({ mode, kind, pricing, scenario, scenario_asked, timeline, notes }: Charge) {
  const base = { base_amount: pricing.amount, base_currency: pricing.base_currency };
  return { mode, kind, ...base, sandbox: { scenario, scenario_asked, timeline, notes } };
}

/** Adds what the service's view lacks, and how the charge stands. */
export function controlChargeJson(namespace: Namespace, charge: Charge): string {
  const extra = JSON.stringify({ ...chargeExtras(charge), ...paymentReport(namespace, charge) });
  return `${chargeDetailJson(charge).slice(0, -1)},${extra.slice(1)}`;
}

function indexedFields(email: string | undefined, url: string): FieldCondition<Charge>[] {
  const mark = url.indexOf("?");
  const parameters = mark === -1 ? [] : [...new URLSearchParams(url.slice(mark + 1))];
  const metadata = parameters
    .filter(([name]) => name.startsWith(METADATA_PREFIX))
    .map(([name, value]) => metadataCondition(name.slice(METADATA_PREFIX.length), value));
  return email === undefined ? metadata : [emailCondition(email), ...metadata];
}
