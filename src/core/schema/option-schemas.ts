import * as z from "zod/mini";
import { modeSchema, percentSchema } from "./common.js";
import { closedShape, exactlyOneOf, field, fieldsOf, pickFields } from "./descriptions.js";
import { withNameKind } from "./name-kinds.js";
import { normalizeWebhookUrl, WEBHOOK_URL_MESSAGE } from "./receiver-url.js";
import { charactersAtMost, eventGlobsSchema, MAX_LENGTHS, minLength } from "./schema-checks.js";
import { anySecretSchema, signatureSchema } from "./signature-schemes.js";
import { durationSchema, instantErrorMessage, parseInstant } from "./time.js";

export { normalizeWebhookUrl, WEBHOOK_URL_MESSAGE } from "./receiver-url.js";
export { standardSecretSchema as secretSchema } from "./signature-schemes.js";

export const DEFAULT_PORT = 4402;
export const DEFAULT_HOST = "127.0.0.1";
/** Not confidential: the documentation shows it. */
export const DEFAULT_WEBHOOK_SECRET = "whsec_cGF5bWVudHMtc2FuZGJveC1kZWZhdWx0LXNlY3JldCE=";
export const DEFAULT_API_KEY = "sk_test_sandbox";
export const DEFAULT_LIVE_API_KEY = "sk_live_sandbox";
/** Default seed of the commands `exec` and `run` and of the library, for repeatable runs. */
export const FIXED_SEED = "payments-sandbox";
export const DEFAULT_RATE_LIMIT = 100;

const CLOCK_MESSAGE = "must be real, manual or a speed such as 60x";
export const clockOptionSchema = z.string().check(
  z.regex(/^(real|manual|(\d{1,7}|\d{1,6}\.\d{1,6})x)$/, { error: CLOCK_MESSAGE, abort: true }),
  z.refine((text) => !/^[0.]+x$/.test(text), CLOCK_MESSAGE),
);

export const nonEmptyTextSchema = z.string().check(minLength(1, "must not be empty"));
export const nonEmptyTextsSchema = z.array(nonEmptyTextSchema);
export const renamesSchema = z.record(z.string(), nonEmptyTextSchema);

const PORT_MESSAGE = "must be a port number from 0 to 65535";
export const portSchema = z.int(PORT_MESSAGE).check(z.gte(0, PORT_MESSAGE), z.lte(65_535, PORT_MESSAGE));

const RATE_LIMIT_MESSAGE = "must be a number from 1, or off";
export const rateLimitSchema = z.union(
  [
    z
      .int()
      .check(z.gte(1, RATE_LIMIT_MESSAGE), z.lte(1_000_000_000, "must be at most 1,000,000,000, or off")),
    z.literal("off"),
  ],
  RATE_LIMIT_MESSAGE,
);

/** An instant; `example` is part of the error message. */
export function instantSchemaWithExample(example: string) {
  return z.string().check(
    z.refine((text) => parseInstant(text) !== undefined, {
      error: ({ input }) => instantErrorMessage(input) ?? `must be an ISO 8601 instant such as ${example}`,
    }),
  );
}
export const instantSchema = instantSchemaWithExample("2026-01-31T09:00:00Z");

export const pathTemplateSchema = z
  .string()
  .check(z.regex(/^\/[A-Za-z0-9/._~%@{}-]*$/, "must be a path such as /v2/charges/{charge_id}"));
export const feePercentsSchema = z.strictObject({
  platform_percent: z.optional(percentSchema),
  gateway_percent: z.optional(percentSchema),
});
const bytesSchema = z.int("must be a whole number").check(z.gte(1_000_000, "must be at least 1000000"));
export const limitsSchema = z.strictObject({
  quote_valid: z.optional(durationSchema),
  quote_locked: z.optional(durationSchema),
  checkout_default_minutes: z.optional(z.int().check(z.gte(1), z.lte(1_440))),
  charges: z.optional(z.int().check(z.gte(1), z.lte(10_000_000))),
  bytes: z.optional(bytesSchema),
});
export const amountsOptionSchema = z.strictObject({
  before_method: z.optional(z.enum(["base", "cheapest", "dearest"])),
});
const countSchema = z
  .int("must be a whole number")
  .check(z.gte(0, "must not be negative"), z.lte(10_000_000));
