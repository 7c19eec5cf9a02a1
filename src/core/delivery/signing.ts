import { createHmac } from "node:crypto";
import { resolveSignatureScheme, type Signature, type SignatureScheme } from "../schema/signature-schemes.js";

interface MessageToSign {
  readonly id: string;
  /** Wall time of the attempt; receivers compare it with their clock. */
  readonly sentAtMs: number;
  readonly body: string;
}

/** Signature headers of an event, signed with each secret. Schemes for a single signature use only the first secret. */
export function signatureHeaders(
  signature: Signature,
  message: MessageToSign,
  secrets: readonly string[],
): Record<string, string> {
  const scheme = resolveSignatureScheme(signature);
  const values: Record<string, string> = {
    id: message.id,
    timestamp: Math.floor(message.sentAtMs / 1000).toString(),
  };
  values.signatures = (scheme.signatureSeparator === null ? secrets.slice(0, 1) : secrets)
    .map((secret) =>
      fillTemplate(scheme.signatureFormat, { signature: sign(scheme, values, message.body, secret) }),
    )
    .join(scheme.signatureSeparator ?? "");
  return Object.fromEntries(
    Object.entries(scheme.headers).map(([name, template]) => [name, fillTemplate(template, values)]),
  );
}

function sign(
  { algorithm, encoding, payload, key }: SignatureScheme,
  { id, timestamp }: Readonly<Record<string, string>>,
  body: string,
  secret: string,
): string {
  if (algorithm === null) return secret;
  const hmac = createHmac(
    algorithm,
    key === "text" ? secret : Buffer.from(secret.replace(/^whsec_/, ""), "base64"),
  );
  if (payload === "id.timestamp.body") hmac.update(`${id}.${timestamp}.`);
  if (payload === "timestamp.body") hmac.update(`${timestamp}.`);
  return hmac.update(body).digest(encoding);
}

/** Replaces placeholders in one pass: values may look like placeholders. */
function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_all, name: string) => values[name]!);
}
