import * as z from "zod/mini";
import { findUnknownNames, type Vocabulary } from "../core/domain/name-check.js";
import { httpUrlSchema } from "../core/schema/common.js";
import { type AdvanceBody, durationSchema, durationToMs, parseAdvanceBody } from "../core/schema/duration.js";
import { resetRequestSchema, transitionRequestSchema } from "../core/schema/engine-requests.js";
import { exploreDepthSchema, exploreLanesSchema, failOnSchema } from "../core/schema/explore-limits.js";
import { issueDetails, issueMessage, issuePath, safeParse } from "../core/schema/issues.js";
import { getOwn, isJsonObject } from "../core/schema/json-objects.js";
import { didYouMean, findNearestWord } from "../core/schema/nearest.js";
import { normalizeWebhookUrl, webhookHandlerOptionsSchema } from "../core/schema/option-schemas.js";
import {
  listenOptionsSchema,
  OPTION_NAMES,
  OPTIONS,
  type OptionName,
  type OptionRow,
  type StartOptions,
  startOptionsSchema,
} from "../core/schema/option-table.js";
import { refuseInvalid, SandboxError } from "../core/schema/refusals.js";
import { listKnownKeys } from "../core/schema/schema-paths.js";
import { type Signature, secretErrorMessage } from "../core/schema/signature-schemes.js";
import { camelCase, snakeCase } from "../core/schema/text-format.js";
import { instantText, iso, parseInstant } from "../core/schema/time.js";
import { UserError } from "../core/schema/user-error.js";
import type {
  ExploreFlowOptions,
  ListenOptions,
  ResetOptions,
  RunFileOptions,
  SandboxOptions,
  WebhookHandlerOptions,
} from "./public-types.js";

type Issue = Parameters<typeof issueMessage>[0];

/** Checks the options of a method; throws a UserError with all faults. */
function checkArgument<T>(
  method: string,
  schema: z.ZodMiniObject & z.ZodMiniType<T>,
  value: unknown,
  known: readonly string[] = Object.keys(schema.shape),
): T {
  const result = safeParse(schema, value);
  if (result.ok) return result.data;
  throw new UserError(
    result.issues
      .filter((issue) => !isMisspelt(issue, result.issues, schema))
      .map((issue) => `${method}: ${optionFault(issue, schema, known.map(libraryName))}`)
      .join("\n"),
  );
}

/** Returns true for a missing field that another fault already suggests for a misspelt one. */
function isMisspelt(issue: Issue, all: readonly Issue[], schema: z.ZodMiniType): boolean {
  if (issue.path.length === 0) return false;
  const parent = issue.path.slice(0, -1) as (string | number)[];
  return all.some(
    (other) =>
      other.code === "unrecognized_keys" &&
      other.path.join() === parent.join() &&
      other.path.length === parent.length &&
      other.keys.some((key) => findNearestWord(key, listKnownKeys(schema, parent)) === issue.path.at(-1)),
  );
}

/** Checks what a method passes on to the sandbox; throws the SandboxError of the control API. */
function checkRequest<T>(schema: z.ZodMiniType<T>, value: unknown): T {
  if (!isJsonObject(value)) throw new SandboxError(refuseInvalid({ body: "must be a JSON object" }));
  const result = safeParse(schema, value);
  if (result.ok) return result.data;
  throw new SandboxError(refuseInvalid(issueDetails(result.issues, schema)));
}

function optionFault(issue: Issue, schema: z.ZodMiniType, known: readonly string[]): string {
  if (issue.path.length > 0 && issue.code === "unrecognized_keys") {
    const siblings = listKnownKeys(schema, issue.path as (string | number)[]);
    return issue.keys
      .map((key) => `there is no ${libraryName(issuePath(issue))}.${key}${didYouMean(key, siblings)}`)
      .join("; ");
  }
  if (issue.path.length > 0) return `${libraryName(issuePath(issue))} ${issueMessage(issue)}`;
  if (issue.code !== "unrecognized_keys") return `its options ${issueMessage(issue)}`;
  return issue.keys
    .map((key) => `there is no option ${libraryName(key)}${didYouMean(libraryName(key), known)}`)
    .join("; ");
}

/** Converts an option name, or the first part of a path, to the library's spelling: `start_time` → `startTime`. */
function libraryName(path: string): string {
  const [name, ...rest] = path.split(".");
  const row: OptionRow | undefined = getOwn(OPTIONS, name!);
  return [row?.nameInLibrary ?? camelCase(name!), ...rest].join(".");
}

const OPTION_BY_LIBRARY_NAME = new Map<string, OptionName>(
  OPTION_NAMES.map((name) => [libraryName(name), name]),
);

/** Converts options of `createSandbox` to those of `start`. Names in `others` also serve as spelling suggestions. */
export function parseStartOptions(
  method: string,
  options: SandboxOptions,
  others: readonly string[] = [],
): StartOptions & { readonly fixturesValue?: unknown } {
  const known = [...Object.keys(startOptionsSchema.shape), ...others];
  const check = (value: unknown) => checkArgument(method, startOptionsSchema, value, known);
  if (!isJsonObject(options) || !isJsonObject(options.fixtures))
    return check(isJsonObject(options) ? toStartNames(options) : options);
  const { fixtures, ...rest } = options;
  return { ...check(toStartNames(rest)), fixturesValue: fixtures };
}

