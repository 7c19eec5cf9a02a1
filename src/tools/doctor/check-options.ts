import * as z from "zod/mini";
import type { ControlClient } from "../../control-client.js";
import { packageVersion } from "../../core/files/package.js";
import { durationMs, durationSchema } from "../../core/schema/duration.js";
import { issueMessage, safeParse } from "../../core/schema/issues.js";
import {
  DEFAULT_WEBHOOK_SECRET,
  normalizeWebhookUrl,
  webhookUrlSchema,
} from "../../core/schema/option-schemas.js";
import {
  anySecretSchema,
  type Signature,
  secretFault,
  signatureSchema,
} from "../../core/schema/signature-schemes.js";
import { UserError } from "../../core/schema/user-error.js";
import { generateSeed, systemWallClock } from "../../core/time/wall-clock.js";
import { observeSchema, orderSchema } from "./observe-options.js";
import type { CheckOptions } from "./probe-session.js";

/** Options of a receiver check. */
export interface CheckWebhookOptions {
  /** Secret the receiver verifies with; default: the sandbox's. */
  readonly secret?: string | undefined;
  /** Signature scheme of the events; default: the sandbox's. */
  readonly signature?: Signature | undefined;
  /** Timeout of a response, a duration of wall time; default: the sandbox's `webhookTimeout`. */
  readonly timeout?: string | undefined;
  /** Address of the app's view of a charge, such as `"GET /orders/{charge_id}"`; default: only responses are judged. */
  readonly observe?: string | undefined;
  /** With `observe`: request that places an order in the app, such as `'POST /orders {"email": "{email}"}'`; default: the check creates the charges. */
  readonly order?: string | undefined;
}

const schema = z.strictObject({
  url: webhookUrlSchema,
  secret: z._default(anySecretSchema, DEFAULT_WEBHOOK_SECRET),
  signature: z._default(signatureSchema, "standard"),
  timeout: z._default(
    durationSchema.check(z.refine((text) => !/^[0.]*[a-z]+$/.test(text), "must be more than nothing")),
    "15s",
  ),
  observe: z.optional(observeSchema),
  order: z.optional(orderSchema),
});

/**
 * Validates the options and fills in defaults. Throws a UserError with a line for each invalid option.
 *
 * @param nameOf returns the caller's name of an option
 * @param sandbox the sandbox the receiver's app works with
 */
export function readCheckOptions(
  url: string,
  options: CheckWebhookOptions,
  nameOf: (option: string) => string,
  sandbox?: ControlClient,
): CheckOptions {
  const checked = safeParse(schema, { ...options, url });
  // The line begins with the prefix already.
  const observeName = nameOf("observe").split(": ").at(-1);
  const needsObserve = `creates the charges to observe, so it needs ${observeName}`;
  const faults = checked.ok
    ? [
        ["secret", secretFault(checked.data.signature, checked.data.secret)],
        ["order", options.observe === undefined && options.order !== undefined ? needsObserve : undefined],
      ]
    : checked.issues.map((issue) => [String(issue.path[0] ?? ""), issueMessage(issue)]);
  const lines = faults
    .filter(([, message]) => message !== undefined)
    .map(([option, message]) => `${option === "" ? "" : `${nameOf(option!)} `}${message}`);
  if (!checked.ok || lines.length > 0) throw new UserError(lines.join("\n"));
  const { secret, signature, timeout, observe, order } = checked.data;
  return {
    url: normalizeWebhookUrl(url)!,
    secret,
    signature,
    timeoutMs: durationMs(timeout),
    userAgent: `payments-sandbox/${packageVersion()} (check-webhook)`,
    wall: systemWallClock,
    seed: generateSeed(),
    observation: observe === undefined || sandbox === undefined ? undefined : { observe, order, sandbox },
  };
}
