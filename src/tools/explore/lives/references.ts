import { UserError } from "../../../core/schema/user-error.js";
import { readNewestId } from "../../scenario/running/control-lists.js";
import { type LifeAct, type PaymentAct, plainActs, SETTLED } from "./acts.js";
import { type Fields, fieldsOf, pathsOf, sizeOf, type Value } from "./fields.js";
import { type LifeHost, live, type OrderEnd, useLifeRules } from "./life.js";

/** The customers of two orders. */
const SCOPES = ["same", "other"] as const;
export type Scope = (typeof SCOPES)[number];

/** The ends of two orders, the second placed when nothing of the first is open any more. */
type Pair = readonly [first: OrderEnd, second: OrderEnd];

/** Ends of an app that lives are compared with. Nothing goes wrong in them, and no order begins before another has ended. */
export interface References {
  /** Views of an order that was never placed. */
  readonly start: Fields;
  readonly paid: Fields;
  readonly unpaid: readonly Fields[];
  readonly refunded: Fields | undefined;
  /** Two orders that are paid, of the same customer and of two. */
  readonly pairs: Readonly<Record<Scope, Pair>>;
  /** Fields that show one value to all orders, and the customers whose orders change it. */
  readonly shared: ReadonlyMap<string, Scope>;
  /** Fields that are not compared, each with the reason. */
  readonly free: ReadonlyMap<string, string>;
}

/** Carries out the lives that others are compared with. Throws a UserError if no order is paid in them. */
export async function learnReferences(host: LifeHost, source: string): Promise<References> {
  const { hasAttempt } = host;
  const end = async (acts: readonly LifeAct[]) => (await live(host, acts)).orders;
  const one = async (...acts: LifeAct[]) => (await end(acts)).get(0)!;
  const plain = (last: PaymentAct, order = 0, customer = 0) => plainActs(order, customer, hasAttempt, last);
  const pair = async (first: PaymentAct, scope: Scope): Promise<Pair> => {
    const second = plain("pay", 1, scope === "same" ? 0 : 1);
    const orders = await end([...plain(first), { do: "wait", by: SETTLED }, ...second]);
    return [orders.get(0)!, orders.get(1)!];
  };
  host.newestCharge = await readNewestId(host.client, "charges");
  await useLifeRules(host);
  await host.begin(1);
  const first = host.newOrder();
  const start = fieldsOf(await host.look(first), first);
  const paid = await one(...plain("pay"));
  if (paid.paid !== 1) throw new UserError(`${source}: ${NOTHING_PAID}`, 2);
  const again = await one(...plain("pay"));
  const again2 = hasAttempt ? plain("decline").slice(1) : [];
  const unpaid = [
    await one(...plain("pay").slice(0, 1)),
    await one(...plain("pay").slice(0, -1)),
    await one(...plain("decline")),
    await one(...plain("cancel")),
    await one(...plain("decline"), ...again2),
  ].map(({ fields }) => fields);
  const refund = await one(...plain("pay"), { do: "refund", order: 0 });
  const pairs = { same: await pair("pay", "same"), other: await pair("pay", "other") };
  const shared = new Map<string, Scope>();
  for (const scope of SCOPES)
    for (const path of sharedIn(await pair("decline", scope), unpaid[2]!)) shared.set(path, scope);
  const orders = [0, 1, 2].flatMap((order) => plain("decline", order));
  const numbered = [...(await end(orders)).values()].map(({ fields }) => fields);
  const free = new Map<string, string>();
  const isFree = (path: string) => host.free.some((one) => path === one || path.startsWith(`${one}.`));
  for (const path of pathsOf(paid.fields, ...unpaid).filter(isFree)) free.set(path, "differs between runs");
  for (const path of pathsOf(paid.fields, again.fields)) {
    const values = new Set(numbered.map((fields) => fields.get(path)));
    if (free.has(path)) continue;
    if (paid.fields.get(path) !== again.fields.get(path)) free.set(path, "differs between equal lives");
    else if (values.size === numbered.length && !shared.has(path)) free.set(path, "numbers the orders");
  }
  return {
    start,
    paid: paid.fields,
    unpaid,
    refunded: refund.refunded === 1 && host.allowsRefund !== true ? refund.fields : undefined,
    pairs,
    shared: new Map([...shared].filter(([path]) => !free.has(path))),
    free,
  };
}

const NOTHING_PAID =
  "lives: an order that is placed, and gone to pay, has no charge that could be paid: nothing to try";

/** Lists the fields that both orders show alike, and that the later order has changed. */
function sharedIn([first, second]: Pair, alone: Fields): string[] {
  return pathsOf(first.fields).filter((path) => {
    const value = first.fields.get(path);
    return value === second.fields.get(path) && value !== alone.get(path);
  });
}

/** A field by which an app tells a paid order from one that is not paid. */
export interface TellingField {
  readonly path: string;
  readonly paid: Value;
  /** Its values for orders that are not paid. */
  readonly unpaid: readonly Value[];
  readonly refunded: Value;
  /** All orders that are not paid show the same. */
  readonly isFixed: boolean;
}

/** Fields of an order's own that differ between paid and unpaid orders, whatever their attempts. */
export function tellingFields({ paid, unpaid, refunded, shared, free }: References): TellingField[] {
  return pathsOf(paid, ...unpaid).flatMap((path) => {
    const value = paid.get(path);
    const values = [...new Set(unpaid.map((fields) => fields.get(path)))];
    if (shared.has(path) || free.has(path) || values.includes(value)) return [];
    const isFixed = values.length === 1;
    // A number that differs between unpaid orders counts attempts, or events.
    if (!isFixed && !Number.isNaN(sizeOf(value))) return [];
    return [{ path, paid: value, unpaid: values, refunded: refunded?.get(path), isFixed }];
  });
}

/** The value of a shared field after so many paid orders, one after the other; undefined if it is not known. */
export function sharedValue(
  { start, paid, pairs }: References,
  path: string,
  scope: Scope,
  orders: number,
): Value {
  if (orders === 0) return start.get(path);
  if (orders === 1) return paid.get(path);
  return pairs[scope].every((one) => one.paid === 1) ? pairs[scope][1].fields.get(path) : undefined;
}
