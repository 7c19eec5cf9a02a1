import type { Catalogue } from "../domain/catalogue.js";
import type { KeyFixture, OrganizationFixture } from "../schema/fixtures-file.js";
import { type Refusal, refuse, refuseInvalid } from "../schema/refusals.js";
import type { Engine } from "./engine.js";
import type { KeyOverride, OrganizationOverride } from "./records.js";
import type { State } from "./state.js";
import type { Command } from "./transaction.js";

/** An organization of the fixtures with the changes made at run time. */
export function currentOrganization(
  state: State,
  catalogue: Catalogue,
  id: string,
): OrganizationFixture | undefined {
  const fixture = catalogue.organization(id);
  const changed = state.get("organizations", id);
  return fixture === undefined || changed === undefined ? fixture : { ...fixture, ...changed };
}

type CurrentKey = KeyFixture & Pick<KeyOverride, "status">;

function currentKey(state: State, fixture: KeyFixture): CurrentKey {
  return { status: "active", ...fixture, ...state.get("keys", fixture.key) };
}

/** The key with its current permission; undefined if it is revoked. */
function activeKey(state: State, fixture: KeyFixture): KeyFixture | undefined {
  const changed = state.get("keys", fixture.key);
  if (changed === undefined) return fixture;
  return changed.status === "active" ? { ...fixture, ...changed } : undefined;
}

export function changeKey(
  fixture: KeyFixture,
  patch: Partial<Omit<KeyOverride, "key">>,
): Command<CurrentKey | Refusal> {
  return (tx) => {
    const { status, permission } = { ...currentKey(tx.state, fixture), ...patch };
    tx.put("keys", fixture.key, { key: fixture.key, status, permission });
    return { ...fixture, status, permission };
  };
}

export function changeOrganization(
  id: string,
  patch: Partial<Omit<OrganizationOverride, "organization_id">>,
): Command<OrganizationFixture | Refusal> {
  return (tx) => {
    const current = currentOrganization(tx.state, tx.catalogue, id);
    if (current === undefined) return refuse("NOT_FOUND", `There is no organization "${id}"`);
    const unknownId = patch.enabled_payment_methods?.find((id) => tx.catalogue.method(id) === undefined);
    if (unknownId !== undefined) {
      const methods = tx.catalogue.fixtures.methods.map((method) => method.id).join(", ");
      return refuseInvalid({
        enabled_payment_methods: `${unknownId} is not a payment method; use one of: ${methods}`,
      });
    }
    const changed = { ...current, ...patch };
    const { status, verified, enabled_payment_methods } = changed;
    tx.put("organizations", id, { organization_id: id, status, verified, enabled_payment_methods });
    return changed;
  };
}

/** API keys of a namespace: its own two and those of the fixtures. */
export class ApiKeys {
  readonly #engine: Engine;
  readonly #ownKeys: readonly KeyFixture[];

  /** @param ownKeys a key without a fixture belongs to the first organization and has the permission `full` */
  constructor(engine: Engine, ownKeys: readonly string[]) {
    const { catalogue } = engine;
    const holder = catalogue.fixtures.organizations[0]?.organization_id ?? "";
    this.#engine = engine;
    this.#ownKeys = ownKeys
      .filter((key) => catalogue.key(key) === undefined)
      .map((key) => ({ key, organization_id: holder, permission: "full" }));
  }

  /** Returns the key unless it is unknown or revoked. */
  find(key: string): KeyFixture | undefined {
    const fixture = this.#lookUp(key);
    return fixture && activeKey(this.#engine.state, fixture);
  }

  /** Returns true for revoked keys too. */
  has(key: string): boolean {
    return this.#lookUp(key) !== undefined;
  }

  all(): readonly CurrentKey[] {
    const fixtures = [...this.#ownKeys, ...this.#engine.catalogue.fixtures.keys];
    return fixtures.map((key) => currentKey(this.#engine.state, key));
  }

  #lookUp(key: string): KeyFixture | undefined {
    return this.#engine.catalogue.key(key) ?? this.#ownKeys.find((candidate) => candidate.key === key);
  }
}
