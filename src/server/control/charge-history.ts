import type { Charge } from "../../core/domain/charge-transition.js";
import type { Withdrawal } from "../../core/domain/withdrawal.js";
import { ruleConditions } from "../../core/engine/scenario-lookup.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { receiverName } from "../../core/reports/delivery-text.js";
import { type ACTORS, isByHand } from "../../core/schema/common.js";
import type { ChargeHistoryItem } from "../../core/schema/control-responses.js";
import { parseEventType, REVERSALS } from "../../core/schema/event-types.js";
import { idOf } from "./payment-report.js";
import { requestEntryView } from "./requests.js";

/** Order of items at the same instant that belong to one status. */
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
  const places = placesOf(items);
  items.sort(
    (a, b) =>
      compareText(a.at, b.at) ||
      places.get(a)! - places.get(b)! ||
      ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind),
  );
  return { status: payment.status, total: items.length, items };
}

/** Kind of a ledger entry → status that posts it. `REVERSALS` has those of reversals. */
const POSTED_WITH: Readonly<Record<string, string>> = {
  payment: "COMPLETED",
  settlement: "COMPLETED",
  refund: "REFUNDED",
  withdrawal: "PENDING",
  withdrawal_completed: "COMPLETED",
};

function wordOf(item: ChargeHistoryItem): string | undefined {
  if (item.kind === "transition") return item.status;
  if (item.kind === "ledger")
    return POSTED_WITH[item.posting] ?? REVERSALS[item.posting as keyof typeof REVERSALS]?.status;
  if (item.kind !== "event") return undefined;
  const reversal = Object.values(REVERSALS).find(({ event }) => event === item.type);
  return reversal?.status ?? parseEventType(item.type)?.status;
}

/** Places of items among those of their instant: entries and events follow their own status, not a later one. */
function placesOf(items: readonly ChargeHistoryItem[]): ReadonlyMap<ChargeHistoryItem, number> {
  const changes = items.filter(({ kind }) => kind === "transition");
  const reversals = items.filter((item) => item.kind === "ledger" && Object.hasOwn(REVERSALS, item.posting));
  // A payment is reversed while it is COMPLETED; of all statuses, only REFUNDED follows.
  const isRefund = (item: ChargeHistoryItem) => wordOf(item) === "REFUNDED";
  const states = [...changes.filter((item) => !isRefund(item)), ...reversals, ...changes.filter(isRefund)];
  const counts = new Map<string, number>();
  const placeOf = (item: ChargeHistoryItem): number => {
    const place = states.indexOf(item);
    const word = wordOf(item);
    if (item.kind === "request" || place >= 0) return place;
    if (word === undefined) return states.length;
    const key = `${item.kind} ${word}`;
    const nth = counts.get(key) ?? 0;
    counts.set(key, nth + 1);
    const own = states.filter((state) => wordOf(state) === word);
    return states.indexOf(own[Math.min(nth, own.length - 1)] ?? states.at(-1)!);
  };
  return new Map(items.map((item) => [item, placeOf(item)]));
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
