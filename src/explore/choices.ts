import type { Seen, SeenCall, SeenCharge, SeenDelivery } from "./seen.js";

/** Where a run can go otherwise. Ids survive another run: what it is, and the how-manieth of its kind. */
export type Choice = CallChoice | EventChoice | AttemptChoice | CustomerChoice;

/** A call that the app makes. */
export interface CallChoice {
  readonly what: "call";
  readonly at: string;
  readonly operation: string;
  /** How many of that operation, the flow's own included, come before it. */
  readonly before: number;
  readonly isRead: boolean;
  /** It names the run's customer, or a charge of theirs. */
  readonly isOwn: boolean;
  /** It made a charge that went on by itself: for how long, in milliseconds of sandbox time. */
  readonly planMs?: number;
  /** It read a charge that had another status before. */
  readonly readsChanged?: true;
  /** What it made or read. */
  readonly charge?: SeenCharge;
}

/** An event that the app is told of. */
export interface EventChoice {
  readonly what: "event";
  readonly at: string;
  readonly type: string;
  /** How many of that type come before it. */
  readonly before: number;
  readonly isLast: boolean;
  /** The call that made its charge, of whose events it is the first. */
  readonly firstAfter?: CallChoice;
  readonly charge: SeenCharge;
}

/** A further attempt at an event that the app did not take, or whose answer was lost. */
export interface AttemptChoice extends Pick<EventChoice, "at" | "type" | "before" | "charge"> {
  readonly what: "attempt";
  /** 2 is the first that is made again. */
  readonly attempt: number;
  /** So long after it the charge's next event comes, in milliseconds of sandbox time; absent where there is none. */
  readonly nextMs?: number;
}

/** Something the customer does: pays a charge, there or on the service's page, or presses a button. */
export interface CustomerChoice {
  readonly what: "pays" | "pays_on_page" | "presses";
  readonly at: string;
}

/** What the steps of the flow have its customer do. */
export interface Customer {
  /** The call of the app that sets all off. */
  readonly press: string | undefined;
  /** A hosted checkout is paid. */
  readonly isOnPage: boolean;
}

/** Where the run could have gone otherwise: at the calls of the app, at events, with the customer. */
export function choicesOf(seen: Seen, { press, isOnPage }: Customer): Choice[] {
  const calls = callChoices(seen);
  const [first] = seen.charges;
  return [
    ...(press === undefined ? [] : [{ what: "presses" as const, at: `${press}#1` }]),
    ...calls.map(({ choice }) => choice),
    ...eventChoices(seen, calls),
    ...(first?.goesByItself && first.status === "COMPLETED"
      ? [{ what: "pays" as const, at: "charge#1" }]
      : []),
    ...(isOnPage ? [{ what: "pays_on_page" as const, at: "page#1" }] : []),
  ];
}

/** What is called so much later, the app's own job calls when all is over: nobody waits for it. */
const TAIL_MS = 4 * 86_400_000;

interface PlacedCall {
  readonly choice: CallChoice;
  readonly call: SeenCall;
}

function callChoices({ calls, charges }: Seen): PlacedCall[] {
  return calls.flatMap((call, index) => {
    if (call.isFlows) return [];
    const { operation, method, isOwn, atMs } = call;
    const before = calls.slice(0, index).filter((one) => one.operation === operation).length;
    const made = charges.find(({ charge_id }) => charge_id === call.made);
    const read = charges.find(({ charge_id }) => charge_id === call.reads);
    const hasChanged = read !== undefined && read.history.filter((change) => change.atMs <= atMs).length > 1;
    const isAwaited = atMs - (calls[0]?.atMs ?? atMs) < TAIL_MS;
    const charge = made ?? read;
    const choice: CallChoice = {
      what: "call",
      at: `${operation}#${before + 1}`,
      operation,
      before,
      isRead: method === "GET",
      isOwn,
      ...(made === undefined || !made.goesByItself || !isAwaited
        ? {}
        : { planMs: made.endedMs - made.createdMs }),
      ...(hasChanged ? { readsChanged: true } : {}),
      ...(charge === undefined ? {} : { charge }),
    };
    return [{ choice, call }];
  });
}

/** Each event, and each time it is sent again. */
function eventChoices(seen: Seen, calls: readonly PlacedCall[]): (EventChoice | AttemptChoice)[] {
  const events = eventsOf(seen);
  return events.flatMap((event, index) => {
    const { type, charge, attempts } = event;
    const before = events.slice(0, index).filter((one) => one.type === type).length;
    const own = events.filter((one) => one.charge === charge);
    const next = own[own.indexOf(event) + 1];
    const maker = own[0] === event ? calls.find(({ call }) => call.made === charge.charge_id) : undefined;
    const firstAfter = maker?.choice.planMs === undefined ? {} : { firstAfter: maker.choice };
    const place = { at: `${type}#${before + 1}`, type, before, charge };
    return [
      { what: "event" as const, ...place, isLast: next === undefined, ...firstAfter },
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

interface PlacedEvent extends Pick<SeenDelivery, "event_id" | "type" | "atMs" | "attempts"> {
  readonly charge: SeenCharge;
}

/** In the order they came about, each once, however often it is sent. */
function eventsOf({ charges, deliveries }: Seen): PlacedEvent[] {
  const events = new Map<string, PlacedEvent>();
  for (const { charge_id, event_id, type, atMs, attempts } of deliveries) {
    const charge = charges.find((one) => one.charge_id === charge_id);
    if (charge !== undefined && !events.has(event_id))
      events.set(event_id, { event_id, type, atMs, attempts, charge });
  }
  return [...events.values()];
}
