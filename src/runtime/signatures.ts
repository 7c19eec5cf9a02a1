import { createHmac } from "node:crypto";

/**
 * Standard Webhooks: the signed text is `id.timestamp.body`, the key the base64 part of `whsec_…`, and the
 * header holds one `v1,` signature for each secret that is valid (contract section 3).
 */
export function standardHeaders(
  eventId: string,
  sentAtMs: number,
  body: string,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = Math.floor(sentAtMs / 1000).toString();
  const signed = `${eventId}.${timestamp}.${body}`;
  return {
    "webhook-id": eventId,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => `v1,${hmacBase64(secret, signed)}`).join(" "),
  };
}

function hmacBase64(secret: string, text: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return createHmac("sha256", key).update(text).digest("base64");
}
