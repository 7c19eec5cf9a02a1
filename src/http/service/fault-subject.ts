import type { Subject } from "../../domain/scenario.js";
import { chargeSubject } from "../../engine/subjects.js";
import type { Namespace } from "../../namespace/namespace.js";

/** A call as far as fault rules look at it. */
interface Call {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly chargeId: string | undefined;
  readonly body: Record<string, unknown>;
}

/** What fault rules are held against: the request, and the charge it is about. */
export function faultSubject(
  namespace: Namespace,
  { operation, method, path, chargeId, body }: Call,
): Subject {
  const charge = chargeId === undefined ? undefined : namespace.engine.state.get("charges", chargeId);
  const ofCharge = charge === undefined ? undefined : chargeSubject(charge);
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(body)) if (typeof value === "string") fields[name] = value;
  const { pricing, metadata } = body;
  if (isObject(pricing)) {
    if (typeof pricing.base_currency === "string") fields.base_currency = pricing.base_currency;
    if (typeof pricing.amount === "string") fields.base_amount = pricing.amount;
  }
  const texts = Object.entries(isObject(metadata) ? metadata : {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return {
    metadata: { ...ofCharge?.metadata, ...Object.fromEntries(texts) },
    fields: { ...ofCharge?.fields, ...fields, operation, method, path },
  };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
