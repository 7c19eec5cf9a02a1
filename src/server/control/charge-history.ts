import type { Charge } from "../../core/domain/charge-transition.js";
import type { Withdrawal } from "../../core/domain/withdrawal.js";
import { ruleConditions } from "../../core/engine/scenario-lookup.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { receiverName } from "../../core/reports/delivery-text.js";
import { type ACTORS, isByHand } from "../../core/schema/common.js";
import type { ChargeHistoryItem } from "../../core/schema/control-responses.js";
import { idOf } from "./payment-report.js";
import { requestEntryView } from "./requests.js";

/** Order of items at the same instant. */
const ORDER: readonly ChargeHistoryItem["kind"][] = [
  "request",
  "transition",
  "ledger",
  "event",
  "note",
  "attempt",
  "hold",
];

/** Calls that name the charge or withdrawal, or created it, oldest first. */
function requestsAbout({ journal }: Namespace, id: string) {
  return journal
    .entries()
    .reverse()
    .filter(
      (entry) =>
        entry.path.includes(id) ||
        entry.objectId === id ||
        (entry.method === "POST" && (entry.responseBody ?? "").includes(id)),
    );
}

export function collectHistory(namespace: Namespace, payment: Charge | Withdrawal) {
  const { state } = namespace.engine;
  const id = idOf(payment);
  const items: ChargeHistoryItem[] = [
    ...requestsAbout(namespace, id).map(
      (entry): ChargeHistoryItem => ({ kind: "request", ...requestEntryView(entry) }),
    ),
    ...payment.status_history.map(
      (change, index): ChargeHistoryItem => ({
        kind: "transition",
        ...change,
        ...transitionCause(namespace, payment, index),
      }),
    ),
    ...state.entriesOf(id).map(
      ({ at, entry_id, kind, currency, postings }): ChargeHistoryItem => ({
        kind: "ledger",
        at,
        entry_id,
        posting: kind,
        currency,
        postings: [...postings],
      }),
    ),
    ...payment.notes.map((note): ChargeHistoryItem => ({ kind: "note", ...note })),
  ];
  const events = state.eventsOf(id).reverse();
  for (const event of events) {
    items.push({ kind: "event", at: event.at, event_id: event.event_id, type: event.type });
    const deliveries = state.deliveriesOf(event.event_id).reverse();
    for (const delivery of deliveries) {
      const { delivery_id, webhook_id, attempts } = delivery;
      const receiver = receiverName(state.get("endpoints", webhook_id));
      const ids = { delivery_id, event_id: event.event_id, type: event.type, webhook_id, receiver };
      for (const attempt of attempts) items.push({ kind: "attempt", ...ids, ...attempt });
      const hold = namespace.findHold(delivery);
      if (hold !== null) items.push({ kind: "hold", at: hold.since, ...ids, reason: hold.reason });
    }
  }
  items.sort((a, b) => compareText(a.at, b.at) || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  return { status: payment.status, total: items.length, items };
}

/** The cause of a status change, and what its rule matches; `index` is its position in the status history. */
function transitionCause({ engine }: Namespace, payment: Charge | Withdrawal, index: number) {
  const { scenario, rule } = payment;
  const recorded = payment.actors[index]!;
  const list = "charge_id" in payment ? "charges" : "withdrawals";
  const actor: (typeof ACTORS)[number] = isByHand(recorded) ? "control" : recorded;
  const isPlanned = actor === "scenario";
  const by = {
    actor,
    scenario: isPlanned ? scenario : null,
    rule: isPlanned && rule !== null ? `${list}.${rule}` : null,
  };
  const match = isPlanned ? ruleConditions(engine.state, payment) : "";
  return { by, ...(match !== "" && { match }) };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
