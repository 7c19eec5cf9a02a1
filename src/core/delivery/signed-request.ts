import { carriedEvent } from "../engine/forged-event.js";
import type { Endpoint, EventRecord, Mishap } from "../engine/records.js";
import type { SignedRequest } from "./outcomes.js";
import { signatureHeaders } from "./signing.js";

/** Signs what shall look forged: well formed, and nobody's. */
const FORGED_SECRET = "whsec_Zm9yZ2VkLWJ5LWEtc2NlbmFyaW8tb24tcHVycG9zZSE=";

interface Signing {
  readonly event: EventRecord;
  readonly endpoint: Endpoint;
  /** What a scenario has go wrong with the delivery. */
  readonly mishap: Mishap | null;
  /** The trace of the call that made the charge it is about. */
  readonly traceparent: string | null;
  /** Sandbox time: until when a secret that was rotated signs beside the new one goes by it. */
  readonly nowMs: number;
  /** Wall time. */
  readonly sentAtMs: number;
  readonly userAgent: string;
}

/** The request that brings an event to an endpoint, signed for this moment. */
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
