import type { Context } from "hono";
import { payoutCurrencies } from "../../core/domain/requests/payout-requests.js";
import type { Engine } from "../../core/engine/engine.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { Namespaces } from "../../core/namespace/namespaces.js";
import { markdownCodeList } from "../../core/schema/descriptions.js";
import type { MethodFixture } from "../../core/schema/fixtures-file.js";
import {
  resolveSignatureScheme,
  SIGNATURE_PRESETS,
  SIGNATURE_SCHEMES,
  type Signature,
  type SignatureScheme,
} from "../../core/schema/signature-schemes.js";
import { formatDuration } from "../../core/schema/time.js";
import { parseBearerKey } from "../http/call.js";
import { CompressedText } from "../http/compression.js";
import { replyHeaders, toResponse } from "../http/reply.js";
import { unknownNamespaceReply } from "../service/admit.js";
import { type OpenApiDocument, type OpenApiJson, withCustomPaths, withServer } from "./document.js";

// Serves the OpenAPI documents of both APIs. The build makes each `OpenApiDocument` from operations, schemas and
// recorded examples. `respondWithDocument` fills in the values of a namespace. No request is validated here.

export type ApiName = "service" | "control";

/** Makes or reads the document of an API, with placeholders for the values of a namespace. */
export type DocumentLoader = (api: ApiName) => Promise<OpenApiDocument>;

export interface DocumentOptions {
  readonly namespaces: Namespaces;
  readonly paths: Readonly<Record<string, string>>;
  readonly documentOf: DocumentLoader;
}

export interface FilledDocument {
  readonly name: string;
  readonly nowMs: number;
  /** The public URL, or else the origin of the request. */
  readonly baseUrl: string;
  readonly document: OpenApiDocument;
  readonly fill: (text: string) => string;
}

/** Documents with the values of a namespace, made at the first request. */
const filledDocuments = {
  service: new WeakMap<Engine, OpenApiDocument>(),
  control: new WeakMap<Engine, OpenApiDocument>(),
};

async function filledDocument(
  api: ApiName,
  { namespaces, paths, documentOf }: DocumentOptions,
  { engine }: Namespace,
): Promise<OpenApiDocument> {
  const known = filledDocuments[api].get(engine);
  if (known !== undefined) return known;
  const lookup = createPlaceholderLookup(engine, namespaces.options.base.version);
  const filled = fillPlaceholders(await documentOf(api), lookup);
  const document = api === "service" ? withCustomPaths(paths, filled) : filled;
  filledDocuments[api].set(engine, document);
  return document;
}

/** Responds with the document for the namespace of the request, or with 404 if there is no such namespace. */
export async function respondWithDocument(
  api: ApiName,
  options: DocumentOptions,
  c: Context,
  respond: (
    filled: FilledDocument,
    otherOf: () => Promise<OpenApiDocument>,
    engine: Engine,
  ) => Response | Promise<Response>,
): Promise<Response> {
  const { namespaces } = options;
  const { headers } = c.req.raw;
  const name = headers.get("sandbox-namespace");
  const key = parseBearerKey(headers.get("authorization"));
  const namespace = namespaces.find(name, key);
  if (namespace === undefined)
    return toResponse(unknownNamespaceReply(namespaces, name, key), namespaces.nowMs());
  const document = await filledDocument(api, options, namespace);
  const baseUrl = namespace.publicUrl ?? new URL(c.req.url).origin;
  const { version, webhookTimeoutMs } = namespaces.options.base;
  const lookup = createPlaceholderLookup(namespace.engine, version, webhookTimeoutMs);
  const filled = {
    name: namespace.name,
    nowMs: namespace.nowMs(),
    baseUrl,
    document: withServer(document, baseUrl),
    fill: (text: string) => fillPlaceholders(text, lookup),
  };
  const other = api === "service" ? "control" : "service";
  return respond(filled, () => filledDocument(other, options, namespace), namespace.engine);
}

export function serveDocument(api: ApiName, options: DocumentOptions, c: Context): Promise<Response> {
  return respondWithDocument(api, options, c, ({ document, baseUrl, nowMs }, _other, engine) => {
    const texts = servedTexts[api];
    let served = texts.get(engine);
    if (served?.baseUrl !== baseUrl) {
      served = { baseUrl, text: new CompressedText(JSON.stringify(document)) };
      texts.set(engine, served);
    }
    return served.text.respond(c.req.raw, { ...replyHeaders(nowMs), vary: VARY });
  });
}

/** Request headers on which a document depends. */
const VARY = "accept-encoding, authorization, sandbox-namespace";

/** Texts of the documents for the base URL that was asked for last. */
const servedTexts = {
  service: new WeakMap<Engine, { baseUrl: string; text: CompressedText }>(),
  control: new WeakMap<Engine, { baseUrl: string; text: CompressedText }>(),
};

/**
 * Looks up the value of a placeholder `{{name}}` in the fixtures and settings of a namespace. A text that is only a
 * placeholder becomes the value, of any type. A field with the value undefined is omitted.
 */
export type PlaceholderLookup = (placeholder: string) => unknown;

export function createPlaceholderLookup(
  { catalogue, settings }: Pick<Engine, "catalogue" | "settings">,
  version: string,
  webhookTimeoutMs = 0,
): PlaceholderLookup {
  const { countries, currencies, methods, rails } = catalogue.fixtures;
  const ids = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id);
  const codes = (all: readonly { readonly code: string }[]) => all.map(({ code }) => code);
  const ofKind = (kind: MethodFixture["kind"]) => ids(methods.filter((method) => method.kind === kind));
  const { limits, signature, error_codes, event_names, retry_schedule_ms } = settings;
  const decimals = Math.max(0, ...currencies.map((currency) => currency.decimals));
  const values: Readonly<Record<string, () => unknown>> = {
    version: () => version,
    "currencies in words": () => markdownCodeList(codes(currencies)),
    "some currencies": () => codes(currencies).slice(0, 4),
    "payout currencies": () => codes(payoutCurrencies(catalogue)),
    "methods in words": () => markdownCodeList(ids(methods)),
    methods: () => ids(methods),
    "two methods": () => ids(methods).slice(0, 2),
    "some rails": () => ids(rails).slice(0, 3),
    "a mobile money method": () => oneOfMethods(ofKind("mobile_money")),
    "a bank transfer method": () => oneOfMethods(ofKind("bank_transfer")),
    fraction: () => (decimals === 0 ? "" : `(\\.\\d{1,${decimals}})?`),
    "country calling codes": () => countries.map(({ dialling_code }) => dialling_code.slice(1)).join("|"),
    "quote valid": () => formatDuration(limits.quote_valid_ms),
    "quote locked": () => formatDuration(limits.quote_locked_ms),
    "checkout minutes": () => limits.checkout_default_minutes,
    "signature presets": () => signaturePresets(signature),
    "signature headers": () => signatureParameters(signature),
    "signature scheme": () => (typeof signature === "string" ? signature : "custom"),
    "webhook timeout": () => formatDuration(webhookTimeoutMs),
    "retry schedule": () => retry_schedule_ms.map(formatDuration).join(", "),
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

/** JSON Schema of one of the methods. An `enum` must not be empty. */
function oneOfMethods(methods: readonly string[]): OpenApiJson {
  return methods.length === 0 ? { not: {} } : { enum: methods };
}

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
