import type { CallPlace, Deviable, Observed, ObservedCharge, WebhookPlace } from "./deviable.js";

/** A place where a run can deviate. Its id `at` is the same in every run: an operation or type and its position. */
export type Choice = CallChoice | EventChoice | CustomerChoice;

/** A call that the app makes. */
export interface CallChoice extends CallPlace {
  readonly what: "call";
  readonly at: string;
  readonly isRead: boolean;
  /** Duration of the timeline of the charge that it created, in sandbox milliseconds; absent unless it advances alone. */
  readonly planMs?: number;
  /** It read a charge whose status had changed. */
  readonly readsChanged?: true;
  /** The charge that it created or read. */
  readonly charge?: ObservedCharge;
}

/** The first attempt at an event, or a retry, which is an `attempt`. */
export interface EventChoice extends WebhookPlace {
  readonly what: "event" | "attempt";
  readonly at: string;
  /** It is the charge's last event. */
  readonly isLast: boolean;
  /** Delay of the charge's next event after a retry, in sandbox milliseconds; absent without a later one. */
  readonly nextMs?: number;
  /** The call that created the charge, where this is the charge's first event. */
  readonly firstAfter?: CallChoice;
  readonly charge: ObservedCharge;
}

/** An action of the customer: paying a charge, paying it on the service's page, or pressing a button. */
export interface CustomerChoice {
  readonly what: "pays" | "pays_on_page" | "presses";
  readonly at: string;
}

/** Lists the places of a run: calls of the app, events, actions of the customer. */
export function choicesOf(observed: Observed, { press, isOnPage }: Deviable["customer"]): Choice[] {
  const calls = callChoices(observed);
  const [first] = observed.charges;
  return [
    ...(press === undefined ? [] : [{ what: "presses" as const, at: `${press}#1` }]),
    ...calls,
    ...eventChoices(observed, calls),
    ...(first?.isAutomatic && first.status === "COMPLETED"
      ? [{ what: "pays" as const, at: "charge#1" }]
      : []),
    ...(isOnPage ? [{ what: "pays_on_page" as const, at: "page#1" }] : []),
  ];
}

/** Later calls come from the app's own jobs after the flow; no step waits for them. */
const TAIL_MS = 4 * 86_400_000;

function callChoices({ calls, charges }: Observed): CallChoice[] {
  return calls.flatMap((call, index) => {
    if (call.isByFlow) return [];
    const { operation, method, isOwn, atMs } = call;
    const before = calls.slice(0, index).filter((one) => one.operation === operation).length;
    const created = charges.find(({ charge_id }) => charge_id === call.createdId);
    const read = charges.find(({ charge_id }) => charge_id === call.readId);
    const hasChanged = read !== undefined && read.history.filter((change) => change.atMs <= atMs).length > 1;
    const isAwaited = atMs - (calls[0]?.atMs ?? atMs) < TAIL_MS;
    const charge = created ?? read;
    return {
      what: "call",
      at: `${operation}#${before + 1}`,
      operation,
      before,
      isRead: method === "GET",
      isOwn,
      ...(created?.isAutomatic && isAwaited ? { planMs: created.endedMs - created.createdMs } : {}),
      ...(hasChanged ? { readsChanged: true } : {}),
      ...(charge === undefined ? {} : { charge }),
    };
  });
}

function eventChoices(observed: Observed, calls: readonly CallChoice[]): EventChoice[] {
  const { charges, deliveries } = observed;
  // An event can have several deliveries.
  const events = deliveries.filter(
    ({ event_id }, index) => deliveries.findIndex((one) => one.event_id === event_id) === index,
  );
  return events.flatMap((event, index) => {
    const { type, charge_id, attempts } = event;
    const charge = charges.find((one) => one.charge_id === charge_id)!;
    const before = events.slice(0, index).filter((one) => one.type === type).length;
    const own = events.filter((one) => one.charge_id === charge_id);
    const next = own[own.indexOf(event) + 1];
    const isCreator = (call: CallChoice) => call.planMs !== undefined && call.charge === charge;
    const creator = own[0] === event ? calls.find(isCreator) : undefined;
    const firstAfter = creator === undefined ? {} : { firstAfter: creator };
    const place = { at: `${type}#${before + 1}`, type, before, isLast: next === undefined, charge };
    return [
      { what: "event" as const, ...place, ...firstAfter },
      ...attempts.slice(1).map(({ atMs }, further) => ({
        ...place,
        what: "attempt" as const,
        at: `${place.at} attempt ${further + 2}`,
        attempt: further + 2,
        ...(next === undefined || next.atMs < atMs ? {} : { nextMs: next.atMs - atMs }),
      })),
    ];
  });
}
