import type { Oracle } from "../exploration.js";
import { isSettling, plainActs } from "./acts.js";
import { type Fields, pathsOf, sizeOf, type Value } from "./fields.js";
import type { LifeEnd, OrderEnd } from "./life.js";
import { type References, type Scope, sharedValue, type TellingField, tellingFields } from "./references.js";

/** A fault of the end of a life. */
export interface LifeFault {
  /** Equal for faults of one kind, in whatever life. */
  readonly key: string;
  readonly oracle: Oracle;
  readonly message: string;
  readonly hint?: string;
}

/**
 * Lists what is wrong with the end of a life. An order's view is a function of its net money; what several orders share
 * is as it is if they follow one another, with the same money.
 */
export function faultsOf(end: LifeEnd, references: References, hasAttempt: boolean): LifeFault[] {
  return [
    ...[...end.orders].flatMap(([order, one]) => orderFaults(nameIn(end, order), one, references)),
    ...bothPaid(end, references),
    ...sharedFaults(end, references),
    ...newcomerFaults(end, references, hasAttempt),
  ];
}

/** Names an order as the story does: by its place in the life. */
function nameIn({ orders }: LifeEnd, order: number): string {
  return `order ${[...orders.keys()].indexOf(order) + 1}`;
}

function orderFaults(name: string, order: OrderEnd, references: References): LifeFault[] {
  const { paid, refunded, fields } = order;
  if (paid > 1)
    return isToldElsewhere(order, references) || order.isPaidBack
      ? []
      : [{ key: "paid twice", oracle: "money", message: `${name} is paid ${paid} times` }];
  const state = paid === 1 ? "paid" : refunded > 0 ? "refunded" : "not paid";
  const telling = tellingFields(references);
  for (const field of telling) {
    const { path } = field;
    const wrong = WRONG[state](field, fields.get(path), {
      isTold: () => isToldElsewhere(order, references),
      isOnce: refunded === 0,
    });
    if (wrong !== undefined)
      return [
        { key: `${state} ${path}`, oracle: "money", message: `${name} is ${state}, but ${path} is ${wrong}` },
      ];
  }
  const isJudged = telling.length > 0 && references.refunded !== undefined;
  const isAsPaid = state === "refunded" && isJudged && isAs(fields, references.paid, references);
  const message = `${name} is refunded, but looks like one that is paid`;
  return isAsPaid ? [{ key: "refunded", oracle: "money", message, hint: REFUND_HINT }] : [];
}

const REFUND_HINT = "if the app need not show refunds: allow: { refunded: … } in the flow";

interface Money {
  /** The order shows its money in a field that tells nothing else. */
  readonly isTold: () => boolean;
  /** Nothing was paid and refunded before. */
  readonly isOnce: boolean;
}

type Wrong = (field: TellingField, value: Value, money: Money) => string | undefined;

/** Describe a value that an order of the state cannot have; undefined for another. */
const WRONG: Readonly<Record<"paid" | "refunded" | "not paid", Wrong>> = {
  paid: ({ paid, unpaid, isFixed }, value, { isTold, isOnce }) => {
    if (unpaid.includes(value)) return isTold() ? undefined : `${shown(value)}, as without a payment`;
    return isFixed && isOnce && isBeyond(value, paid, unpaid[0])
      ? `${shown(value)}, not ${shown(paid)}`
      : undefined;
  },
  refunded: ({ paid, refunded }, value) =>
    value === paid && refunded !== undefined && refunded !== paid ? `still ${shown(value)}` : undefined,
  "not paid": ({ paid, unpaid, isFixed }, value) =>
    value === paid || (isFixed && isBeyond(value, unpaid[0], unpaid[0], paid)) ? shown(value) : undefined,
};

/** Returns true for a number that lies beyond `limit`, seen from `from` in the direction of `to`. */
function isBeyond(value: Value, limit: Value, from: Value, to = limit): boolean {
  return (sizeOf(value) - sizeOf(limit)) * (sizeOf(to) - sizeOf(from)) > 0;
}

function shown(value: Value): string {
  return value === undefined ? "not there" : JSON.stringify(value);
}

function isCompared({ free, shared }: References, path: string): boolean {
  return !free.has(path) && !shared.has(path);
}

function isAs(fields: Fields, other: Fields, references: References): boolean {
  return pathsOf(fields, other).every(
    (path) => !isCompared(references, path) || fields.get(path) === other.get(path),
  );
}

