import * as z from "zod/mini";
import { httpUrlSchema, rateSchema } from "./common.js";
import { SERVICE_EVENT_TYPES, unknownEventTypeMessage } from "./event-types.js";
import { didYouMean } from "./nearest.js";
import {
  amountsOptionSchema,
  clockOptionSchema,
  DEFAULT_HOST,
  DEFAULT_PORT,
  DEFAULT_RATE_LIMIT,
  DEFAULT_WEBHOOK_SECRET,
  feePercentsSchema,
  instantSchema,
  limitsSchema,
  nonEmptyTextSchema,
  nonEmptyTextsSchema,
  pathTemplateSchema,
  portSchema,
  rateLimitSchema,
  renamesSchema,
  retentionSchema,
  unreachableOptionSchema,
  webhookOptionSchema,
  webhookUrlSchema,
} from "./option-schemas.js";
import { ERROR_STATUS } from "./refusals.js";
import { charactersAtMost, entriesAtMost } from "./schema-checks.js";
import { anySecretSchema, SIGNATURE_PRESETS, secretFaults, signatureSchema } from "./signature-schemes.js";
import { durationSchema } from "./time.js";
import { wireRuleSchema } from "./wire-rules.js";

/** Groups of options, in the order of the file that `init` writes. */
export const OPTION_TOPICS = [
  "address",
  "callers",
  "state",
  "chance",
  "time",
  "webhooks",
  "scenarios",
  "prices",
  "wire",
  "output",
] as const;

/** An option. Its key in the table is its config key; the environment variable is derived from it. */
export interface OptionRow {
  /** Schema of the value in a config file. */
  readonly schema: z.ZodMiniType;
  readonly topic: (typeof OPTION_TOPICS)[number];
  /** Command-line flags; absent if only a config file has the option. */
  readonly flags?: string;
  /** Type to which the text of a flag or environment variable is converted; default: text. */
  readonly kind?: "number" | "flag" | "list";
  readonly help: string;
  /** The default in YAML, or an example if there is none. */
  readonly sample: string;
  /** Description in the types of `createSandbox`; absent if the library does not declare the option. */
  readonly library?: string;
  /** Name in `createSandbox`, if it is not the key in camelCase. */
  readonly nameInLibrary?: string;
  /** The option can also be set for a single namespace. */
  readonly appliesToNamespace?: true;
}

/** Infers the type of a row. The build removes `library` from the bundle. */
function option<const Row extends OptionRow>(row: Row): Row {
  return row;
}

const FLAG = { schema: z.boolean(), kind: "flag", sample: "false" } as const;

