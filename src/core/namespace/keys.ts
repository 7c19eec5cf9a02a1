import { activeKey, type HeldKey, keyAsItIs } from "../engine/access.js";
import type { Engine } from "../engine/engine.js";
import type { KeyFixture } from "../schema/fixtures.js";

/** API keys of a namespace: its own two and those of the fixtures. */
export class Keys {
  readonly #engine: Engine;
  readonly #own: readonly KeyFixture[];

  /** @param own those missing in the fixtures belong to the first organization, with every permission */
  constructor(engine: Engine, own: readonly string[]) {
    const { catalogue } = engine;
    const holder = catalogue.fixtures.organizations[0]?.organization_id ?? "";
    this.#engine = engine;
    this.#own = own
      .filter((key) => catalogue.key(key) === undefined)
      .map((key) => ({ key, organization_id: holder, permission: "full" }));
  }

  /** Returns the key unless it is unknown or revoked. */
  find(key: string): KeyFixture | undefined {
    const known = this.#known(key);
    return known && activeKey(this.#engine.state, known);
  }

  /** Returns true for revoked keys too. */
  has(key: string): boolean {
    return this.#known(key) !== undefined;
  }

  all(): readonly HeldKey[] {
    const known = [...this.#own, ...this.#engine.catalogue.fixtures.keys];
    return known.map((key) => keyAsItIs(this.#engine.state, key));
  }

  #known(key: string): KeyFixture | undefined {
    return this.#engine.catalogue.key(key) ?? this.#own.find((own) => own.key === key);
  }
}
