import * as z from "zod/mini";
import { closedShape, field, markdownCodeList, namedSchema } from "./descriptions.js";
import { issueMessage, issuePath } from "./issues.js";
import { nonEmptyText } from "./schema-checks.js";

const SIGNATURE_ALGORITHMS = ["sha256", "sha512", "sha1"] as const;
const SIGNATURE_ENCODINGS = ["hex", "base64"] as const;
const SIGNED_PAYLOADS = ["body", "timestamp.body", "id.timestamp.body"] as const;

/**
 * How events are signed. `{id}`, `{timestamp}` (seconds of wall time), `{signature}` and, in `headers`,
 * `{signatures}` are filled in.
 */
export interface SignatureScheme {
  /** Null: the secret itself is sent as the signature. */
  readonly algorithm: (typeof SIGNATURE_ALGORITHMS)[number] | null;
  readonly encoding: (typeof SIGNATURE_ENCODINGS)[number];
  readonly payload: (typeof SIGNED_PAYLOADS)[number];
  /** How the secret becomes the HMAC key: as text, or decoded from the base64 after `whsec_`. */
  readonly key: "text" | "base64";
  readonly signatureFormat: string;
  /** Separator of the signatures of two secrets; null if only one signature is sent. */
  readonly signatureSeparator: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

const STANDARD = {
  algorithm: "sha256",
  encoding: "base64",
  payload: "id.timestamp.body",
  key: "base64",
  signatureFormat: "v1,{signature}",
  signatureSeparator: " ",
} as const;
const HEX_OF_BODY = {
  algorithm: "sha256",
  encoding: "hex",
  payload: "body",
  key: "text",
  signatureFormat: "{signature}",
  signatureSeparator: null,
} as const;

export const SIGNATURE_SCHEMES = {
  standard: {
    ...STANDARD,
    headers: {
      "webhook-id": "{id}",
      "webhook-timestamp": "{timestamp}",
      "webhook-signature": "{signatures}",
    },
  },
  svix: {
    ...STANDARD,
    headers: { "svix-id": "{id}", "svix-timestamp": "{timestamp}", "svix-signature": "{signatures}" },
  },
  stripe: {
    ...HEX_OF_BODY,
    payload: "timestamp.body",
    signatureFormat: "v1={signature}",
    signatureSeparator: ",",
    headers: { "stripe-signature": "t={timestamp},{signatures}" },
  },
  paystack: { ...HEX_OF_BODY, algorithm: "sha512", headers: { "x-paystack-signature": "{signatures}" } },
  /** Flutterwave v3 sends the secret itself, which protects neither against a changed body nor against replays. */
  flutterwave: { ...HEX_OF_BODY, algorithm: null, headers: { "verif-hash": "{signatures}" } },
  "generic-hex": { ...HEX_OF_BODY, headers: { "x-webhook-signature": "{signatures}" } },
  none: { ...HEX_OF_BODY, algorithm: null, headers: {} },
} as const satisfies Readonly<Record<string, SignatureScheme>>;

/** A signature scheme by name; `"standard"` is Standard Webhooks. */
export type SignaturePreset = keyof typeof SIGNATURE_SCHEMES;
export const SIGNATURE_PRESETS = Object.keys(SIGNATURE_SCHEMES) as [SignaturePreset, ...SignaturePreset[]];

/** Headers that every delivery or connection already has. */
const RESERVED_HEADERS = [
  "connection",
  "content-length",
  "content-type",
  "host",
  "transfer-encoding",
  "user-agent",
];
const headerSchema = z.string().check(
  z.regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, "must be the name of a header, such as X-Signature"),
  z.refine(
    (name) => !RESERVED_HEADERS.includes(name.toLowerCase()),
    "must not be a header that every delivery already has",
  ),
);

const prefixSchema = z
  .string()
  .check(z.regex(/^[ -z|~]{0,100}$/, "must be at most 100 printable ASCII characters without braces"));