/** Start options by config key, in the order of the help. */
export const OPTIONS = {
  port: option({
    schema: portSchema,
    topic: "address",
    flags: "-p, --port <number>",
    kind: "number",
    help: `port to listen on; 0 is any free one (default ${DEFAULT_PORT})`,
    sample: String(DEFAULT_PORT),
    appliesToNamespace: true,
    library: "Port of `listen()`; default 0: any free port.",
  }),
  host: option({
    schema: nonEmptyTextSchema,
    topic: "address",
    flags: "--host <address>",
    help: `address to listen on (default ${DEFAULT_HOST})`,
    sample: DEFAULT_HOST,
    appliesToNamespace: true,
    library: 'Address of `listen()`; default `"127.0.0.1"`.',
  }),
  public_url: option({
    schema: httpUrlSchema,
    topic: "address",
    flags: "--public-url <url>",
    help: "the address in checkout links",
    sample: "https://sandbox.example.test",
    library: "Base URL of checkout links; default: that of the request.",
  }),
  allowed_host: option({
    schema: nonEmptyTextsSchema,
    topic: "address",
    flags: "--allowed-host <name>",
    kind: "list",
    help: "accept requests for this host too (repeatable)",
    sample: "[sandbox.example.test]",
    nameInLibrary: "allowedHosts",
    library: "Hosts that requests over the port may name, besides those of this machine; default: none.",
  }),
  advertise_url: option({
    schema: httpUrlSchema,
    topic: "address",
    flags: "--advertise-url <url>",
    help: "with a database: the address where the other processes reach this one",
    sample: "http://10.0.0.7:4010",
    library: "With a PostgreSQL database: URL of this process for the other processes that use the database.",
  }),
  tls_cert: option({
    schema: nonEmptyTextSchema,
    topic: "address",
    flags: "--tls-cert <file>",
    help: "serve HTTPS with this certificate (PEM, its chain with it)",
    sample: "cert.pem",
    library: "Serve HTTPS with the certificate chain in this PEM file; needs `tlsKey`.",
  }),
  tls_key: option({
    schema: nonEmptyTextSchema,
    topic: "address",
    flags: "--tls-key <file>",
    help: "the private key of --tls-cert",
    sample: "key.pem",
    library: "PEM file with the private key of `tlsCert`.",
  }),
  fixtures: option({
    schema: nonEmptyTextSchema,
    topic: "prices",
    flags: "--fixtures <file>",
    help: "organizations, keys, methods, rates … merged over the shipped ones",
    sample: "fixtures.yaml",
    library:
      "A fixtures file or its content, merged into the shipped fixtures. Default: only the shipped ones.",
  }),
  scenario: option({
    schema: nonEmptyTextsSchema,
    topic: "scenarios",
    flags: "--scenario <name|file>",
    kind: "list",
    help: "what happens to charges (repeatable; the last is tried first)",
    sample: "[success]",
    appliesToNamespace: true,
    library:
      "Scenario names or files; a later one takes precedence. The shipped scenario `default` applies after all others.",
  }),
  data: option({
    schema: nonEmptyTextSchema,
    topic: "state",
    flags: "--data <file|url>",
    help: "keep the state in this file, or in postgres://USER@HOST/DB (default: in memory)",
    sample: "payments-sandbox.data",
    library:
      "Path of the file that stores the state, or the URL of a PostgreSQL database; default: in memory only.",
  }),
  fsync: option({
    ...FLAG,
    topic: "state",
    flags: "--fsync",
    help: "with --data: safe against power loss too",
    library: "With `data`: sync each change to the disk, to survive power loss; default false.",
  }),
  webhook_url: option({
    schema: z.array(webhookUrlSchema),
    topic: "webhooks",
    flags: "--webhook-url, --forward-to <url>",
    kind: "list",
    help: "send test-mode webhooks there (repeatable)",
    sample: '["http://localhost:3000/webhooks"]',
  }),
  webhooks: option({
    schema: z.array(webhookOptionSchema).check(entriesAtMost(500)),
    topic: "webhooks",
    help: "like webhook_url, with all settings; a mailbox keeps webhooks for tests without a port",
    sample:
      '[{ url: "http://localhost:3000/webhooks", mode: test, events: ["charge.*"] }, { mailbox: tests }]',
    appliesToNamespace: true,
    library: "Receivers of webhooks; a string is a URL. Default: none.",
  }),
  webhook_secret: option({
    schema: anySecretSchema,
    topic: "webhooks",
    flags: "--webhook-secret <secret>",
    help: "sign webhooks with this whsec_… secret",
    sample: `"${DEFAULT_WEBHOOK_SECRET}"`,
    appliesToNamespace: true,
    library: "The secret webhooks are signed with; default: a documented constant.",
  }),
  webhook_timeout: option({
    schema: durationSchema,
    topic: "webhooks",
    flags: "--webhook-timeout <duration>",
    help: "how long a receiver may take to respond (default 15s)",
    sample: "15s",
    library: 'Maximum wall time for the response of a receiver, a duration; default `"15s"`.',
  }),
  hold_limit: option({
    schema: durationSchema,
    topic: "scenarios",
    flags: "--hold-limit <duration>",
    help: "how long a fault may hold a response (default 30s)",
    sample: "30s",
    library: 'Maximum wall time that a fault with `hold` or `drop: hang` delays a response; default `"30s"`.',
  }),
  clock: option({
    schema: clockOptionSchema,
    topic: "time",
    flags: "--clock <real|manual|Nx>",
    help: "the clock: how sandbox time passes (default real)",
    sample: "real",
    appliesToNamespace: true,
    library: '`"real"` (default), `"manual"`, or a speed such as `"60x"`.',
  }),
  start_time: option({
    schema: instantSchema,
    topic: "time",
    flags: "--start-time <instant>",
    help: "sandbox time at the start (default: now)",
    sample: "2026-01-31T09:00:00Z",
    appliesToNamespace: true,
    library: "Sandbox time at the start, an instant; default: now.",
  }),
  seed: option({
    schema: nonEmptyTextSchema.check(charactersAtMost(200)),
    topic: "chance",
    flags: "--seed <text>",
    help: "the same seed and calls give the same bytes",
    sample: "spring",
    appliesToNamespace: true,
    library:
      "Source of IDs and random outcomes, at most 200 characters: same seed, same calls, same bytes. Default: fixed.",
  }),
  rate_limit: option({
    schema: rateLimitSchema,
    topic: "callers",
    flags: "--rate-limit <number|off>",
    kind: "number",
    help: `requests per minute and key, or off (default ${DEFAULT_RATE_LIMIT})`,
    sample: String(DEFAULT_RATE_LIMIT),
    library: 'Requests per minute and key; default `"off"`.',
  }),
  auto_namespaces: option({
    ...FLAG,
    topic: "callers",
    flags: "--auto-namespaces",
    help: "the key sk_test_ns_NAME creates the namespace NAME on first use",
    library: "The key `sk_test_ns_NAME` creates the namespace NAME on first use; default false.",
  }),
  control_token: option({
    schema: nonEmptyTextSchema,
    topic: "address",
    flags: "--control-token <value|generate|off>",
    help: "the control API's token; beyond loopback the API is closed without one",
    sample: "generate",
    library:
      'Token of the control API beyond loopback. `"generate"`: a random token; `"off"`: open. Default: closed.',
  }),
  json: option({
    ...FLAG,
    topic: "output",
    flags: "--json",
    help: "print one line of JSON when ready",
  }),
  quiet: option({
    ...FLAG,
    topic: "output",
    flags: "--quiet",
    help: "print errors only",
  }),
  signature: option({
    schema: signatureSchema,
    topic: "webhooks",
    help: `how webhooks are signed: ${SIGNATURE_PRESETS.join(", ")}`,
    sample: "standard",
    appliesToNamespace: true,
    library: 'Signature scheme of webhooks: a preset or a custom scheme; default `"standard"`.',
  }),
  unreachable: option({
    schema: unreachableOptionSchema,
    topic: "webhooks",
    help: "when nothing listens at a webhook's URL: hold or fail",
    sample: "hold",
    appliesToNamespace: true,
    library: 'Hold or fail webhooks while nothing listens at their URL; default `"hold"`.',
  }),
  retry_schedule: option({
    schema: z.array(durationSchema).check(entriesAtMost(100)),
    topic: "webhooks",
    help: "how long each retry waits, in sandbox time",
    sample: "[5s, 5m, 30m, 2h, 5h, 10h, 14h, 20h, 24h]",
    library: "Delay of each retry after the previous attempt, durations of sandbox time.",
  }),
  event_names: option({
    schema: renamesSchema,
    topic: "webhooks",
    help: "the names events are sent under",
    sample: "{ charge.completed: payment.successful }",
    library: "Event type → name in webhooks; default: the type.",
  }),
  fees: option({
    schema: z.record(z.string(), feePercentsSchema),
    topic: "prices",
    help: "in percent of the settlement amount",
    sample: '{ card: { platform_percent: "1.0", gateway_percent: "2.4" } }',
    library: "Method ID → percentages of the settlement amount, as decimal strings; default: the fixtures'.",
  }),
  rates: option({
    schema: z.record(z.string(), rateSchema),
    topic: "prices",
    help: "units for one US dollar",
    sample: '{ NGN: "1550" }',
    library: "Currency → units per US dollar, as decimal strings; default: the fixtures'.",
  }),
  limits: option({
    schema: limitsSchema,
    topic: "prices",
    help: "how long quotes and checkouts live, how many charges a namespace holds, and how many bytes all namespaces together; default: 60 % of Node's heap",
    sample:
      "{ quote_valid: 30s, quote_locked: 10m, checkout_default_minutes: 60, charges: 200000, bytes: 2500000000 }",
    library:
      'Periods of validity. Defaults: quote `"30s"`, locked quote `"10m"`, checkout 60 minutes. `charges` of a namespace: 200,000. `bytes` of all namespaces together: 60 % of Node\'s heap.',
  }),
  amounts: option({
    schema: amountsOptionSchema,
    topic: "prices",
    help: "what a hosted charge without a price costs until a method is picked: base (no fees), cheapest or dearest",
    sample: "{ before_method: dearest }",
    library: 'Fees in the amount of a hosted charge until a method is picked; default `"base"`: no fees.',
  }),
  paths: option({
    schema: z.record(z.string(), pathTemplateSchema),
    topic: "wire",
    help: "custom paths, by operation ID of /openapi.json",
    sample: '{ getCharge: "/v2/charges/{charge_id}" }',
    library: "Operation ID → path, with parameters in braces; default: the service's paths.",
  }),
  error_codes: option({
    schema: renamesSchema,
    topic: "wire",
    help: "custom names for error codes",
    sample: "{ UNAUTHORIZED: invalid_key }",
    library: "Error code → code in responses; default: unchanged.",
  }),
  wire: option({
    schema: z.array(wireRuleSchema).check(entriesAtMost(100)),
    topic: "wire",
    help: "another form of responses and webhooks: fields renamed, dropped, added, values, statuses, times, nulls, numbers",
    sample: '[{ operation: "*", times: without_ms }, { event: "*", rename: { type: event } }]',
    library: "Rules that change the form of responses and webhooks when they are sent; default: none.",
  }),
  retention: option({
    schema: retentionSchema,
    topic: "wire",
    help: "how many entries the logs keep, and how many bytes each log of a namespace",
    sample: "{ requests: 1000, events: 10000, bytes: 64000000 }",
    library:
      "Number of requests and events that are kept, and bytes of each of these logs; default 1,000, 10,000 and 64 MB.",
  }),
} as const;

