import type { Catalogue } from "../domain/catalogue.js";
import type { Charge } from "../domain/charge-transition.js";
import { toCanonicalAmount } from "../domain/money.js";
import type { ChargeStatus } from "../schema/common.js";
import type {
  CurrencyFixture,
  MethodFixture,
  OrganizationFixture,
  RailFixture,
} from "../schema/fixtures-file.js";
import { iso } from "../schema/time.js";
import { chargeListName, ownerListName, type RecordPage } from "./indexes.js";
import type { Collections, Endpoint } from "./records.js";
import { type AsOf, recordAsOf, type StaleReadCollection } from "./stale-reads.js";
import type { State } from "./state.js";
import type { Caller, ReadContext } from "./transaction.js";

interface PayinPageRequest {
  readonly limit: number;
  readonly offset: number;
  readonly status: ChargeStatus | undefined;
}

/** Page of the caller's charges, newest first, with the total (specification: GET payins). */
export function listPayins(
  context: ReadContext,
  { mode, organization }: Caller,
  { limit, offset, status }: PayinPageRequest,
  asOf: AsOf | undefined,
) {
  // Lists by status hold current statuses. For an earlier time, `isListed` filters the list of all charges.
  const list = chargeListName(mode, organization.organization_id, asOf === undefined ? status : undefined);
  const isListed = (charge: Charge) => status === undefined || charge.status === status;
  return pageOf(context, "charges", list, { limit, offset }, asOf, isListed);
}

/** Returns the caller's record; undefined if organization or mode differ. With `asOf`, the read is stale. */
export function findOwnRecord<Name extends StaleReadCollection>(
  context: ReadContext,
  name: Name,
  caller: Caller,
  id: string,
  asOf?: AsOf,
): Collections[Name] | undefined {
  const record = context.state.get(name, id);
  if (
    record === undefined ||
    record.mode !== caller.mode ||
    record.organization_id !== caller.organization.organization_id
  )
    return undefined;
  return asOf === undefined ? record : recordAsOf(context, name, record, asOf);
}

/** Page of the caller's records, newest first, with the total. With `asOf`, the read is stale. */
export function listOwnRecords<Name extends "destinations" | "withdrawals">(
  context: ReadContext,
  name: Name,
  { mode, organization: { organization_id } }: Caller,
  page: Pick<PayinPageRequest, "limit" | "offset">,
  asOf: AsOf | undefined,
): RecordPage<Collections[Name]> {
  return pageOf(context, name, ownerListName(name, { mode, organization_id }), page, asOf);
}

/** @param isListed selects records as of `asOf`; not called without `asOf` */
function pageOf<Name extends StaleReadCollection>(
  context: ReadContext,
  name: Name,
  list: string,
  { limit, offset }: Pick<PayinPageRequest, "limit" | "offset">,
  asOf: AsOf | undefined,
  isListed: (record: Collections[Name]) => boolean = () => true,
): RecordPage<Collections[Name]> {
  const { state } = context;
  const total = state.count(name, list);
  if (asOf === undefined) return { total, items: state.page(name, list, offset, limit) };
  const records = state.page(name, list, 0, total);
  const all = records.flatMap((record) => recordAsOf(context, name, record, asOf) ?? []).filter(isListed);
  return { total: all.length, items: all.slice(offset, offset + limit) };
}

/** Endpoints of the caller's organization, and those the sandbox was started with. */
export function listVisibleEndpoints(state: State, caller: Caller): Endpoint[] {
  const owners = [null, caller.organization.organization_id];
  const isVisible = (endpoint: Endpoint) =>
    endpoint.mode === caller.mode && owners.includes(endpoint.organization_id);
  return state.endpoints().filter(isVisible);
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
  const { id, display_name, icon, description, type, enabled_by_default, currencies } = method;
  return { id, display_name, icon, description, type, enabled_by_default, currencies };
}

/** Sorted currency codes by type, as the service returns them. */
export function currencyCodes(currencies: readonly CurrencyFixture[]) {
  const codesOf = (type: CurrencyFixture["type"]) =>
    currencies.flatMap((currency) => (currency.type === type ? currency.code : [])).sort();
  return { fiat: codesOf("fiat"), crypto: codesOf("crypto") };
}

/** Organization as the service returns it; `created_at` is the start of the namespace. */
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
