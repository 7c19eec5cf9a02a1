import * as z from "zod/mini";
import { httpUrlSchema, modeSchema, percentSchema, rateSchema } from "./common.js";
import { durationSchema } from "./duration.js";
import { ERROR_STATUS } from "./errors.js";
import { EVENT_TYPES, unknownEventType } from "./event-types.js";
import { eventGlobsSchema } from "./globs.js";
import { atMost, entriesAtMost, LONGEST, minLength } from "./lengths.js";
import { nearest } from "./nearest.js";
import { WEBHOOK_URL_MESSAGE, webhookUrl } from "./receiver-url.js";
import { parseInstant } from "./time.js";
import { anySecretSchema, secretFaults, signatureSchema } from "./webhooks.js";

export { WEBHOOK_URL_MESSAGE, webhookUrl } from "./receiver-url.js";
export { secretSchema } from "./webhooks.js";

/** Where the server listens unless told otherwise. */
export const DEFAULT_PORT = 4402;
export const DEFAULT_HOST = "127.0.0.1";
/** The documented constant every webhook is signed with unless told otherwise. */
export const DEFAULT_WEBHOOK_SECRET = "whsec_cGF5bWVudHMtc2FuZGJveC1kZWZhdWx0LXNlY3JldCE=";
export const DEFAULT_API_KEY = "sk_test_sandbox";
export const DEFAULT_LIVE_API_KEY = "sk_live_sandbox";
/** The seed where runs shall repeat themselves without being told to: exec, run, the library. */
export const FIXED_SEED = "payments-sandbox";
export const DEFAULT_RATE_LIMIT = 100;

const RATE_LIMIT_MESSAGE = "must be a number from 1, or off";
const CLOCK_MESSAGE = "must be real, manual or a speed such as 60x";
export const clockOptionSchema = z.string().check(
  z.regex(/^(real|manual|(\d{1,7}|\d{1,6}\.\d{1,6})x)$/, { error: CLOCK_MESSAGE, abort: true }),
  z.refine((text) => !/^[0.]+x$/.test(text), CLOCK_MESSAGE),
);

/** A receiver's address; a missing scheme means http. */
export const webhookUrlSchema = z.string().check(
  atMost(LONGEST.url),
  z.refine((text) => webhookUrl(text) !== undefined, WEBHOOK_URL_MESSAGE),
);

const textSchema = z.string().check(minLength(1, "must not be empty"));
const textsSchema = z.array(textSchema);

export const unreachableSchema = z.enum(["hold", "fail"]);

/** Names a mailbox: deliveries wait there to be collected over the control API. */
export const mailboxSchema = z
  .string()
  .check(
    z.regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/, "must be letters, digits, dots, dashes and underscores"),
  );

export const webhookOptionShape = {
  url: z.optional(webhookUrlSchema),
  mailbox: z.optional(mailboxSchema),
  mode: z.optional(modeSchema),
  events: z.optional(eventGlobsSchema),
  secret: z.optional(anySecretSchema),
  signature: z.optional(signatureSchema),
  unreachable: z.optional(unreachableSchema),
};

export function hasOneTarget({
  url,
  mailbox,
}: {
  url?: string | undefined;
  mailbox?: string | undefined;
}): boolean {
  return (url === undefined) !== (mailbox === undefined);
}
export const ONE_TARGET_MESSAGE = "needs a url or a mailbox";

export const webhookOptionSchema = z
  .strictObject(webhookOptionShape)
  .check(z.refine(hasOneTarget, { error: ONE_TARGET_MESSAGE, path: ["url"] }));

/** A function of this process that hears webhooks; the URL is the one its requests say. */
export const webhookHandlerSchema = z.strictObject({
  url: webhookOptionShape.url,
  mode: webhookOptionShape.mode,
  events: webhookOptionShape.events,
  secret: webhookOptionShape.secret,
  signature: webhookOptionShape.signature,
});

const percentsSchema = z.strictObject({
  platform_percent: z.optional(percentSchema),
  gateway_percent: z.optional(percentSchema),
});
const countSchema = z
  .int("must be a whole number")
  .check(z.gte(0, "must not be negative"), z.lte(10_000_000));

