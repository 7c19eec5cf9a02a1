import { carriedEvent } from "../engine/forged-event.js";
import type { Endpoint, EventRecord, Mishap } from "../engine/records.js";
import type { SignedRequest } from "./outcomes.js";
import { signatureHeaders } from "./signing.js";

/** Well-formed secret of no endpoint, for invalid signatures. */
const FORGED_SECRET = "whsec_Zm9yZ2VkLWJ5LWEtc2NlbmFyaW8tb24tcHVycG9zZSE=";

interface Signing {
  readonly event: EventRecord;
  readonly endpoint: Endpoint;
  /** Scenario mishap of the delivery. */
  readonly mishap: Mishap | null;
  /** W3C trace of the call that created the charge. */
  readonly traceparent: string | null;
  /** Sandbox time; decides if a rotated secret still signs. */
  readonly nowMs: number;
  /** Wall time. */
  readonly sentAtMs: number;
  readonly userAgent: string;
}

/** The request that delivers an event to an endpoint, signed now. */
export function signedRequest(signing: Signing): SignedRequest {
  const { event, endpoint, mishap, traceparent, sentAtMs, userAgent } = signing;
  const { event_id: id, body } = carriedEvent(event, mishap);
  const message = { id, sentAtMs: sentAtMs - (mishap?.stale_ms ?? 0), body };
  return {
    sentAt: new Date(sentAtMs).toISOString(),
    headers: {
      "content-type": "application/json",
      "user-agent": userAgent,
      ...(traceparent === null ? {} : { traceparent }),
      ...(mishap?.unsigned ? {} : signatureHeaders(endpoint.signature, message, secretsOf(signing))),
    },
    body,
  };
}

function secretsOf({ endpoint, mishap, nowMs }: Signing): string[] {
  if (mishap?.bad_signature) return [FORGED_SECRET];
  const { secret, previous_secret, previous_secret_until_ms } = endpoint;
  return previous_secret !== null && nowMs < previous_secret_until_ms ? [secret, previous_secret] : [secret];
}
