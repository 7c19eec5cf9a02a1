import * as z from "zod/mini";
import { issueMessage, issuePath } from "./issues.js";
import { atMost, minLength } from "./lengths.js";
import { closedShape, field, inWords, named } from "./words.js";

export const SIGNATURE_ALGORITHMS = ["sha256", "sha512", "sha1"] as const;
export const SIGNATURE_ENCODINGS = ["hex", "base64"] as const;
export const SIGNED_PAYLOADS = ["body", "timestamp.body", "id.timestamp.body"] as const;

/**
 * How events are signed. `{id}`, `{timestamp}` (seconds of wall time), `{signature}` and, in `headers`,
 * `{signatures}` are filled in.
 */
export interface SignatureScheme {
  /** Null: the secret itself is sent, and nothing is computed of the event. */
  readonly algorithm: (typeof SIGNATURE_ALGORITHMS)[number] | null;
  readonly encoding: (typeof SIGNATURE_ENCODINGS)[number];
  readonly payload: (typeof SIGNED_PAYLOADS)[number];
  /** What of the secret is the key: all of it as text, or the bytes its base64 after `whsec_` stands for. */
  readonly key: "text" | "base64";
  /** How one signature is written. */
  readonly each: string;
  /** What stands between the signatures of two secrets; null where there is room for one only. */
  readonly between: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

const STANDARD = {
  algorithm: "sha256",
  encoding: "base64",
  payload: "id.timestamp.body",
  key: "base64",
  each: "v1,{signature}",
  between: " ",
} as const;
const HEX_OF_BODY = {
  algorithm: "sha256",
  encoding: "hex",
  payload: "body",
  key: "text",
  each: "{signature}",
  between: null,
} as const;

/** The presets: all there is to know of one is its row. */
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
    each: "v1={signature}",
    between: ",",
    headers: { "stripe-signature": "t={timestamp},{signatures}" },
  },
  paystack: { ...HEX_OF_BODY, algorithm: "sha512", headers: { "x-paystack-signature": "{signatures}" } },
  /** Flutterwave's v3: the secret hash as it is. It says nothing of the body, and a replay looks like the first. */
  flutterwave: { ...HEX_OF_BODY, algorithm: null, headers: { "verif-hash": "{signatures}" } },
  "generic-hex": { ...HEX_OF_BODY, headers: { "x-webhook-signature": "{signatures}" } },
  none: { ...HEX_OF_BODY, algorithm: null, headers: {} },
} as const satisfies Readonly<Record<string, SignatureScheme>>;

/** A way of signing that is known by name; `"standard"` is Standard Webhooks. */
export type SignaturePreset = keyof typeof SIGNATURE_SCHEMES;
export const SIGNATURE_PRESETS = Object.keys(SIGNATURE_SCHEMES) as [SignaturePreset, ...SignaturePreset[]];

/** Headers every delivery has anyway, or that are the connection's. */
const TAKEN_HEADERS = [
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
    (name) => !TAKEN_HEADERS.includes(name.toLowerCase()),
    "must not be a header every delivery has anyway",
  ),
);

/** A scheme of the user's own: an HMAC in a header. */
export interface CustomSignature {
  /** The header the signature is sent in. */
  header: string;
  /** What the HMAC is made with; its key is the secret as text. */
  algorithm: "sha256" | "sha512" | "sha1";
  /** How its bytes are written. */
  encoding: "base64" | "hex";
  /** Stands before the signature, such as `"sha256="`; default: nothing. */
  prefix?: string | undefined;
  /** What is signed; default `"body"`. */
  payload?: "body" | "timestamp.body" | "id.timestamp.body" | undefined;
  /** Where the timestamp is sent; if it is signed and no name is given, in `webhook-timestamp`. */
  timestamp_header?: string | undefined;
}

const prefixSchema = z
  .string()
  .check(z.regex(/^[ -z|~]{0,100}$/, "must be at most 100 printable ASCII characters without braces"));