/** What a user can change of the service itself; config file only (contract section 9). */
const serviceOptions = {
  /** Operation id → path, parameters in braces. */
  paths: z.optional(
    z.record(
      z.string(),
      z
        .string()
        .check(z.regex(/^\/[A-Za-z0-9/._~%@{}-]*$/, "must be a path such as /v2/charges/{charge_id}")),
    ),
  ),
  /** Event type → the name it is sent under. */
  event_names: z.optional(z.record(z.string(), textSchema)),
  signature: z.optional(signatureSchema),
  unreachable: z.optional(unreachableSchema),
  retry_schedule: z.optional(z.array(durationSchema).check(entriesAtMost(100))),
  /** Error code → the text that is sent in its place. */
  error_codes: z.optional(z.record(z.string(), textSchema)),
  /** Method id → percentages of the settlement amount. */
  fees: z.optional(z.record(z.string(), percentsSchema)),
  /** Currency → units for one US dollar. */
  rates: z.optional(z.record(z.string(), rateSchema)),
  limits: z.optional(
    z.strictObject({
      quote_valid: z.optional(durationSchema),
      quote_locked: z.optional(durationSchema),
      checkout_default_minutes: z.optional(z.int().check(z.gte(1), z.lte(1_440))),
    }),
  ),
  retention: z.optional(
    z.strictObject({ requests: z.optional(countSchema), events: z.optional(countSchema) }),
  ),
};

/** Every option of `start`, with the name it has in a config file; each has a flag and a variable too. */
const startOptionsObject = z.strictObject({
  port: z.optional(
    z
      .int("must be a port number from 0 to 65535")
      .check(
        z.gte(0, "must be a port number from 0 to 65535"),
        z.lte(65_535, "must be a port number from 0 to 65535"),
      ),
  ),
  host: z.optional(textSchema),
  public_url: z.optional(httpUrlSchema),
  allowed_host: z.optional(textsSchema),
  fixtures: z.optional(textSchema),
  scenario: z.optional(textsSchema),
  data: z.optional(textSchema),
  fsync: z.optional(z.boolean()),
  webhook_url: z.optional(z.array(webhookUrlSchema)),
  webhooks: z.optional(z.array(webhookOptionSchema)),
  webhook_secret: z.optional(anySecretSchema),
  webhook_timeout: z.optional(durationSchema),
  clock: z.optional(clockOptionSchema),
  start_time: z.optional(
    z
      .string()
      .check(
        z.refine(
          (text) => parseInstant(text) !== undefined,
          "must be an ISO 8601 instant such as 2026-01-31T09:00:00Z",
        ),
      ),
  ),
  seed: z.optional(textSchema.check(atMost(200))),
  rate_limit: z.optional(
    z.union(
      [
        z
          .int()
          .check(z.gte(1, RATE_LIMIT_MESSAGE), z.lte(1_000_000_000, "must be at most 1,000,000,000, or off")),
        z.literal("off"),
      ],
      RATE_LIMIT_MESSAGE,
    ),
  ),
  control_token: z.optional(textSchema),
  auto_namespaces: z.optional(z.boolean()),
  json: z.optional(z.boolean()),
  quiet: z.optional(z.boolean()),
  ...serviceOptions,
});
export type StartOptions = z.infer<typeof startOptionsObject>;

/** Where a sandbox that runs already is to listen. */
export const listenOptionsSchema = z.pick(startOptionsObject, { port: true, host: true });

/** Which secrets will do is a matter of how they are used. */
export const startOptionsSchema = startOptionsObject.check(({ value, issues }) => {
  const known = Object.keys(ERROR_STATUS);
  for (const input of Object.keys(value.error_codes ?? {}))
    if (!known.includes(input)) {
      const near = nearest(input, known);
      const message = `is not an error code${near === undefined ? "" : `; did you mean ${near}?`}`;
      issues.push({ code: "custom", input, path: ["error_codes", input], message });
    }
  for (const input of Object.keys(value.event_names ?? {}))
    if (!EVENT_TYPES.includes(input))
      issues.push({
        code: "custom",
        input,
        path: ["event_names", input],
        message: unknownEventType(input),
      });
  const { webhooks = [], webhook_secret = DEFAULT_WEBHOOK_SECRET, signature } = value;
  for (const fault of secretFaults({ webhook_secret, signature, webhooks }))
    issues.push({ code: "custom", ...fault });
});

/** How a clock goes: standing still, with wall time, or so many times as fast. */
export interface ClockSetting {
  readonly mode: "real" | "manual" | "scaled";
  /** Sandbox milliseconds for one of wall time; 1 unless scaled. */
  readonly speed: number;
}

/** The setting of `real`, `manual` or `60x`. */
export function clockSetting(text: string): ClockSetting {
  if (text === "manual") return { mode: "manual", speed: 1 };
  return runningAt(text === "real" ? 1 : Number.parseFloat(text));
}

export function runningAt(speed: number): ClockSetting {
  return { mode: speed === 1 ? "real" : "scaled", speed };
}
