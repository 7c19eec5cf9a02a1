import { DEVIATION_KINDS } from "../../../core/schema/explore-limits.js";
import { isJsonObject } from "../../../core/schema/json-objects.js";
import { didYouMean } from "../../../core/schema/nearest.js";
import { UserError } from "../../../core/schema/user-error.js";

/** The customer of a run. */
export interface ExploreCustomer {
  /** New in each run: name orders, users and so on after it. */
  readonly id: string;
  /** The customer's e-mail address, which contains `id`. Pass it on as `customer_email`. */
  readonly email: string;
}

/** Acts of a flow, as the customer of a run. */
export interface ExploreContext extends ExploreCustomer {
  /**
   * Acts in the app, such as a press of the button that orders. Resolves with what `act` returns. A run may call `act`
   * twice, and calls it again if it throws. If the app refuses, `act` must throw.
   *
   * @param label names the act in reports: `pressed_twice at order#1`
   */
  readonly press: <Result>(label: string, act: () => Result) => Promise<Awaited<Result>>;
  /** Pays a checkout on the hosted page. A run may have the payment fail, or come late. */
  readonly pay: (choice: ExplorePayment) => Promise<void>;
  /** Cancels a checkout on the hosted page. */
  readonly cancel: (choice: { readonly checkout_id: string }) => Promise<void>;
  /** Lets sandbox time pass, a duration such as `"10s"`. Resolves when all that is due has happened. */
  readonly advance: (by: string) => Promise<void>;
}

/** The customer's choice on the hosted page. */
export interface ExplorePayment {
  /** The checkout, as the response to its creation names it. */
  readonly checkout_id: string;
  /** Name of the payment method; default `"card"`. */
  readonly payment_method?: string;
  /** Currency or coin that the customer pays in, such as `"USDT_TRC20"`; default: that of the price. */
  readonly currency?: string;
  /** For mobile money. */
  readonly phone_number?: string;
  /** For a bank transfer. */
  readonly bank_account_number?: string;
}

/** Acts of a life, as the customer of one of its orders. */
export type ExploreLifeContext = ExploreCustomer & Pick<ExploreContext, "press">;

/** The way to an order and its payment, for lives of several customers and orders. The sandbox brings the rest. */
export interface ExploreLives {
  /** Makes the order `id` of the customer `email` in the app. A customer may have several orders. */
  readonly order: (context: ExploreLifeContext) => unknown;
  /** Goes to pay the order `id`, for the first time or again. Without it, `order` does so. */
  readonly attempt?: (context: ExploreLifeContext) => unknown;
}

/** A flow of an app in this process, which `explore` runs again and again, each time with another failure. */
export interface ExploreFlow {
  /** Name in reports; default `"flow"`. Also the seed of random choices. */
  readonly name?: string;
  /** Views of the app, by name. At the end of every run, each must show what it shows when nothing goes wrong. */
  readonly see: { readonly [name: string]: (customer: ExploreCustomer) => unknown };
  /** Ends that you mean, by kind of deviation: `{ declined: { status: "pending" } }`. Lives heed `refunded`. */
  readonly allow?: { readonly [kind: string]: { readonly [field: string]: unknown } };
  /** The app's scheduled work, such as an hourly job. */
  readonly tick?: () => unknown;
  /** Acts of others, by name, such as an edited price. Each is tried at any time; one that throws has been refused. */
  readonly meanwhile?: { readonly [name: string]: (customer: ExploreCustomer) => unknown };
  /** Opens a URL of the app in the customer's browser: the `success_url` of a checkout. */
  readonly open?: (url: string) => unknown;
  /** Called at the start of each run, for an app that keeps state beyond its customers. */
  readonly setup?: () => unknown;
  /**
   * One run in which nothing goes wrong. Its assertions are checked only when nothing goes wrong. If `lives` takes its place,
   * one order is placed and paid.
   */
  readonly flow?: (context: ExploreContext) => unknown;
  /** For lives: what several customers do, in any order. In place of `flow`, or beside it. */
  readonly lives?: ExploreLives;
}

const KEYS = ["name", "see", "allow", "tick", "meanwhile", "open", "setup", "flow", "lives"] as const;

/** Throws a UserError for each fault of a flow. */
export function checkFlow(flow: ExploreFlow): void {
  const given = flow as unknown;
  if (!isJsonObject(given)) throw new UserError("explore: needs the path of a file, or { see, flow }");
  const isFunction = (value: unknown) => typeof value === "function";
  const faults = [
    ...(given.see === undefined ? ["the flow needs see"] : []),
    ...(given.flow === undefined && given.lives === undefined ? ["the flow needs flow, or lives"] : []),
    ...Object.keys(given)
      .filter((key) => !(KEYS as readonly string[]).includes(key))
      .map((key) => `a flow has no ${key}${didYouMean(key, KEYS)}`),
    ...(["tick", "open", "setup", "flow"] as const)
      .filter((key) => given[key] !== undefined && !isFunction(given[key]))
      .map((key) => `${key} must be a function`),
    ...(given.name === undefined || typeof given.name === "string" ? [] : ["name must be a text"]),
    ...(given.see === undefined ? [] : namedFaults("see", given.see, VIEW)),
    ...(given.allow === undefined ? [] : allowFaults(given.allow)),
    ...(given.meanwhile === undefined ? [] : namedFaults("meanwhile", given.meanwhile, ACT)),
    ...(given.lives === undefined ? [] : livesFaults(given.lives)),
  ];
  if (faults.length > 0) throw new UserError(faults.map((fault) => `explore: ${fault}`).join("\n"));
}

function allowFaults(given: unknown): string[] {
  if (!isJsonObject(given)) return ['allow must name kinds, as in { refunded: { status: "paid" } }'];
  return Object.entries(given).flatMap(([kind, end]) => {
    if (!(DEVIATION_KINDS as readonly string[]).includes(kind))
      return [`allow.${kind} is no kind of deviation${didYouMean(kind, DEVIATION_KINDS)}`];
    return isJsonObject(end) ? [] : [`allow.${kind} must name fields, as in { ${kind}: { status: "paid" } }`];
  });
}

const LIVES_KEYS = ["order", "attempt"] as const;

function livesFaults(given: unknown): string[] {
  if (!isJsonObject(given) || given.order === undefined)
    return ["lives needs order, as in { order: ({ id, email }) => shop.place(id, email) }"];
  return Object.entries(given).flatMap(([key, value]) => {
    if (!(LIVES_KEYS as readonly string[]).includes(key))
      return [`lives has no ${key}${didYouMean(key, LIVES_KEYS)}`];
    return value === undefined || typeof value === "function" ? [] : [`lives.${key} must be a function`];
  });
}

const VIEW = "view of the app, as in { order: ({ id }) => orders.get(id) }";
const ACT = "act of others, as in { cancel: ({ id }) => shop.cancel(id) }";

/** @param what names one of the functions, with an example */
function namedFaults(key: string, given: unknown, what: string): string[] {
  if (!isJsonObject(given) || Object.keys(given).length === 0)
    return [`${key} must name at least one ${what}`];
  return Object.entries(given)
    .filter(([, value]) => typeof value !== "function")
    .map(([name]) => `${key}.${name} must be a function`);
}

export function customerOf(id: string): ExploreCustomer {
  return { id, email: `qa+${id}@shop.test` };
}