function toStartNames({ scenario, webhooks, ...rest }: SandboxOptions): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(rest))
    if (value !== undefined) all[OPTION_BY_LIBRARY_NAME.get(name) ?? snakeCase(name)] = value;
  if (scenario !== undefined) all.scenario = typeof scenario === "string" ? [scenario] : scenario;
  if (webhooks !== undefined)
    all.webhooks = Array.isArray(webhooks)
      ? webhooks.map((webhook) => (typeof webhook === "string" ? { url: webhook } : webhook))
      : webhooks;
  return all;
}

/** Returns the given options that apply to a server, not to a namespace. */
export function findServerOnlyOptions(options: SandboxOptions): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const row: OptionRow | undefined = getOwn(OPTIONS, OPTION_BY_LIBRARY_NAME.get(name) ?? "");
    return value === undefined || row?.appliesToNamespace ? [] : [name];
  });
}

const WEBHOOK_HANDLER_URL = "http://localhost/webhooks";

/** Throws if the handler of `onWebhook` is not a function. */
export function checkWebhookHandler(handler: unknown): void {
  if (typeof handler === "function") return;
  throw new UserError(
    'onWebhook: needs a function; for an app at a port use the option webhooks: ["localhost:3000/webhooks"]',
  );
}

export function parseWebhookHandlerOptions(
  options: WebhookHandlerOptions,
  defaults: {
    readonly secret: string;
    readonly signature: Signature;
    /** Known event types. Omitted if the server checks the event types. */
    readonly vocabulary?: Vocabulary;
  },
) {
  const { url, ...receiver } = checkArgument("onWebhook", webhookHandlerOptionsSchema, options);
  const { vocabulary = () => undefined } = defaults;
  const [unknown] = findUnknownNames(webhookHandlerOptionsSchema, receiver, { vocabulary });
  if (unknown !== undefined) throw new UserError(`onWebhook: ${unknown.path.join(".")} ${unknown.message}`);
  const { secret = defaults.secret, signature = defaults.signature, ...rest } = receiver;
  const fault = secretErrorMessage(signature, secret);
  if (fault !== undefined) throw new UserError(`onWebhook: secret ${fault}`);
  return { ...rest, secret, signature, url: normalizeWebhookUrl(url ?? WEBHOOK_HANDLER_URL)! };
}

export function parseListenOptions(options: ListenOptions) {
  return checkArgument("listen", listenOptionsSchema, options);
}

/** Parses the argument of `advance`; throws a SandboxError as the control API does. */
export function parseAdvanceArgument(value: string | Date): AdvanceBody {
  const body = parseAdvanceBody(instantText(value));
  if (body !== undefined) return body;
  const fault = `must be an ISO 8601 instant, a duration such as 30m, next or idle, not ${JSON.stringify(value)}`;
  throw new SandboxError(refuseInvalid({ to: fault }));
}

export function parseAdvanceTarget(value: string | Date, nowMs: number) {
  const target = parseAdvanceArgument(value);
  if ("until" in target) return target;
  if ("by" in target) return { byMs: durationToMs(target.by) };
  const toMs = parseInstant(target.to)!;
  if (toMs >= nowMs) return { toMs };
  throw new SandboxError(refuseInvalid({ to: `must not be earlier than the time it is: ${iso(nowMs)}` }));
}

export function parseResetOptions(options: ResetOptions) {
  return checkRequest(resetRequestSchema, options);
}

const transitionSchema = z.strictObject({ chargeId: z.string(), ...transitionRequestSchema.shape });

export function parseTransition(move: { chargeId: string; to: unknown; reason: unknown }) {
  return checkRequest(transitionSchema, move);
}

const functionSchema = z.custom<(...args: never[]) => unknown>(
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
      z.custom(
        (value) => isJsonObject(value) && typeof value.aborted === "boolean",
        "must be an AbortSignal",
      ),
    ),
    onStepBegin: z.optional(functionSchema),
    onStep: z.optional(functionSchema),
  });

export function checkRunOptions(file: string, options: RunFileOptions): void {
  checkFileArguments("run", runSchema(), file, options);
}

const exploreSchema = () => {
  const { file, vars, environment, signal } = runSchema().shape;
  return z.strictObject({
    file,
    vars,
    environment,
    signal,
    app: httpUrlSchema,
    depth: z.optional(exploreDepthSchema),
    lanes: z.optional(exploreLanesSchema),
    budget: z.optional(durationSchema),
    save: z.optional(z.string()),
    failOn: z.optional(failOnSchema),
    profile: z.optional(z.boolean()),
    onRun: z.optional(functionSchema),
  });
};

export function checkExploreOptions(file: string, options: ExploreFlowOptions): void {
  checkFileArguments("explore", exploreSchema(), file, options);
}

/** Checks a method's file and options together. */
function checkFileArguments(method: string, schema: z.ZodMiniObject, file: string, options: object): void {
  const known = Object.keys(schema.shape).filter((name) => name !== "file");
  checkArgument(method, schema, isJsonObject(options) ? { ...options, file } : options, known);
}

export function toRequest(input: Request | URL | string, init: RequestInit | undefined): Request {
  const isPath = typeof input === "string" && input.startsWith("/");
  return new Request(isPath ? `http://sandbox${input}` : input, init);
}

/** Returns a JSON copy; null if the value has no JSON form. */
export function toPlainJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? "null");
}