export const customSignatureSchema = closedShape("CustomSignature", "A signature scheme of your own.", {
  header: field(headerSchema, "Where the signature is sent."),
  algorithm: field(z.enum(SIGNATURE_ALGORITHMS), "The hash of the HMAC."),
  encoding: field(z.enum(SIGNATURE_ENCODINGS), "How the signature is written."),
  prefix: field(z.optional(prefixSchema), { says: "Stands before it.", examples: ["sha256="] }),
  payload: field(z.optional(z.enum(SIGNED_PAYLOADS)), "What is signed; the body without it."),
  timestamp_header: field(z.optional(headerSchema), "Where the timestamp is sent."),
}) satisfies z.ZodMiniType<CustomSignature>;

/** A preset's name, or a scheme of the user's own. */
export type Signature = SignaturePreset | CustomSignature;

export const signatureSchema = named(
  "Signature",
  `How events are signed: ${inWords(SIGNATURE_PRESETS)}, or a scheme of your own.`,
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

/** The scheme a name or an object stands for. */
export function signatureScheme(signature: Signature): SignatureScheme {
  if (typeof signature === "string") return SIGNATURE_SCHEMES[signature];
  const { header, algorithm, encoding, prefix = "", payload = "body" } = signature;
  const timestampHeader =
    signature.timestamp_header ?? (payload === "body" ? undefined : "webhook-timestamp");
  return {
    algorithm,
    encoding,
    payload,
    key: "text",
    each: `${prefix}{signature}`,
    between: null,
    headers: {
      ...(payload === "id.timestamp.body" ? { "webhook-id": "{id}" } : {}),
      ...(timestampHeader === undefined ? {} : { [timestampHeader]: "{timestamp}" }),
      [header]: "{signatures}",
    },
  };
}

const STANDARD_SECRET = /^whsec_[A-Za-z0-9+/]{22,}={0,2}$/;
const STANDARD_SECRET_MESSAGE = "must be whsec_ and at least 16 bytes in base64";

/** A secret that does for every scheme. */
export const secretSchema = z.string().check(z.regex(STANDARD_SECRET, STANDARD_SECRET_MESSAGE));

/** Any secret a header can carry; what a scheme asks of it besides tells `secretFault`. */
export const anySecretSchema = z
  .string()
  .check(
    minLength(1, "must not be empty"),
    atMost(500),
    z.regex(/^[!-~]*$/, "must be printable ASCII without spaces"),
  );

/** What keeps a scheme from using a secret: Standard Webhooks and svix need key bytes, the others take any text. */
export function secretFault(signature: Signature | undefined, secret: string): string | undefined {
  if (signatureScheme(signature ?? "standard").key === "text" || STANDARD_SECRET.test(secret))
    return undefined;
  return STANDARD_SECRET_MESSAGE;
}

export interface Secrets {
  /** What signs unless an endpoint has its own. */
  readonly webhook_secret: string;
  /** How events are signed unless an endpoint has its own way. */
  readonly signature: Signature | undefined;
  readonly webhooks: readonly {
    readonly secret?: string | undefined;
    readonly signature?: Signature | undefined;
  }[];
}

/** The secrets that cannot be used as they would be, with the path of each. The rule of options and namespaces. */
export function secretFaults({ webhook_secret, signature, webhooks }: Secrets) {
  const uses = [
    { path: ["webhook_secret"], secret: webhook_secret, signature },
    ...webhooks.flatMap((one, index) =>
      one.secret === undefined && one.signature === undefined
        ? []
        : [
            {
              path: ["webhooks", index, "secret"],
              secret: one.secret ?? webhook_secret,
              signature: one.signature ?? signature,
            },
          ],
    ),
  ];
  return uses.flatMap((use) => {
    const message = secretFault(use.signature, use.secret);
    return message === undefined ? [] : [{ path: use.path, input: use.secret, message }];
  });
}
