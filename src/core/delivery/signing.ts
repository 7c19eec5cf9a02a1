import { createHmac } from "node:crypto";
import { type Signature, type SignatureScheme, signatureScheme } from "../schema/webhooks.js";

/** What is signed: an event's id, the bytes that go out, and when. */
export interface SignedMessage {
  readonly id: string;
  /** Wall time of this attempt; receivers hold it against their own clock. */
  readonly sentAtMs: number;
  readonly body: string;
}

/**
 * The headers that prove where an event comes from. Of several secrets (a rotated one signs beside the new one
 * for a while) a scheme with room for one signature uses the first.
 */
export function signatureHeaders(
  signature: Signature,
  message: SignedMessage,
  secrets: readonly string[],
): Record<string, string> {
  const scheme = signatureScheme(signature);
  const values: Record<string, string> = {
    id: message.id,
    timestamp: Math.floor(message.sentAtMs / 1000).toString(),
  };
  values.signatures = (scheme.between === null ? secrets.slice(0, 1) : secrets)
    .map((secret) => filled(scheme.each, { signature: signatureOf(scheme, values, message.body, secret) }))
    .join(scheme.between ?? "");
  return Object.fromEntries(
    Object.entries(scheme.headers).map(([name, template]) => [name, filled(template, values)]),
  );
}

function signatureOf(
  { algorithm, encoding, payload, key }: SignatureScheme,
  { id, timestamp }: Readonly<Record<string, string>>,
  body: string,
  secret: string,
): string {
  if (algorithm === null) return secret;
  const hmac = createHmac(algorithm, key === "text" ? secret : keyBytes(secret));
  if (payload === "id.timestamp.body") hmac.update(`${id}.${timestamp}.`);
  if (payload === "timestamp.body") hmac.update(`${timestamp}.`);
  return hmac.update(body).digest(encoding);
}

function keyBytes(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ""), "base64");
}

/** In one pass: what is filled in may look like a placeholder itself. */
function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_all, name: string) => values[name]!);
}
