import type { Catalogue } from "../domain/catalogue.js";
import { toCanonicalAmount } from "../domain/money.js";
import type { ChargeStatus } from "../schema/common.js";
import type {
  CurrencyFixture,
  MethodFixture,
  OrganizationFixture,
  RailFixture,
} from "../schema/fixtures-file.js";
import { iso } from "../schema/time.js";
import type { Caller } from "./caller.js";
import { chargeListName, ownerListName } from "./indexes.js";
import type { Collections, Endpoint } from "./records.js";
import { type AsOf, recordAsOf, type StaleReadCollection } from "./stale-reads.js";
import type { State } from "./state.js";

export interface PayinPageRequest {
  readonly limit: number;
  readonly offset: number;
  readonly status: ChargeStatus | undefined;
}

/** Page of the caller's charges, newest first, with the total (specification: GET payins). */
export function listPayins(
  state: State,
  caller: Caller,
  { limit, offset, status }: PayinPageRequest,
  asOf: AsOf | undefined,
) {
  const { mode, organization } = caller;
  const listOf = (only?: ChargeStatus) => chargeListName(mode, organization.organization_id, only);
  if (asOf === undefined) return pageAt(state, "charges", listOf(status), limit, offset);
  const all = listAsOf(state, "charges", listOf(), asOf);
  const found = status === undefined ? all : all.filter((charge) => charge.status === status);
  return { total: found.length, items: found.slice(offset, offset + limit) };
}

/** The caller's record by id, as of `asOf` if given; undefined if it is of another organization or mode. */
export function findOwnRecord<Name extends StaleReadCollection>(
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

/** Page of the caller's records, newest first, with the total; as of `asOf` if given. */
export function listOwnRecords<Name extends "destinations" | "withdrawals">(
  state: State,
  name: Name,
  caller: Caller,
  { limit, offset }: Pick<PayinPageRequest, "limit" | "offset">,
  asOf: AsOf | undefined,
): { total: number; items: Collections[Name][] } {
  const { mode, organization } = caller;
  const list = ownerListName(name, { mode, organization_id: organization.organization_id });
  if (asOf === undefined) return pageAt(state, name, list, limit, offset);
  const all = listAsOf(state, name, list, asOf);
  return { total: all.length, items: all.slice(offset, offset + limit) };
}

function pageAt<Name extends StaleReadCollection>(
  state: State,
  name: Name,
  list: string,
  limit: number,
  offset: number,
): { total: number; items: Collections[Name][] } {
  return { total: state.count(name, list), items: state.page(name, list, offset, limit) };
}

function listAsOf<Name extends StaleReadCollection>(
  state: State,
  name: Name,
  list: string,
  asOf: AsOf,
): Collections[Name][] {
  return state
    .page(name, list, 0, state.count(name, list))
    .flatMap((record) => recordAsOf(state, name, record, asOf) ?? []);
}

/** Endpoints of the caller's organization, and those the sandbox was started with. */
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

export function railView(catalogue: Catalogue, rail: RailFixture) {
  const { id, display_name, payment_method, currency, country, min_amount, max_amount } = rail;
  const { decimals } = catalogue.requireCurrency(currency);
  return {
    id,
    display_name,
    payment_method,
    currency,
    country,
    min_amount: toCanonicalAmount(min_amount, decimals),
    max_amount: max_amount === null ? null : toCanonicalAmount(max_amount, decimals),
  };
}

/** Specification: Payment method. */
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

/** Sorted currency codes by type, as the service returns them. */
export function currencyCodes(currencies: readonly CurrencyFixture[]) {
  return { fiat: codes(currencies, "fiat"), crypto: codes(currencies, "crypto") };
}

/** Organizations count as created when their namespace started. */
export function organizationView(organization: OrganizationFixture, startMs: number) {
  return {
    organization_id: organization.organization_id,
    name: organization.name,
    country: organization.country,
    status: organization.status,
    verified: organization.verified,
    enabled_payment_methods: organization.enabled_payment_methods,
    created_at: iso(startMs),
  };
}