export type OptionName = keyof typeof OPTIONS;
export const OPTION_NAMES = Object.keys(OPTIONS) as OptionName[];

const startOptionsObject = z.strictObject(
  Object.fromEntries(OPTION_NAMES.map((name) => [name, z.optional<z.ZodMiniType>(OPTIONS[name].schema)])) as {
    [Name in OptionName]: z.ZodMiniOptional<(typeof OPTIONS)[Name]["schema"]>;
  },
);

export type StartOptions = z.infer<typeof startOptionsObject>;

export const listenOptionsSchema = z.pick(startOptionsObject, { port: true, host: true });

/** Start options with checks across fields, such as secrets against their signature scheme. */
export const startOptionsSchema = startOptionsObject.check(({ value, issues }) => {
  const fault = (option: OptionName, input: string, message: string): void => {
    issues.push({ code: "custom", input, path: [option, input], message });
  };
  const codes = Object.keys(ERROR_STATUS);
  for (const code of Object.keys(value.error_codes ?? {}))
    if (!codes.includes(code)) fault("error_codes", code, `is not an error code${didYouMean(code, codes)}`);
  for (const type of Object.keys(value.event_names ?? {}))
    if (!SERVICE_EVENT_TYPES.includes(type)) fault("event_names", type, unknownEventTypeMessage(type));
  const { webhooks = [], webhook_secret = DEFAULT_WEBHOOK_SECRET, signature } = value;
  for (const fault of secretFaults({ webhook_secret, signature, webhooks }))
    issues.push({ code: "custom", ...fault });
});
