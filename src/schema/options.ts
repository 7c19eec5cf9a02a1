import * as z from "zod";
import { modeSchema } from "./common.js";
import { durationSchema } from "./duration.js";
import { parseInstant } from "./time.js";
import { signatureSchema } from "./webhooks.js";

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

export const clockOptionSchema = z
  .string()
  .regex(/^(real|manual|(\d{1,7}|\d{1,6}\.\d{1,6})x)$/, "must be real, manual or a speed such as 60x")
  .refine((text) => !/^[0.]+x$/.test(text), "must be real, manual or a speed such as 60x");

export const secretSchema = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{22,}={0,2}$/, "must be whsec_ and at least 16 bytes in base64");

/** A receiver's address; a missing scheme means http. */
export const webhookUrlSchema = z.string().refine((text) => {
  const url = webhookUrl(text);
  return url !== undefined;
}, "must be an http or https URL, such as http://localhost:3000/webhooks");

export function webhookUrl(text: string): string | undefined {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (!/^https?:\/\//i.test(withScheme) || !URL.canParse(withScheme)) return undefined;
  return new URL(withScheme).href;
}

export const webhookOptionSchema = z.strictObject({
  url: webhookUrlSchema,
  mode: modeSchema.optional(),
  events: z.array(z.string().min(1)).min(1).optional(),
  secret: secretSchema.optional(),
  signature: signatureSchema.optional(),
});

/** Every option of `start`, with the name it has in a config file; each has a flag and a variable too. */
export const startOptionsSchema = z.strictObject({
  port: z.int().min(0).max(65_535).optional(),
  host: z.string().min(1).optional(),
  public_url: z.url({ protocol: /^https?$/, error: "must be an http or https URL" }).optional(),
  allowed_host: z.array(z.string().min(1)).optional(),
  fixtures: z.string().min(1).optional(),
  scenario: z.array(z.string().min(1)).optional(),
  data: z.string().min(1).optional(),
  fsync: z.boolean().optional(),
  webhook_url: z.array(webhookUrlSchema).optional(),
  webhooks: z.array(webhookOptionSchema).optional(),
  webhook_secret: secretSchema.optional(),
  webhook_timeout: durationSchema.optional(),
  clock: clockOptionSchema.optional(),
  start_time: z
    .string()
    .refine(
      (text) => parseInstant(text) !== undefined,
      "must be an ISO 8601 instant such as 2026-01-31T09:00:00Z",
    )
    .optional(),
  seed: z.string().min(1).max(200).optional(),
  rate_limit: z.union([z.int().min(1).max(1_000_000_000), z.literal("off")]).optional(),
  control_token: z.string().min(1).optional(),
  json: z.boolean().optional(),
  quiet: z.boolean().optional(),
});
export type StartOptions = z.infer<typeof startOptionsSchema>;

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
