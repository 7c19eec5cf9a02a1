import * as z from "zod/mini";
import type { StepReport } from "./scenario/steps/report.js";
import { camelCase, snakeCase } from "./schema/camel-case.js";
import { httpUrlSchema } from "./schema/common.js";
import { resetRequestSchema, transitionRequestSchema } from "./schema/control.js";
import { check, issueMessage, issuePath } from "./schema/issues.js";
import { didYouMean } from "./schema/nearest.js";
import {
  listenOptionsSchema,
  OPTION_NAMES,
  OPTIONS,
  type OptionName,
  type OptionRow,
  type StartOptions,
  startOptionsSchema,
} from "./schema/option-table.js";
import { webhookHandlerSchema, webhookUrl } from "./schema/options.js";
import { own } from "./schema/own.js";
import { UserError } from "./schema/user-error.js";
import { type Signature, secretFault } from "./schema/webhooks.js";

/** Options of the library: those of `start`, in camelCase. */
export interface SandboxOptions {
  /** `"real"` (default), `"manual"`, or a speed such as `"60x"`. */
  clock?: string;
  /** ISO 8601; default: the time it is. */
  startTime?: string;
  /** The same seed and the same calls give the same bytes. Default: a fixed one. */
  seed?: string;
  /** Receivers of webhooks. */
  webhooks?: (
    | string
    | {
        url?: string;
        /** Instead of a URL: deliveries wait there to be collected over the control API. */
        mailbox?: string;
        mode?: "test" | "live";
        events?: string[];
        secret?: string;
        signature?: Signature;
        unreachable?: "hold" | "fail";
      }
  )[];
  webhookSecret?: string;
  /** How webhooks are signed: a preset's name or a scheme of your own; default `"standard"`. */
  signature?: Signature;
  /** Wall time a receiver has to answer; default `"15s"`. */
  webhookTimeout?: string;
  /** A scenario's name or file, or several; the last is asked first. */
  scenario?: string | string[];
  /** A fixtures file, merged over the shipped ones. */
  fixtures?: string;
  /** Keep the state in this file; default: in memory. */
  data?: string;
  fsync?: boolean;
  /** Requests a minute and key; default `"off"`. */
  rateLimit?: number | "off";
  port?: number;
  host?: string;
  publicUrl?: string;
  allowedHosts?: string[];
  controlToken?: string;
  /** The key `sk_test_ns_NAME` makes the namespace NAME on first use. */
  autoNamespaces?: boolean;
  /** Operation id → path. This and what follows is as in a config file, names inside included. */
  paths?: Record<string, string>;
  eventNames?: Record<string, string>;
  errorCodes?: Record<string, string>;
  retrySchedule?: string[];
  unreachable?: "hold" | "fail";
  fees?: Record<string, { platform_percent?: string; gateway_percent?: string }>;
  rates?: Record<string, string>;
  limits?: { quote_valid?: string; quote_locked?: string; checkout_default_minutes?: number };
  retention?: { requests?: number; events?: number };
}

/** How a scenario file is run. */
export interface RunFileOptions {
  /** Variables, in the place of the file's own. */
  readonly vars?: Readonly<Record<string, string>>;
  /** What `${env.NAME}` reads; default: this process's environment. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The base URL of the app under test, for `app` steps. */
  readonly app?: string | undefined;
  /** Called for `manual` steps; resolves when it is done. */
  readonly manual?: (text: string) => Promise<void>;
  /** Ends the run early; what it has changed is put back. */
  readonly signal?: AbortSignal;
  readonly onStepBegin?: (title: string, number: number, of: number) => void;
  readonly onStep?: (step: StepReport, of: number) => void;
}

/** How a function of this process hears webhooks. */
export interface WebhookHandlerOptions {
  /** Types it hears, as globs; default: all. */
  events?: string[];
  mode?: "test" | "live";
  /** Default: the sandbox's. */
  secret?: string;
  /** Default: the sandbox's. */
  signature?: Signature;
  /** The URL of the requests it gets, for an app that finds its route by it; default `http://localhost/webhooks`. */
  url?: string;
}

/** What was given to one of the library's methods, checked; a UserError says what is wrong, by the method's name. */
function checked<T>(method: string, schema: z.ZodMiniType<T>, known: readonly string[], given: unknown): T {
  const result = check(schema, given);
  if (result.ok) return result.data;
  throw new UserError(
    result.issues.map((issue) => `${method}: ${optionFault(issue, known.map(libraryName))}`).join("\n"),
  );
}