/** Returns true if a field that is alike in all references is another: the order shows its money as a credit, for example. */
function isToldElsewhere({ fields }: OrderEnd, references: References): boolean {
  const { paid, unpaid, refunded = paid } = references;
  return pathsOf(fields).some((path) => {
    const known = new Set([paid, refunded, ...unpaid].map((one) => one.get(path)));
    return isCompared(references, path) && known.size === 1 && !known.has(fields.get(path));
  });
}

function scopeOf(one: OrderEnd, other: OrderEnd): Scope {
  return one.customer === other.customer ? "same" : "other";
}

/** Both of two orders are paid, though the app accepts only one if they follow one another. */
function bothPaid(end: LifeEnd, references: References): LifeFault[] {
  const all = [...end.orders.values()];
  const [first, second] = all;
  if (first === undefined || second === undefined) return [];
  const isAccepted = references.pairs[scopeOf(first, second)].every(({ paid }) => paid === 1);
  const arePaid = all.every((one) => one.paid === 1 && !isToldElsewhere(one, references));
  const message = "both orders are paid; one after the other, the app refuses the second";
  return isAccepted || !arePaid ? [] : [{ key: "both paid", oracle: "money", message }];
}

/** Compares each shared number with that of as many paid orders that follow one another. */
function sharedFaults({ orders }: LifeEnd, references: References): LifeFault[] {
  const all = [...orders.values()];
  return [...references.shared].flatMap(([path, scope]) => {
    const customers = scope === "other" ? [undefined] : [...new Set(all.map(({ customer }) => customer))];
    return customers.flatMap((one) => {
      const group = all.filter(({ customer }) => one === undefined || customer === one);
      // No app hears that an order without a charge is over, and a refund need not bring back what was paid for.
      const isOver = group.every(({ charges, refunded }) => charges > 0 && refunded === 0);
      return isOver ? sharedFault(path, scope, group, references) : [];
    });
  });
}

function sharedFault(path: string, scope: Scope, group: OrderEnd[], references: References): LifeFault[] {
  const paid = group.filter((one) => one.paid > 0).length;
  const value = group.map(({ fields }) => fields.get(path)).find((one) => one !== undefined);
  const [before, after, expected] = [0, 1, paid].map((orders) =>
    sizeOf(sharedValue(references, path, scope, orders)),
  ) as [number, number, number];
  const size = sizeOf(value);
  // A number that grows with orders that are not paid counts them.
  const isStill = references.unpaid.every((fields) => sizeOf(fields.get(path)) <= before);
  // A number that no payment changes is not used up by one.
  if (!(size < expected || (size > expected && isStill)) || before === after) return [];
  const message =
    paid === 0
      ? `nothing is paid, but ${path} is ${shown(value)}, not ${expected} as before`
      : `${path} is ${shown(value)}, not ${expected} as after ${paid === 1 ? "one paid order" : "two, one after the other"}`;
  return [{ key: `shared ${path}`, oracle: "convergence", message }];
}

/** Compares an order that was placed and paid when nothing of the first was open any more. */
function newcomerFaults(end: LifeEnd, references: References, hasAttempt: boolean): LifeFault[] {
  const { acts, orders } = end;
  const [[, first] = [], [number = -1, last] = []] = [...orders] as [number, OrderEnd][];
  if (first === undefined || last === undefined) return [];
  const all = plainActs(number, last.customer, hasAttempt, "pay");
  // Another customer whom the app refuses has no charge to pay. The same one may go on with the first order.
  const isRefused = last.charges === 0 && scopeOf(first, last) === "other";
  const plain = isRefused ? all.slice(0, -1) : all;
  const isPlain =
    JSON.stringify(acts.slice(-plain.length)) === JSON.stringify(plain) &&
    isSettling(acts.at(-plain.length - 1)) &&
    acts.every((act) => act.do !== "fail");
  if (!isPlain || first.charges === 0 || first.paid > 1 || first.refunded > 0) return [];
  const isUnpaid = first.paid === 0;
  const expected = isUnpaid
    ? { paid: 1, fields: references.paid }
    : references.pairs[scopeOf(first, last)][1];
  const because = isUnpaid ? "after one that was never paid" : "after one that is paid";
  const fault = (key: string, text: string): LifeFault[] => [
    { key: `newcomer ${key}`, oracle: "convergence", message: `order 2, ${because}, ${text}` },
  ];
  if (last.paid !== expected.paid) return fault("paid", last.paid === 0 ? "cannot be paid" : "can be paid");
  const { fields } = expected;
  const path = pathsOf(fields).find(
    (one) => isCompared(references, one) && last.fields.get(one) !== fields.get(one),
  );
  return path === undefined
    ? []
    : fault(path, `shows ${path} ${shown(last.fields.get(path))}, not ${shown(fields.get(path))}`);
}
