import * as z from "zod/mini";
import type { ControlClient } from "../../control-client.js";
import { packageVersion } from "../../core/files/package.js";
import { durationMs, durationSchema } from "../../core/schema/duration.js";
import { check, issueMessage } from "../../core/schema/issues.js";
import { DEFAULT_WEBHOOK_SECRET, webhookUrl, webhookUrlSchema } from "../../core/schema/options.js";
import { UserError } from "../../core/schema/user-error.js";
import { anySecretSchema, type Signature, secretFault, signatureSchema } from "../../core/schema/webhooks.js";
import { madeUpSeed, systemWall } from "../../core/time/wall.js";
import { observeSchema, orderSchema } from "./observation.js";
import type { CheckOptions } from "./session.js";

/** How a receiver is checked. */
export interface CheckWebhookOptions {
  /** The secret the receiver verifies with; default: the sandbox's. */
  readonly secret?: string | undefined;
  /** How its events are signed; default: as the sandbox signs. */
  readonly signature?: Signature | undefined;
  /** Wall time it may take to answer, a duration; default: the sandbox's `webhookTimeout`. */
  readonly timeout?: string | undefined;
  /** Where the app tells how it sees a charge, such as `"GET /orders/{charge_id}"`; default: only answers are looked at. */
  readonly observe?: string | undefined;
  /**
   * With `observe`: how the app is asked for an order, such as `'POST /orders {"email": "{email}"}'`; default: the charges
   * are none of its own.
   */
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
 * Checks what was asked for and fills in the rest. `nameOf` tells what the asker calls an option; `sandbox` is the one
 * the receiver's app works with.
 */
export function readCheckOptions(
  url: string,
  options: CheckWebhookOptions,
  nameOf: (option: string) => string,
  sandbox?: ControlClient,
): CheckOptions {
  const checked = check(schema, { ...options, url });
  // What comes before the name stands at the line's beginning already.
  const eyes = nameOf("observe").split(": ").at(-1);
  const needsEyes = `says how charges are made that are observed: it goes with ${eyes}`;
  const faults = checked.ok
    ? [
        ["secret", secretFault(checked.data.signature, checked.data.secret)],
        ["order", options.observe === undefined && options.order !== undefined ? needsEyes : undefined],
      ]
    : checked.issues.map((issue) => [String(issue.path[0] ?? ""), issueMessage(issue)]);
  const lines = faults
    .filter(([, message]) => message !== undefined)
    .map(([option, message]) => `${option === "" ? "" : `${nameOf(option!)} `}${message}`);
  if (!checked.ok || lines.length > 0) throw new UserError(lines.join("\n"));
  const { secret, signature, timeout, observe, order } = checked.data;
  return {
    url: webhookUrl(url)!,
    secret,
    signature,
    timeoutMs: durationMs(timeout),
    userAgent: `payments-sandbox/${packageVersion()} (check-webhook)`,
    wall: systemWall,
    seed: madeUpSeed(),
    eyes: observe === undefined || sandbox === undefined ? undefined : { observe, order, sandbox },
  };
}
