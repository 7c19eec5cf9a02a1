import type { Catalogue } from "../domain/catalogue.js";
import { invalid, type Refusal, refuse } from "../schema/errors.js";
import type { KeyFixture, OrganizationFixture } from "../schema/fixtures.js";
import type { ChangedKey, ChangedOrganization } from "./records.js";
import type { State } from "./state.js";
import type { Command } from "./transaction.js";

/** An organization as it stands now: the fixtures', with what was changed while it runs. */
export function organizationOf(
  state: State,
  catalogue: Catalogue,
  id: string,
): OrganizationFixture | undefined {
  const known = catalogue.organization(id);
  const changed = state.get("organizations", id);
  return known === undefined || changed === undefined ? known : { ...known, ...changed };
}

/** A key as it stands now. */
export type HeldKey = KeyFixture & Pick<ChangedKey, "status">;

export function keyAsItIs(state: State, known: KeyFixture): HeldKey {
  return { status: "active", ...known, ...state.get("keys", known.key) };
}

/** The key where it may be used: a revoked one may not. */
export function activeKey(state: State, known: KeyFixture): KeyFixture | undefined {
  const changed = state.get("keys", known.key);
  if (changed === undefined) return known;
  return changed.status === "active" ? { ...known, ...changed } : undefined;
}

export function changeKey(
  known: KeyFixture,
  patch: Partial<Omit<ChangedKey, "key">>,
): Command<HeldKey | Refusal> {
  return (tx) => {
    const { status, permission } = { ...keyAsItIs(tx.state, known), ...patch };
    tx.put("keys", known.key, { key: known.key, status, permission });
    return { ...known, status, permission };
  };
}

export function changeOrganization(
  id: string,
  patch: Partial<Omit<ChangedOrganization, "organization_id">>,
): Command<OrganizationFixture | Refusal> {
  return (tx) => {
    const known = organizationOf(tx.state, tx.catalogue, id);
    if (known === undefined) return refuse("NOT_FOUND", `There is no organization "${id}"`);
    const strange = patch.enabled_payment_methods?.find((one) => tx.catalogue.method(one) === undefined);
    if (strange !== undefined) {
      const methods = tx.catalogue.fixtures.methods.map((method) => method.id).join(", ");
      return invalid({
        enabled_payment_methods: `${strange} is not a payment method; use one of: ${methods}`,
      });
    }
    const changed = { ...known, ...patch };
    const { status, verified, enabled_payment_methods } = changed;
    tx.put("organizations", id, { organization_id: id, status, verified, enabled_payment_methods });
    return changed;
  };
}
