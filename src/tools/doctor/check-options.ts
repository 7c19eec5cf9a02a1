import * as z from "zod/mini";
import type { ControlClient } from "../../core/client/control-client.js";
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
  /** Address of the app's view of a charge, such as `"GET /orders/{charge_id}"`; default: only responses are judged. */
  readonly observe?: string | undefined;
  /**
   * With `observe`: request that places an order in the app, such as `'POST /orders {"email": "{email}"}'`. The app may
   * create the charge within 5 seconds of its response. Default: the check creates the charges.
   */
  readonly order?: string | undefined;
}

const PLACEHOLDER = /\{([^{}]*)\}/g;
const PLACEHOLDER_NAME = /^(charge_id|checkout_id|metadata\.[\w.-]+)$/;

/** Address of the app's view of a charge: `GET PATH` or a URL, with placeholders. */
const observeSchema = z.string().check(
  z.refine(
    (text) => /^(GET )?(\/|https?:\/\/)\S+$/.test(text),
    "must be GET and a path or URL, as in 'GET /orders/{charge_id}'",
  ),
  z.refine(
    (text) => placeholdersOf(text).every((name) => PLACEHOLDER_NAME.test(name)),
    "knows the placeholders {charge_id}, {checkout_id} and {metadata.KEY} only",
  ),
  z.refine(
    (text) => placeholdersOf(text).length > 0,
    "needs a placeholder that tells charges apart, such as {charge_id}",
  ),
);

/** Placeholder in an order for an email address that no other order has. */
export const EMAIL_PLACEHOLDER = "{email}";

/** Request that places an order in the app: `METHOD PATH BODY`. */
const orderSchema = z
  .string()
  .check(
    z.regex(
      /^[A-Z]+ (\/|https?:\/\/)\S+( .+)?$/s,
      `must be a method, a path or URL, and a body if it has one, as in 'POST /orders {"email": "{email}"}'`,
    ),
  );

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
 * @param nameOf returns the name of an option for messages, such as `--observe`
 * @param sandbox the sandbox that the receiver's app calls
 */
export function readCheckOptions(
  url: string,
  options: CheckWebhookOptions,
  nameOf: (option: string) => string,
  sandbox?: ControlClient,
): ResolvedCheckOptions {
  const checked = safeParse(schema, { ...options, url });
  // Removes a prefix such as `checkWebhook: `: the line of the fault begins with the same prefix.
  const observeName = nameOf("observe").split(": ").at(-1);
  const needsObserve = `creates the charges to observe, so it needs ${observeName}`;
  const faults = checked.ok
    ? [
        ["secret", secretErrorMessage(checked.data.signature, checked.data.secret)],
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
    timeoutMs: durationToMs(timeout),
    userAgent: `payments-sandbox/${packageVersion()} (check-webhook)`,
    wall: systemWallClock,
    seed: generateSeed(),
    observation: observe === undefined || sandbox === undefined ? undefined : { observe, order, sandbox },
  };
}

/** Builds the request for a customer's order; a path is relative to the receiver's host. */
export function buildOrderRequest(
  order: string,
  receiver: string,
  email: string,
): { method: string; url: URL; body: string } {
  const [method, path, ...body] = order.replaceAll(EMAIL_PLACEHOLDER, email).split(" ");
  return { method: method!, url: new URL(path!, receiver), body: body.join(" ") };
}

interface ChargeNames {
  readonly charge_id: string;
  readonly checkout_id: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Metadata keys in the placeholders: `{metadata.order_id}` contains the key `order_id`. */
export function metadataKeysOf(observe: string): string[] {
  return placeholdersOf(observe).flatMap((name) => (name.startsWith("metadata.") ? [name.slice(9)] : []));
}

/** Fills in the placeholders of the address for one charge; a path is relative to the receiver's host. */
export function buildObserveUrl(observe: string, receiver: string, charge: ChargeNames): URL {
  const filled = observe.replace(/^GET /, "").replace(PLACEHOLDER, (_all, name: string) => {
    const { [name]: value } = chargePlaceholderValues(charge);
    return encodeUrlPart(value ?? "");
  });
  return new URL(filled, receiver);
}

/** Keeps `@` and `:`, which URLs allow: an app that does not decode its path knows an e-mail address by its letters. */
function encodeUrlPart(text: string): string {
  return encodeURIComponent(text).replaceAll("%40", "@").replaceAll("%3A", ":");
}

export function chargePlaceholderValues({
  charge_id,
  checkout_id,
  metadata,
}: ChargeNames): Record<string, string> {
  const keys = Object.entries(metadata).map(([key, value]) => [`metadata.${key}`, value]);
  return { charge_id, checkout_id, ...Object.fromEntries(keys) };
}

function placeholdersOf(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!);
}
