import type { Catalogue } from "../domain/catalogue.js";
import type { Charge } from "../domain/charge.js";
import type { ChargeStatus } from "../schema/common.js";
import type { CurrencyFixture, MethodFixture, OrganizationFixture } from "../schema/fixtures.js";
import { iso } from "../schema/time.js";
import type { Caller } from "./caller.js";
import type { State } from "./state.js";

export interface PayinPage {
  readonly limit: number;
  readonly offset: number;
  readonly status: ChargeStatus | undefined;
}

/** The caller's charges, newest first, and how many there are (specification: GET payins). */
export function listPayins(state: State, caller: Caller, { limit, offset, status }: PayinPage) {
  const place = state.chargesWith(caller.mode, caller.organization.organization_id, status);
  return { total: state.count(place), items: state.page("charges", place, offset, limit) };
}

/** The caller's charge of that id; another organization's or mode's is as if it were not there. */
export function findCharge(state: State, caller: Caller, chargeId: string): Charge | undefined {
  const charge = state.get("charges", chargeId);
  return charge !== undefined &&
    charge.mode === caller.mode &&
    charge.organization_id === caller.organization.organization_id
    ? charge
    : undefined;
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

export function supportedCurrencies({ fixtures }: Catalogue) {
  return { fiat: codes(fixtures.currencies, "fiat"), crypto: codes(fixtures.currencies, "crypto") };
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
