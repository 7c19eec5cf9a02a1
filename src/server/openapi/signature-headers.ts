import {
  SIGNATURE_PRESETS,
  SIGNATURE_SCHEMES,
  type Signature,
  type SignatureScheme,
  signatureScheme,
} from "../../core/schema/signature-schemes.js";
import type { OpenApiJson } from "./document.js";

const DIGEST_BYTES = { sha1: 20, sha256: 32, sha512: 64 } as const;
const EXAMPLE = { id: "evt_bf97a3a164010d696c2bec1f", timestamp: "1769850005" };

/** The signature headers, as parameters of a webhook request. */
export function signatureParameters(signature: Signature): OpenApiJson[] {
  const scheme = signatureScheme(signature);
  const values = { ...EXAMPLE, signatures: scheme.each.replace("{signature}", exampleOf(scheme)) };
  return Object.entries(scheme.headers).map(([name, template]) => ({
    name,
    in: "header",
    required: true,
    description: describeHeader(template, scheme),
    schema: { type: "string", ...(template === "{timestamp}" ? { pattern: "^\\d+$" } : {}) },
    example: Object.entries(values).reduce(
      (text, [part, value]) => text.replace(`{${part}}`, value),
      template,
    ),
  }));
}

/** Lists the headers of each signature preset, for endpoints with a signature of their own. */
export function signaturePresets(signature: Signature): string {
  const here =
    typeof signature === "string" ? `by \`${signature}\`` : "by a scheme of this sandbox's configuration";
  const others = SIGNATURE_PRESETS.map((name) => {
    const headers = Object.keys(SIGNATURE_SCHEMES[name].headers).map((header) => `\`${header}\``);
    return `\`${name}\`: ${headers.length === 0 ? "no header" : headers.join(", ")}`;
  });
  return [
    `Events are signed ${here}, which is described below; \`standard\` (Standard Webhooks) is the default.`,
    `An endpoint may have a signature of its own. By name the headers are: ${others.join("; ")}.`,
  ].join(" ");
}

function describeHeader(template: string, scheme: SignatureScheme): string {
  if (template === "{id}") return "The event's id, the same in every attempt.";
  if (template === "{timestamp}")
    return "Wall time of this attempt, in seconds since 1970. Reject timestamps that are minutes off.";
  const { algorithm, encoding, payload, key, each, between } = scheme;
  if (algorithm === null)
    return "The endpoint's secret itself. It does not cover the body and cannot expose replays.";
  const time = template.includes("{timestamp}") ? "Wall time of this attempt in seconds, then " : "";
  const before = each.replace("{signature}", "");
  const start = before === "" ? "the" : `\`${before}\` and the`;
  const keyed = key === "base64" ? "the decoded part of the secret after `whsec_`" : "the secret's text";
  const text = `${time}${start} HMAC-${algorithm.toUpperCase()} of \`${payload}\` in ${encoding}, keyed with ${keyed}.`;
  const sentence = `${text[0]!.toUpperCase()}${text.slice(1)}`;
  if (between === null) return sentence;
  const gap = between === " " ? "a space" : `\`${between}\``;
  return `${sentence} Two of them, ${gap} between, while a secret is being rotated.`;
}

/** A well-formed signature that matches no event. */
function exampleOf({ algorithm, encoding }: SignatureScheme): string {
  if (algorithm === null) return "my-secret-hash";
  return Buffer.alloc(DIGEST_BYTES[algorithm], "a signature, only a sample").toString(encoding);
}
