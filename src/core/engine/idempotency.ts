import { createHash } from "node:crypto";
import { invalid, isRefusal, type Refusal, refuse } from "../schema/errors.js";
import type { Command, Transaction } from "./transaction.js";

/** How long a key is remembered, in sandbox time. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000;
const KEY_MAX_LENGTH = 255;
const FORGET_AT_ONCE = 2;
/** A longer body is remembered by its hash. */
const REMEMBERED_BODY_LENGTH = 1_024;

export interface IdempotencyScope {
  /** The Idempotency-Key header, if there was one. */
  readonly key: string | null;
  /** What the key is unique within, besides the namespace: API key, method and path. */
  readonly scope: string;
  readonly body: unknown;
}

export interface IdempotentResult {
  readonly json: string;
  readonly replayed: boolean;
}

/**
 * Does the work once a key: the answer is stored in the commit of the work itself, so that neither exists
 * without the other. Refusals are not stored; the caller may try again with the same key.
 */
export function idempotently<Record>(
  { key, scope, body }: IdempotencyScope,
  work: Command<Record | Refusal>,
  toJson: (record: Record) => string,
): Command<IdempotentResult | Refusal> {
  return (tx) => {
    if (key !== null && (key.length < 1 || key.length > KEY_MAX_LENGTH))
      return invalid({ "Idempotency-Key": `must be 1 to ${KEY_MAX_LENGTH} characters` });
    const place = key === null ? undefined : `${scope}|${key}`;
    const canonical = place === undefined ? "" : canonicalJson(body);
    const sameAs = remembered(canonical);
    const known = place === undefined ? undefined : tx.get("idempotency", place);
    if (known !== undefined && tx.atMs - known.at_ms < REMEMBERED_MS) {
      if (known.body !== sameAs)
        return refuse("IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key was used with another request body");
      return { json: known.json, replayed: true };
    }
    const record = work(tx);
    if (isRefusal(record)) return record;
    const json = toJson(record as Record);
    if (place !== undefined) {
      if (known !== undefined) tx.remove("idempotency", place);
      tx.put("idempotency", place, { seq: tx.next("idempotency"), body: sameAs, json, at_ms: tx.atMs });
      forgetOld(tx);
    }
    return { json, replayed: false };
  };
}

function forgetOld(tx: Transaction): void {
  for (const [place, answer] of tx.state.oldestOf("idempotency", FORGET_AT_ONCE))
    if (tx.atMs - answer.at_ms >= REMEMBERED_MS && tx.get("idempotency", place) === answer)
      tx.remove("idempotency", place);
}

function remembered(canonical: string): string {
  if (canonical.length <= REMEMBERED_BODY_LENGTH) return canonical;
  return `sha256:${createHash("sha256").update(canonical).digest("hex")}`;
}

/** The same for two bodies that are the same JSON, whatever the order of their fields. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
