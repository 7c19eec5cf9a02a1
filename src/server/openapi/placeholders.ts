import { payoutCurrencies } from "../../core/domain/requests/payout-requests.js";
import type { Engine } from "../../core/engine/engine.js";
import { markdownCodeList, requiredIf } from "../../core/schema/descriptions.js";
import { formatDuration } from "../../core/schema/duration.js";
import type { MethodFixture } from "../../core/schema/fixtures-file.js";
import {
  resolveSignatureScheme,
  SIGNATURE_PRESETS,
  SIGNATURE_SCHEMES,
  type Signature,
  type SignatureScheme,
} from "../../core/schema/signature-schemes.js";
import type { OpenApiJson } from "./document.js";

/**
 * Looks up the value of a placeholder `{{name}}` in the fixtures and settings of a namespace. A text that is only a
 * placeholder becomes the value, of any type. A field with the value undefined is omitted.
 */
export type PlaceholderLookup = (placeholder: string) => unknown;

export function createPlaceholderLookup(
  { catalogue, settings }: Pick<Engine, "catalogue" | "settings">,
  version: string,
): PlaceholderLookup {
  const { countries, currencies, methods, rails } = catalogue.fixtures;
  const ids = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id);
  const codes = (all: readonly { readonly code: string }[]) => all.map(({ code }) => code);
  const ofKind = (kind: MethodFixture["kind"]) => ids(methods.filter((method) => method.kind === kind));
  const { limits, signature, error_codes, event_names } = settings;
  const decimals = Math.max(0, ...currencies.map((currency) => currency.decimals));
  const requirements = [
    ...requireForMethods(ofKind("mobile_money"), "phone_number"),
    ...requireForMethods(ofKind("bank_transfer"), "bank_account_number"),
  ];
  const values: Readonly<Record<string, () => unknown>> = {
    version: () => version,
    "currencies in words": () => markdownCodeList(codes(currencies)),
    "some currencies": () => codes(currencies).slice(0, 4),
    "payout currencies": () => codes(payoutCurrencies(catalogue)),
    "methods in words": () => markdownCodeList(ids(methods)),
    methods: () => ids(methods),
    "two methods": () => ids(methods).slice(0, 2),
    "some rails": () => ids(rails).slice(0, 3),
    "needs of the methods": () => (requirements.length === 0 ? undefined : requirements),
    fraction: () => (decimals === 0 ? "" : `(\\.\\d{1,${decimals}})?`),
    "country calling codes": () => countries.map(({ dialling_code }) => dialling_code.slice(1)).join("|"),
    "quote valid": () => formatDuration(limits.quote_valid_ms),
    "quote locked": () => formatDuration(limits.quote_locked_ms),
    "checkout minutes": () => limits.checkout_default_minutes,
    "signature presets": () => signaturePresets(signature),
    "signature headers": () => signatureParameters(signature),
  };
  return (placeholder) => {
    const [kind, name = ""] = placeholder.split(" ");
    if (kind === "code") return error_codes[name] ?? name;
    if (kind === "event") return event_names[name] ?? name;
    const value = values[placeholder];
    if (value === undefined) throw new Error(`unknown placeholder {{${placeholder}}}`);
    return value();
  };
}

/** Requires `field` if `payment_method` is one of `methods`. */
function requireForMethods(methods: readonly string[], field: string): OpenApiJson[] {
  return methods.length === 0
    ? []
    : [requiredIf({ payment_method: { enum: methods } }, "payment_method", [field])];
}

/** Replaces all placeholders in a document, or in a part of one. */
export function fillPlaceholders<Part>(part: Part, facts: PlaceholderLookup): Part {
  return fillPart(part, facts) as Part;
}

const PLACEHOLDER = /\{\{([^{}]+)\}\}/g;

function fillPart(part: unknown, facts: PlaceholderLookup): unknown {
  if (typeof part === "string") {
    if (!part.includes("{{")) return part;
    const [, whole] = /^\{\{([^{}]+)\}\}$/.exec(part) ?? [];
    return whole === undefined
      ? part.replace(PLACEHOLDER, (_all, name: string) => String(facts(name)))
      : facts(whole);
  }
  if (Array.isArray(part)) return part.map((one) => fillPart(one, facts));
  if (typeof part !== "object" || part === null) return part;
  return Object.fromEntries(
    Object.entries(part)
      .map(([name, value]) => [String(fillPart(name, facts)), fillPart(value, facts)] as const)
      .filter(([, value]) => value !== undefined),
  );
}

const DIGEST_BYTES = { sha1: 20, sha256: 32, sha512: 64 } as const;
const EXAMPLE = { id: "evt_bf97a3a164010d696c2bec1f", timestamp: "1769850005" };

/** The signature headers, as parameters of a webhook request. */
function signatureParameters(signature: Signature): OpenApiJson[] {
  const scheme = resolveSignatureScheme(signature);
  const values = { ...EXAMPLE, signatures: scheme.signatureFormat.replace("{signature}", exampleOf(scheme)) };
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
function signaturePresets(signature: Signature): string {
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
  const { algorithm, encoding, payload, key, signatureFormat, signatureSeparator } = scheme;
  if (algorithm === null)
    return "The endpoint's secret itself. It does not cover the body and cannot expose replays.";
  const time = template.includes("{timestamp}") ? "Wall time of this attempt in seconds, then " : "";
  const before = signatureFormat.replace("{signature}", "");
  const start = before === "" ? "the" : `\`${before}\` and the`;
  const keyed = key === "base64" ? "the decoded part of the secret after `whsec_`" : "the secret's text";
  const text = `${time}${start} HMAC-${algorithm.toUpperCase()} of \`${payload}\` in ${encoding}, keyed with ${keyed}.`;
  const sentence = `${text[0]!.toUpperCase()}${text.slice(1)}`;
  if (signatureSeparator === null) return sentence;
  const gap = signatureSeparator === " " ? "a space" : `\`${signatureSeparator}\``;
  return `${sentence} Two of them, ${gap} between, while a secret is being rotated.`;
}

/** A well-formed signature that matches no event. */
function exampleOf({ algorithm, encoding }: SignatureScheme): string {
  if (algorithm === null) return "my-secret-hash";
  return Buffer.alloc(DIGEST_BYTES[algorithm], "a signature, only a sample").toString(encoding);
}
