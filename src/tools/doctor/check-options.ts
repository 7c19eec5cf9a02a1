import * as z from "zod/mini";
import { packageVersion } from "../../core/files/package.js";
import { issueMessage, safeParse } from "../../core/schema/issues.js";
import {
  DEFAULT_WEBHOOK_SECRET,
  normalizeWebhookUrl,
  webhookUrlSchema,
} from "../../core/schema/option-schemas.js";
import {
  anySecretSchema,
  type Signature,
  secretErrorMessage,
  signatureSchema,
} from "../../core/schema/signature-schemes.js";
import { durationSchema, durationToMs } from "../../core/schema/time.js";
import { UserError } from "../../core/schema/user-error.js";
import { generateSeed, systemWallClock } from "../../core/time/wall-clock.js";
import type { ResolvedCheckOptions } from "./probe-session.js";

/** Options of a receiver check. */
export interface CheckWebhookOptions {
  /** Secret the receiver verifies with; default: the sandbox's. */
  readonly secret?: string | undefined;
  /** Signature scheme of the events; default: the sandbox's. */
  readonly signature?: Signature | undefined;
  /** Timeout of a response, a duration of wall time; default: that of the sandbox. */
  readonly timeout?: string | undefined;
}

const schema = z.strictObject({
  url: webhookUrlSchema,
  secret: z._default(anySecretSchema, DEFAULT_WEBHOOK_SECRET),
  signature: z._default(signatureSchema, "standard"),
  timeout: z._default(
    durationSchema.check(z.refine((text) => !/^[0.]*[a-z]+$/.test(text), "must be more than nothing")),
    "15s",
  ),
});

/** @throws UserError with a line for each invalid option, which begins with its name from `nameOf` */
export function readCheckOptions(
  url: string,
  options: CheckWebhookOptions,
  nameOf: (option: string) => string,
): ResolvedCheckOptions {
  const checked = safeParse(schema, { ...options, url });
  const faults = checked.ok
    ? [["secret", secretErrorMessage(checked.data.signature, checked.data.secret)]]
    : checked.issues.map((issue) => [String(issue.path[0] ?? ""), issueMessage(issue)]);
  const lines = faults
    .filter(([, message]) => message !== undefined)
    .map(([option, message]) => `${option === "" ? "" : `${nameOf(option!)} `}${message}`);
  if (!checked.ok || lines.length > 0) throw new UserError(lines.join("\n"));
  const { secret, signature, timeout } = checked.data;
  return {
    url: normalizeWebhookUrl(url)!,
    secret,
    signature,
    timeoutMs: durationToMs(timeout),
    userAgent: `payments-sandbox/${packageVersion()} (check-webhook)`,
    wall: systemWallClock,
    seed: generateSeed(),
  };
}
