import { compareAmounts, decimalsOf } from "../../../core/domain/money.js";
import { isJsonObject } from "../../../core/schema/json-objects.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import { valueAt } from "../../scenario/variables.js";
import type { ObservedCharge } from "../run-record.js";
import type { LoadedRun } from "./facts.js";
import type { Flow } from "./flow.js";
import { savedVariable, viewVariableName } from "./saved-variable.js";

interface Price {
  readonly amount: string;
  /** Undefined if it is not known, and then that of the charge. */
  readonly currency: string | undefined;
}

interface PricedFlow {
  readonly observe: readonly Pick<Flow["observe"][number], "price" | "currency">[];
  readonly drive: readonly RawStep[];
}

/**
 * Compares the app's prices with the base amounts of the charges of a plain run. A price at a path of the flow must be
 * equal. A price that is only named like one must not be wrong by a power of ten, except cents.
 */
export function wrongPrice(flow: PricedFlow, { loaded, observed }: LoadedRun): string | undefined {
  const { charges } = observed;
  const views = flow.observe.map((view, index) => ({
    view,
    body: savedVariable(loaded, viewVariableName(index)),
  }));
  for (const { view, body } of views) {
    if (view.price === undefined) continue;
    const amount = amountText(valueAt(body, view.price)?.value);
    const currency = view.currency === undefined ? undefined : String(valueAt(body, view.currency)?.value);
    if (amount === undefined) continue;
    const price = { amount, currency };
    if (charges.length > 0 && !charges.some((charge) => isPriceOf(price, charge)))
      return text(price, charges[0]!);
  }
  const bodies = [...flow.drive.map(({ body }) => body), ...views.map(({ body }) => body)];
  for (const price of bodies.flatMap(namedPrices)) {
    const [charge] = charges.filter(({ base }) => base.currency === price.currency);
    if (charge !== undefined && charges.length === 1 && isOffByTens(price, charge))
      return text(price, charge);
  }
  return undefined;
}

function isPriceOf({ amount, currency }: Price, { base }: ObservedCharge): boolean {
  return compareAmounts(amount, base.amount) === 0 && (currency ?? base.currency) === base.currency;
}

/** Returns true if one amount is the other with the decimal point at another place, and is not in cents. */
function isOffByTens({ amount }: Price, { base }: ObservedCharge): boolean {
  const cents = decimalsOf(base.amount);
  const places = Math.log10(Number(amount) / Number(base.amount));
  return Number.isInteger(places) && places !== 0 && places !== cents;
}

function text({ amount, currency }: Price, { base }: ObservedCharge): string {
  return `the app asks for ${base.amount} ${base.currency}, and its price is ${amount} ${currency ?? base.currency}`;
}

const PRICE_NAMES = ["price", "amount", "total"];

/** Finds objects with a currency and a price, named as such. */
function namedPrices(value: unknown): Price[] {
  if (Array.isArray(value)) return value.flatMap(namedPrices);
  if (!isJsonObject(value)) return [];
  const { currency } = value;
  const own = PRICE_NAMES.flatMap((name) => amountText(value[name]) ?? []).slice(0, 1);
  const here = typeof currency === "string" ? own.map((amount) => ({ amount, currency })) : [];
  return [...here, ...Object.values(value).flatMap(namedPrices)];
}

function amountText(value: unknown): string | undefined {
  if (typeof value === "number" && value > 0) return String(value);
  return typeof value === "string" && /^\d+(\.\d+)?$/.test(value) && Number(value) > 0 ? value : undefined;
}