export const retentionSchema = z.strictObject({
  requests: z.optional(countSchema),
  events: z.optional(countSchema),
  bytes: z.optional(bytesSchema),
});

export const webhookUrlSchema = z.string().check(
  charactersAtMost(MAX_LENGTHS.url),
  z.refine((text) => normalizeWebhookUrl(text) !== undefined, WEBHOOK_URL_MESSAGE),
);

export const unreachableOptionSchema = z.enum(["hold", "fail"]);

/** Names that are valid as file names, for mailboxes, snapshots and scenarios. */
export const fileNameSchema = z
  .string()
  .check(
    z.regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/, "must be letters, digits, dots, dashes and underscores"),
  );

export const DEFAULT_NAMESPACE = "default";
export const namespaceNameSchema = z
  .string()
  .check(
    z.regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, "must be 1 to 63 letters, digits, dashes and underscores"),
  );

export function hasOneTarget({ url, mailbox }: { url?: unknown; mailbox?: unknown }): boolean {
  return (url === undefined) !== (mailbox === undefined);
}
export const ONE_TARGET_MESSAGE = "needs a url or a mailbox";

export const webhookOptionSchema = closedShape(
  "WebhookOption",
  { description: "A receiver: a URL or a mailbox.", jsonSchema: exactlyOneOf("url", "mailbox") },
  {
    url: field(
      z.optional(webhookUrlSchema),
      "The receiver; a missing scheme means http. In a namespace `{namespace}` is filled in at the start only.",
    ),
    mailbox: field(
      z.optional(fileNameSchema),
      "Instead of a URL: deliveries are kept under this name until they are collected.",
    ),
    mode: field(z.optional(modeSchema), "The mode it receives events of; by default the key's, else test."),
    events: field(
      withNameKind("event name", z.optional(eventGlobsSchema)),
      "Event types to receive, as globs; by default all. A glob that matches no known type needs `force`.",
      { examples: [["charge.*"]] },
    ),
    force: field(z.optional(z.boolean()), "Allows types of your own, which are triggered with `force` too."),
    secret: field(z.optional(anySecretSchema), "The signing secret; by default the namespace's."),
    signature: field(
      z.optional(signatureSchema),
      "How its events are signed; by default as set for the server.",
    ),
    unreachable: field(
      z.optional(unreachableOptionSchema),
      "On a running clock, when nothing listens at the URL: `hold` keeps deliveries until something does, `fail` uses up attempts.",
    ),
  },
  z.refine(hasOneTarget, { error: ONE_TARGET_MESSAGE, path: ["url"] }),
);
/** A receiver of webhooks: a URL or a mailbox. */
export type WebhookOption = z.infer<typeof webhookOptionSchema>;

/** Options of a webhook handler. The handler gets `url` in its Request; nothing is sent to that URL. */
export const webhookHandlerOptionsSchema = closedShape(undefined, "", {
  ...pickFields(fieldsOf(webhookOptionSchema), "events", "force", "mode", "secret", "signature"),
  url: field(
    z.optional(webhookUrlSchema),
    "URL of the requests to the handler, for an app that routes by URL; default `http://localhost/webhooks`.",
  ),
});

export interface ClockSetting {
  readonly mode: "real" | "manual" | "scaled";
  /** Sandbox time per wall time; 1 unless scaled. */
  readonly speed: number;
}

/** Parses `real`, `manual` or `60x`. */
export function parseClockSetting(text: string): ClockSetting {
  if (text === "manual") return { mode: "manual", speed: 1 };
  return runningClockSetting(text === "real" ? 1 : Number.parseFloat(text));
}

export function runningClockSetting(speed: number): ClockSetting {
  return { mode: speed === 1 ? "real" : "scaled", speed };
}
