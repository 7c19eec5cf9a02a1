import type { Subject } from "../../domain/scenario.js";
import { chargeSubject } from "../../engine/subjects.js";
import type { Namespace } from "../../namespace/namespace.js";
import type { JournalEntry } from "../../namespace/served-request.js";

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

/** The same of a call that is over; what its body does not say, for it was cut, is not there. */
export function subjectOfEntry(namespace: Namespace, entry: JournalEntry): Subject {
  const { operation, method, path, requestBody } = entry;
  return faultSubject(namespace, {
    operation: operation ?? "",
    method,
    path,
    chargeId: /\/(ch_[0-9a-f]+)(?:\/|$)/.exec(path)?.[1],
    body: objectIn(requestBody),
  });
}

function objectIn(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
