import { activeKey, type CurrentKey, currentKey } from "../engine/access-changes.js";
import type { Engine } from "../engine/engine.js";
import type { KeyFixture } from "../schema/fixtures-file.js";

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
