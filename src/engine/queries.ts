import type { Catalogue } from "../domain/catalogue.js";
import { toCanonical } from "../domain/money.js";
import type { ChargeStatus } from "../schema/common.js";
import type { CurrencyFixture, MethodFixture, OrganizationFixture, RailFixture } from "../schema/fixtures.js";
import { iso } from "../schema/time.js";
import type { Caller } from "./caller.js";
import { chargesWith, placeOfOwner } from "./indexes.js";
import type { Collections, Endpoint } from "./records.js";
import type { State } from "./state.js";

export interface PayinPage {
  readonly limit: number;
  readonly offset: number;
  readonly status: ChargeStatus | undefined;
}

/** The caller's charges, newest first, and how many there are (specification: GET payins). */
export function listPayins(state: State, caller: Caller, { limit, offset, status }: PayinPage) {
  const place = chargesWith(caller.mode, caller.organization.organization_id, status);
  return { total: state.count("charges", place), items: state.page("charges", place, offset, limit) };
}

/** The caller's record of that id; another organization's or mode's is as if it were not there. */
export function findOwned<Name extends "charges" | "destinations" | "withdrawals">(
  state: State,
  name: Name,
  caller: Caller,
  id: string,
): Collections[Name] | undefined {
  const record = state.get(name, id);
  return record !== undefined &&
    record.mode === caller.mode &&
    record.organization_id === caller.organization.organization_id
    ? record
    : undefined;
}

/** A page of the caller's records, newest first, and how many there are. */
export function listOwned<Name extends "destinations" | "withdrawals">(
  state: State,
  name: Name,
  caller: Caller,
  limit: number,
  offset: number,
): { total: number; items: Collections[Name][] } {
  const { mode, organization } = caller;
  const place = placeOfOwner(name, { mode, organization_id: organization.organization_id });
  return { total: state.count(name, place), items: state.page(name, place, offset, limit) };
}

/** The endpoints the caller can see: its own, and those the sandbox was started with. */
export function visibleEndpoints(state: State, caller: Caller): Endpoint[] {
  return state
    .endpoints()
    .filter(
      (endpoint) =>
        endpoint.mode === caller.mode &&
        (endpoint.organization_id === null ||
          endpoint.organization_id === caller.organization.organization_id),
    );
}

/** Payment rail as the service lists it (contract section 2: rails). */
export function railView(catalogue: Catalogue, rail: RailFixture) {
  const { id, display_name, payment_method, currency, country, min_amount, max_amount } = rail;
  const { decimals } = catalogue.knownCurrency(currency);
  return {
    id,
    display_name,
    payment_method,
    currency,
    country,
    min_amount: toCanonical(min_amount, decimals),
    max_amount: max_amount === null ? null : toCanonical(max_amount, decimals),
  };
}

/** Payment method as the service lists it (specification: Payment method). */
export function paymentMethodView(method: MethodFixture) {
  return {
    id: method.id,
    display_name: method.display_name,
    icon: method.icon,
    description: method.description,
    type: method.type,
    enabled_by_default: method.enabled_by_default,
    currencies: method.currencies,
  };
}

function codes(currencies: readonly CurrencyFixture[], type: CurrencyFixture["type"]): string[] {
  return currencies
    .filter((currency) => currency.type === type)
    .map((currency) => currency.code)
    .sort();
}

/** The codes of a list of currencies, fiat and crypto apart, as the service answers them. */
export function currencyCodes(currencies: readonly CurrencyFixture[]) {
  return { fiat: codes(currencies, "fiat"), crypto: codes(currencies, "crypto") };
}

/** Organization record (contract section 2); the organizations of the fixtures exist since the world began. */
export function organizationView(organization: OrganizationFixture, worldStartMs: number) {
  return {
    organization_id: organization.organization_id,
    name: organization.name,
    country: organization.country,
    status: organization.status,
    verified: organization.verified,
    enabled_payment_methods: organization.enabled_payment_methods,
    created_at: iso(worldStartMs),
  };
}
