import type { NamespaceIdentity } from "../schema/control.js";
import { type Refusal, refuse } from "../schema/errors.js";
import { StoreError } from "../store/error.js";
import { apiKeysOf } from "./identity.js";

interface LeftOutNamespace {
  readonly reason: string;
  /** None when they cannot be read either. */
  readonly apiKeys: readonly string[];
}

/** Namespaces that an earlier run kept and this one could not open. */
export class LeftOut {
  readonly #byName = new Map<string, LeftOutNamespace>();

  /** @returns what to report of it */
  add(name: string, identity: NamespaceIdentity | undefined, cause: unknown): StoreError {
    const reason = (cause instanceof Error ? cause.message : String(cause)).replace(/\.?$/, ".");
    this.#byName.set(name, { reason, apiKeys: identity === undefined ? [] : apiKeysOf(name, identity) });
    return new StoreError(`The namespace "${name}" is left out. ${reason}`, { cause });
  }

  /** Whether it was one of them. */
  delete(name: string): boolean {
    return this.#byName.delete(name);
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  nameOf(apiKey: string): string | undefined {
    for (const [name, { apiKeys }] of this.#byName) if (apiKeys.includes(apiKey)) return name;
    return undefined;
  }

  /** What there is to say of one of them to whoever asks for it. */
  refusalOf(name: string): Refusal | undefined {
    const leftOut = this.#byName.get(name);
    if (leftOut === undefined) return undefined;
    const message = `The namespace "${name}" could not be opened: ${leftOut.reason} When its files are as they should be, PUT /_sandbox/namespaces/${name} opens it; DELETE gives it up.`;
    return refuse("INTERNAL_ERROR", message);
  }
}
