import type { NamespaceIdentity } from "../schema/control-requests.js";
import { type Refusal, refuse } from "../schema/refusals.js";
import { StoreError } from "../store/store-error.js";
import { apiKeysOf } from "./identity.js";

interface LeftOutNamespace {
  readonly reason: string;
  /** Empty if the keys cannot be read. */
  readonly apiKeys: readonly string[];
}

/** Stored namespaces that could not be opened. */
export class UnopenedNamespaces extends Map<string, LeftOutNamespace> {
  /** @returns the error to report */
  add(name: string, identity: NamespaceIdentity | undefined, cause: unknown): StoreError {
    const reason = (cause instanceof Error ? cause.message : String(cause)).replace(/\.?$/, ".");
    this.set(name, { reason, apiKeys: identity === undefined ? [] : apiKeysOf(name, identity) });
    return new StoreError(`The namespace "${name}" was skipped. ${reason}`, { cause });
  }

  findByKey(apiKey: string): string | undefined {
    for (const [name, { apiKeys }] of this) if (apiKeys.includes(apiKey)) return name;
    return undefined;
  }

  refusalOf(name: string): Refusal | undefined {
    const entry = this.get(name);
    if (entry === undefined) return undefined;
    const message = `The namespace "${name}" could not be opened: ${entry.reason} Repair its files and call PUT /_sandbox/namespaces/${name} to open it, or DELETE to remove it.`;
    return refuse("INTERNAL_ERROR", message);
  }
}