export const customSignatureSchema = closedShape("CustomSignature", "A signature scheme of your own.", {
  header: field(headerSchema, "Where the signature is sent."),
  algorithm: field(z.enum(SIGNATURE_ALGORITHMS), "The hash of the HMAC."),
  encoding: field(z.enum(SIGNATURE_ENCODINGS), "How the signature is written."),
  prefix: field(z.optional(prefixSchema), "Text before the signature.", { examples: ["sha256="] }),
  payload: field(z.optional(z.enum(SIGNED_PAYLOADS)), "What is signed; by default the body."),
  timestamp_header: field(
    z.optional(headerSchema),
    "Where the timestamp is sent; by default `webhook-timestamp` if it is signed, else nowhere.",
  ),
});
/** A custom signature scheme: an HMAC in a header. */
export type CustomSignature = z.infer<typeof customSignatureSchema>;

/** A preset's name, or a custom scheme. */
export type Signature = SignaturePreset | CustomSignature;

export const signatureSchema = namedSchema(
  "Signature",
  `How events are signed: ${markdownCodeList(SIGNATURE_PRESETS)}, or a scheme of your own.`,
  z.union([z.enum(SIGNATURE_PRESETS), customSignatureSchema], {
    error: ({ input, errors }) =>
      typeof input === "object" && input !== null && !Array.isArray(input)
        ? (errors as z.core.$ZodIssue[][])[1]!
            .map((issue) => `${issue.path.length === 0 ? "" : `${issuePath(issue)} `}${issueMessage(issue)}`)
            .join("; ")
        : input === undefined
          ? "is required"
          : `must be one of ${SIGNATURE_PRESETS.join(", ")}, or an object with header, algorithm and encoding`,
  }),
) satisfies z.ZodMiniType<Signature>;

export function resolveSignatureScheme(signature: Signature): SignatureScheme {
  if (typeof signature === "string") return SIGNATURE_SCHEMES[signature];
  const { header, algorithm, encoding, prefix = "", payload = "body" } = signature;
  const timestampHeader =
    signature.timestamp_header ?? (payload === "body" ? undefined : "webhook-timestamp");
  return {
    algorithm,
    encoding,
    payload,
    key: "text",
    signatureFormat: `${prefix}{signature}`,
    signatureSeparator: null,
    headers: {
      ...(payload === "id.timestamp.body" ? { "webhook-id": "{id}" } : {}),
      ...(timestampHeader === undefined ? {} : { [timestampHeader]: "{timestamp}" }),
      [header]: "{signatures}",
    },
  };
}

const STANDARD_SECRET = /^whsec_[A-Za-z0-9+/]{22,}={0,2}$/;
const STANDARD_SECRET_MESSAGE = "must be whsec_ and at least 16 bytes in base64";

/** A secret valid for every scheme. */
export const standardSecretSchema = z.string().check(z.regex(STANDARD_SECRET, STANDARD_SECRET_MESSAGE));

/** Any secret a header can carry; `secretErrorMessage` checks it against a scheme. */
export const anySecretSchema = nonEmptyText(500).check(
  z.regex(/^[!-~]*$/, "must be printable ASCII without spaces"),
);

/** Error message if a scheme cannot use a secret: Standard Webhooks and svix need base64 key bytes. */
export function secretErrorMessage(signature: Signature | undefined, secret: string): string | undefined {
  if (resolveSignatureScheme(signature ?? "standard").key === "text" || STANDARD_SECRET.test(secret))
    return undefined;
  return STANDARD_SECRET_MESSAGE;
}

interface SigningOptions {
  readonly webhook_secret: string;
  readonly signature: Signature | undefined;
  readonly webhooks: readonly {
    readonly secret?: string | undefined;
    readonly signature?: Signature | undefined;
  }[];
}

/** Errors of secrets that do not fit their signature scheme, in options and namespace requests. */
export function secretFaults({ webhook_secret, signature, webhooks }: SigningOptions) {
  const uses = [
    { path: ["webhook_secret"], secret: webhook_secret, signature, isInherited: false },
    ...webhooks.map((webhook, index) => ({
      path: ["webhooks", index, "secret"],
      secret: webhook.secret ?? webhook_secret,
      signature: webhook.signature ?? signature,
      isInherited: webhook.secret === undefined && webhook.signature === undefined,
    })),
  ].filter((use) => !use.isInherited);
  return uses.flatMap((use) => {
    const message = secretErrorMessage(use.signature, use.secret);
    return message === undefined ? [] : [{ path: use.path, input: use.secret, message }];
  });
}
