import { organizationOf } from "../../core/engine/access.js";
import type { Caller } from "../../core/engine/caller.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { KeyFixture } from "../../core/schema/fixtures.js";

/** The key of `Authorization: Bearer KEY`; null without one or with another scheme. */
export function bearerKey(header: string | null | undefined): string | null {
  if (header === null || header === undefined) return null;
  if (header === lastHeader) return lastKey;
  const match = /^Bearer +([^\s]+) *$/i.exec(header);
  const key = match === null ? null : match[1]!;
  // A key that may be a real one is not kept.
  if (!header.includes("_live_")) {
    lastHeader = header;
    lastKey = key;
  }
  return key;
}

/** The last header and its key: an app sends the same with each call. */
let lastHeader: string | undefined;
let lastKey: string | null = null;

/** The holder of a key, with the mode of its prefix; undefined for a removed or deactivated organization. */
export function callerOf(namespace: Namespace, key: KeyFixture): Caller | undefined {
  const { state, catalogue } = namespace.engine;
  const organization = organizationOf(state, catalogue, key.organization_id);
  if (organization === undefined || organization.status !== "active") return undefined;
  return { key: key.key, mode: key.key.startsWith("sk_live_") ? "live" : "test", organization };
}
