import type { Catalogue } from "../domain/catalogue.js";
import { toCanonical } from "../domain/money.js";
import type { ChargeStatus } from "../schema/common.js";
import type { CurrencyFixture, MethodFixture, OrganizationFixture, RailFixture } from "../schema/fixtures.js";
import { iso } from "../schema/time.js";
import { type AsOf, type DatedName, recordAsOf } from "./as-of.js";
import type { Caller } from "./caller.js";
import { chargesWith, listOfOwner } from "./indexes.js";
import type { Collections, Endpoint } from "./records.js";
import type { State } from "./state.js";

export interface PayinPage {
  readonly limit: number;
  readonly offset: number;
  readonly status: ChargeStatus | undefined;
}

/** The caller's charges, newest first, and how many there are (specification: GET payins). */
export function listPayins(
  state: State,
  caller: Caller,
  { limit, offset, status }: PayinPage,
  asOf: AsOf | undefined,
) {
  const { mode, organization } = caller;
  const placeOf = (which: ChargeStatus | undefined) => chargesWith(mode, organization.organization_id, which);
  if (asOf === undefined) return pageAt(state, "charges", placeOf(status), limit, offset);
  const then = listAsOf(state, "charges", placeOf(undefined), asOf);
  const found = status === undefined ? then : then.filter((charge) => charge.status === status);
  return { total: found.length, items: found.slice(offset, offset + limit) };
}

/** The caller's record of that id, or what it was then; another organization's or mode's is as if it were not there. */
export function findOwned<Name extends DatedName>(
  state: State,
  name: Name,
  caller: Caller,
  id: string,
  asOf?: AsOf,
): Collections[Name] | undefined {
  const record = state.get(name, id);
  if (
    record === undefined ||
    record.mode !== caller.mode ||
    record.organization_id !== caller.organization.organization_id
  )
    return undefined;
  return asOf === undefined ? record : recordAsOf(state, name, record, asOf);
}

/** A page of the caller's records, newest first, and how many there are, or were then. */
export function listOwned<Name extends "destinations" | "withdrawals">(
  state: State,
  name: Name,
  caller: Caller,
  { limit, offset }: Pick<PayinPage, "limit" | "offset">,
  asOf: AsOf | undefined,
): { total: number; items: Collections[Name][] } {
  const { mode, organization } = caller;
  const place = listOfOwner(name, { mode, organization_id: organization.organization_id });
  if (asOf === undefined) return pageAt(state, name, place, limit, offset);
  const then = listAsOf(state, name, place, asOf);
  return { total: then.length, items: then.slice(offset, offset + limit) };
}

function pageAt<Name extends DatedName>(
  state: State,
  name: Name,
  place: string,
  limit: number,
  offset: number,
): { total: number; items: Collections[Name][] } {
  return { total: state.count(name, place), items: state.page(name, place, offset, limit) };
}

function listAsOf<Name extends DatedName>(
  state: State,
  name: Name,
  place: string,
  asOf: AsOf,
): Collections[Name][] {
  return state
    .page(name, place, 0, state.count(name, place))
    .flatMap((record) => recordAsOf(state, name, record, asOf) ?? []);
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

/** Payment rail as the service lists it. */
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

/** Organization record; the organizations of the fixtures exist since the world began. */
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
