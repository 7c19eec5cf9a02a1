import type { Seen, SeenCall, SeenCharge } from "./seen.js";

/** Where a run can go otherwise. Ids survive another run: what it is, and the so-manieth. */
export type Choice = CallChoice | EventChoice | CustomerChoice;

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
  /** So long before the read, the charge had another status. */
  readonly staleMs?: number;
  /** What it made or read. */
  readonly charge?: SeenCharge;
}

/** An event that the app is told of. */
export interface EventChoice {
  readonly what: "event";
  readonly at: string;
  readonly type: string;
  readonly isLast: boolean;
  /** The call that made its charge, of whose events it is the first. */
  readonly firstAfter?: CallChoice;
  /** The only one with such an event. */
  readonly charge?: SeenCharge;
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
    const staleMs = read === undefined ? undefined : sinceLastStatus(read.history, atMs);
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
      ...(staleMs === undefined ? {} : { staleMs }),
      ...(charge === undefined ? {} : { charge }),
    };
    return [{ choice, call }];
  });
}

/** A rule meets every event of its type: those of further charges are not told apart. */
function eventChoices({ charges }: Seen, calls: readonly PlacedCall[]): EventChoice[] {
  const choices = new Map<string, EventChoice>();
  for (const one of charges)
    for (const [index, type] of one.events.entries()) {
      const { charge_id, events } = one;
      const maker = index === 0 ? calls.find(({ call }) => call.made === charge_id)?.choice : undefined;
      const firstAfter = maker?.planMs === undefined ? {} : { firstAfter: maker };
      const isLast = index === events.length - 1;
      const isOnly = charges.filter(({ events }) => events.includes(type)).length === 1;
      const charge = isOnly ? { charge: one } : {};
      if (!choices.has(type))
        choices.set(type, { what: "event", at: `${type}#1`, type, isLast, ...firstAfter, ...charge });
    }
  return [...choices.values()];
}

/** How long before the read the charge had another status than at the read; undefined where it had none. */
function sinceLastStatus(history: readonly { readonly atMs: number }[], readMs: number): number | undefined {
  const before = history.filter(({ atMs }) => atMs <= readMs);
  const last = before.at(-1);
  return before.length < 2 || last === undefined ? undefined : readMs - last.atMs + 1;
}
