import type { Charge } from "../../core/domain/charge-transition.js";
import { ruleConditions } from "../../core/engine/scenario-lookup.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { receiverName } from "../../core/reports/delivery-text.js";
import { type ACTORS, isByHand } from "../../core/schema/common.js";
import type { ChargeHistoryItem } from "../../core/schema/control-responses.js";
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
export function requestsAbout({ journal }: Namespace, id: string) {
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

export function collectChargeHistory(namespace: Namespace, charge: Charge) {
  const { state } = namespace.engine;
  const id = charge.charge_id;
  const items: ChargeHistoryItem[] = [
    ...requestsAbout(namespace, id).map(
      (entry): ChargeHistoryItem => ({ kind: "request", ...requestEntryView(entry) }),
    ),
    ...charge.status_history.map(
      (change, index): ChargeHistoryItem => ({
        kind: "transition",
        ...change,
        ...transitionCause(namespace, charge, index),
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
    ...charge.notes.map((note): ChargeHistoryItem => ({ kind: "note", ...note })),
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
  return {
    charge_id: id,
    status: charge.status,
    traceparent: charge.traceparent,
    total: items.length,
    items,
  };
}

/** The cause of a status change, and what its rule matches; `index` is its position in the status history. */
function transitionCause({ engine }: Namespace, charge: Charge, index: number) {
  const { scenario, rule } = charge;
  const recorded = charge.actors[index]!;
  const actor: (typeof ACTORS)[number] = isByHand(recorded) ? "control" : recorded;
  const isPlanned = actor === "scenario";
  const by = {
    actor,
    scenario: isPlanned ? scenario : null,
    rule: isPlanned && rule !== null ? `charges.${rule}` : null,
  };
  const match = isPlanned ? ruleConditions(engine.state, charge) : "";
  return { by, ...(match !== "" && { match }) };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