/** What is wrong with an option, by the name the library has for it. */
function optionFault(issue: Parameters<typeof issueMessage>[0], known: readonly string[]): string {
  if (issue.path.length > 0) return `${libraryName(issuePath(issue))} ${issueMessage(issue)}`;
  if (issue.code !== "unrecognized_keys") return `its options ${issueMessage(issue)}`;
  return issue.keys
    .map((key) => `there is no option ${libraryName(key)}${didYouMean(libraryName(key), known)}`)
    .join("; ");
}

/** What the library calls an option, or a path that begins with one. */
function libraryName(path: string): string {
  const [name, ...rest] = path.split(".");
  const row: OptionRow | undefined = own(OPTIONS, name!);
  return [row?.library ?? camelCase(name!), ...rest.map(camelCase)].join(".");
}

const KEYS = new Map<string, OptionName>(OPTION_NAMES.map((name) => [libraryName(name), name]));

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The options of `createSandbox` as those of `start`; `others` are names that are the method's own, for who misspells one. */
export function startOptionsOf(
  method: string,
  options: SandboxOptions,
  others: readonly string[] = [],
): StartOptions {
  const known = [...Object.keys(startOptionsSchema.shape), ...others];
  return checked(method, startOptionsSchema, known, isRecord(options) ? renamed(options) : options);
}

function renamed({ scenario, webhooks, ...rest }: SandboxOptions): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(rest))
    if (value !== undefined) all[KEYS.get(name) ?? snakeCase(name)] = value;
  if (scenario !== undefined) all.scenario = typeof scenario === "string" ? [scenario] : scenario;
  if (webhooks !== undefined)
    all.webhooks = Array.isArray(webhooks)
      ? webhooks.map((one) => (typeof one === "string" ? { url: one } : one))
      : webhooks;
  return all;
}

/** Those of the options given that only a server can be started with, not a namespace of it. */
export function serverOptionsOf(options: SandboxOptions): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const row: OptionRow | undefined = own(OPTIONS, KEYS.get(name) ?? "");
    return value === undefined || row?.namespace ? [] : [name];
  });
}

const WEBHOOK_HANDLER_URL = "http://localhost/webhooks";

/** The options of `onWebhook`, checked as those of any other receiver. */
export function webhookHandlerOptions(
  options: WebhookHandlerOptions,
  defaults: { readonly secret: string; readonly signature: Signature },
) {
  const known = Object.keys(webhookHandlerSchema.shape);
  const { url, ...given } = checked("onWebhook", webhookHandlerSchema, known, options);
  const { secret = defaults.secret, signature = defaults.signature, ...rest } = given;
  const fault = secretFault(signature, secret);
  if (fault !== undefined) throw new UserError(`onWebhook: secret ${fault}`);
  return { ...rest, secret, signature, url: webhookUrl(url ?? WEBHOOK_HANDLER_URL)! };
}

/** Where `listen` is to listen. */
export interface ListenOptions {
  port?: number;
  host?: string;
}

export function listenOptionsOf(options: ListenOptions) {
  return checked("listen", listenOptionsSchema, Object.keys(listenOptionsSchema.shape), options);
}

/** What a reset keeps, and how ids go on. */
export interface ResetOptions {
  /** Default: webhooks and keys. */
  keep?: ("webhooks" | "keys" | "scenarios")[];
  /** Starts the ids over, byte for byte; without it they go on. */
  ids?: "repeat";
}

export function resetOptionsOf(options: ResetOptions) {
  return checked("reset", resetRequestSchema, Object.keys(resetRequestSchema.shape), options);
}

const transitionSchema = z.strictObject({ chargeId: z.string(), ...transitionRequestSchema.shape });

export function transitionOf(move: { chargeId: string; to: unknown; reason: unknown }) {
  return checked("transition", transitionSchema, [], move);
}

const functionSchema = z.custom<(...given: never[]) => unknown>(
  (value) => typeof value === "function",
  "must be a function",
);
const runSchema = () =>
  z.strictObject({
    file: z.string(),
    vars: z.optional(z.record(z.string(), z.string())),
    environment: z.optional(z.record(z.string(), z.optional(z.string()))),
    app: z.optional(httpUrlSchema),
    manual: z.optional(functionSchema),
    signal: z.optional(
      z.custom((value) => isRecord(value) && typeof value.aborted === "boolean", "must be an AbortSignal"),
    ),
    onStepBegin: z.optional(functionSchema),
    onStep: z.optional(functionSchema),
  });

/** Refuses a scenario file's options that cannot be meant. */
export function checkRunOptions(file: string, options: RunFileOptions): void {
  const schema = runSchema();
  const known = Object.keys(schema.shape).filter((name) => name !== "file");
  checked("run", schema, known, isRecord(options) ? { ...options, file } : options);
}
