import { createHash } from "node:crypto";
import { KEY_LIFETIME_MS } from "../schema/common.js";
import { isRefusal, type Refusal, refuse, refuseInvalid } from "../schema/refusals.js";
import type { Command, Transaction } from "./transaction.js";

const KEY_MAX_LENGTH = 255;
const FORGET_MAX_KEYS = 2;
/** Longer bodies are stored as a hash. */
const BODY_MAX_LENGTH = 1_024;

interface IdempotentRequest {
  readonly key: string | null;
  /** API key, method and path. An idempotency key is unique within its scope. */
  readonly scope: string;
  readonly body: unknown;
}

interface IdempotentResult {
  readonly json: string;
  readonly isReplayed: boolean;
}

/** Runs `work` once per key. One commit stores the changes and the response. Refused requests can be retried. */
export function idempotentCommand<Record>(
  { key, scope, body }: IdempotentRequest,
  work: Command<Record | Refusal>,
  toJson: (record: Record) => string,
): Command<IdempotentResult | Refusal> {
  return (tx) => {
    if (key !== null && (key.length < 1 || key.length > KEY_MAX_LENGTH))
      return refuseInvalid({ "Idempotency-Key": `must be 1 to ${KEY_MAX_LENGTH} characters` });
    const id = key === null ? undefined : `${scope}|${key}`;
    const canonical = id === undefined ? "" : canonicalJson(body);
    const storedBody = storableBody(canonical);
    const stored = id === undefined ? undefined : tx.get("idempotency", id);
    if (stored !== undefined && tx.atMs - stored.at_ms < KEY_LIFETIME_MS) {
      if (stored.body !== storedBody)
        return refuse("IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key was used with another request body");
      return { json: stored.json, isReplayed: true };
    }
    const record = work(tx);
    if (isRefusal(record)) return record;
    const json = toJson(record as Record);
    if (id !== undefined) {
      if (stored !== undefined) tx.remove("idempotency", id);
      tx.put("idempotency", id, { seq: tx.next("idempotency"), body: storedBody, json, at_ms: tx.atMs });
      forgetOld(tx);
    }
    return { json, isReplayed: false };
  };
}

function forgetOld(tx: Transaction): void {
  for (const [id, answer] of tx.state.oldestOf("idempotency", FORGET_MAX_KEYS))
    if (tx.atMs - answer.at_ms >= KEY_LIFETIME_MS && tx.get("idempotency", id) === answer)
      tx.remove("idempotency", id);
}

function storableBody(canonical: string): string {
  if (canonical.length <= BODY_MAX_LENGTH) return canonical;
  return `sha256:${createHash("sha256").update(canonical).digest("hex")}`;
}

/** JSON that is equal for bodies that differ only in the order of fields. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
