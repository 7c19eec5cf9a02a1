import { organizationOf } from "../engine/access.js";
import type { Caller } from "../engine/caller.js";
import type { Namespace } from "../namespace/namespace.js";
import type { KeyFixture } from "../schema/fixtures.js";

/** The key of `Authorization: Bearer KEY`, or null when there is none or the scheme is another. */
export function bearerKey(header: string | null | undefined): string | null {
  if (header === null || header === undefined) return null;
  // An app sends the same header with each call.
  if (header === lastHeader) return lastKey;
  const match = /^Bearer +([^\s]+) *$/i.exec(header);
  const key = match === null ? null : match[1]!;
  // What may be a real key stays nowhere.
  if (!header.includes("_live_")) {
    lastHeader = header;
    lastKey = key;
  }
  return key;
}

let lastHeader: string | undefined;
let lastKey: string | null = null;

/** Who holds the key: its prefix gives the mode. Undefined when the organization is gone or deactivated. */
export function callerOf(namespace: Namespace, key: KeyFixture): Caller | undefined {
  const { state, catalogue } = namespace.engine;
  const organization = organizationOf(state, catalogue, key.organization_id);
  if (organization === undefined || organization.status !== "active") return undefined;
  return { key: key.key, mode: key.key.startsWith("sk_live_") ? "live" : "test", organization };
}
