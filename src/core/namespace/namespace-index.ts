import type { NamespaceIdentity } from "../schema/control-requests.js";
import { DEFAULT_NAMESPACE } from "../schema/option-schemas.js";
import type { Namespace } from "./namespace.js";
import { apiKeysOf, type NamespaceDefaults, UnopenedNamespaces } from "./namespace-options.js";

/** The open and the unopened namespaces of a server, by name and by API key. */
export class NamespaceIndex {
  /** Undefined while another process runs the default namespace. */
  default: Namespace | undefined;
  readonly unopened = new UnopenedNamespaces();
  readonly #open = new Map<string, Namespace>();
  /** Without the keys of the default namespace. */
  readonly #byKey = new Map<string, Namespace>();
  readonly #base: Pick<NamespaceDefaults, "apiKey" | "liveApiKey">;
  #autoNames = 0;

  constructor(base: Pick<NamespaceDefaults, "apiKey" | "liveApiKey">) {
    this.#base = base;
  }

  get all(): Namespace[] {
    return [...this.#open.values()];
  }

  get size(): number {
    return this.#open.size;
  }

  get(name: string): Namespace | undefined {
    return this.#open.get(name);
  }

  ofKey(apiKey: string): Namespace | undefined {
    return this.#byKey.get(apiKey);
  }

  /** Returns undefined if only the database knows the key's namespace. */
  nameOfKey(apiKey: string | null): string | undefined {
    const isOfDefault = apiKey === null || apiKey === this.#base.apiKey || apiKey === this.#base.liveApiKey;
    return isOfDefault || this.default?.keys.has(apiKey) ? DEFAULT_NAMESPACE : this.ofKey(apiKey)?.name;
  }

  isNameTaken(name: string): boolean {
    return this.#open.has(name) || this.unopened.has(name);
  }

  isKeyTaken(name: string, identity: NamespaceIdentity): boolean {
    return apiKeysOf(name, identity).some(
      (key) => this.nameOfKey(key) !== undefined || this.unopened.findByKey(key) !== undefined,
    );
  }

  freeName(): string {
    let name: string;
    do name = `ns${++this.#autoNames}`;
    while (this.isNameTaken(name));
    return name;
  }

  add(namespace: Namespace): void {
    this.#open.set(namespace.name, namespace);
    if (namespace.name === DEFAULT_NAMESPACE) this.default = namespace;
    else for (const key of keysOf(namespace)) this.#byKey.set(key, namespace);
  }

  remove(name: string): Namespace | undefined {
    const namespace = this.#open.get(name);
    if (namespace === undefined) return undefined;
    this.#open.delete(name);
    if (namespace === this.default) this.default = undefined;
    for (const key of keysOf(namespace)) this.#byKey.delete(key);
    return namespace;
  }

  clear(): void {
    this.#open.clear();
    this.#byKey.clear();
  }
}

function keysOf({ info }: Namespace): string[] {
  return [info.apiKey, info.liveApiKey];
}
