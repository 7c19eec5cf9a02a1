import * as z from "zod/mini";
import { findUnknownNames, type Vocabulary } from "../core/domain/name-check.js";
import { httpUrlSchema } from "../core/schema/common.js";
import { closedShape, field, fieldsOf, pickFields } from "../core/schema/descriptions.js";
import { resetRequestSchema, transitionRequestSchema } from "../core/schema/engine-requests.js";
import {
  exploreDepthSchema,
  exploreLanesSchema,
  exploreLivesSchema,
  exploreSeedSchema,
  failOnSchema,
} from "../core/schema/explore-limits.js";
import { issueDetails, issueMessage, issuePath, safeParse } from "../core/schema/issues.js";
import { getOwn, isJsonObject } from "../core/schema/json-objects.js";
import { didYouMean, findNearestWord } from "../core/schema/nearest.js";
import type { OperationId } from "../core/schema/operation-ids.js";
import {
  normalizeWebhookUrl,
  type WebhookOption,
  webhookHandlerOptionsSchema,
} from "../core/schema/option-schemas.js";
import {
  listenOptionsSchema,
  OPTION_NAMES,
  OPTIONS,
  type OptionName,
  type OptionRow,
  type StartOptions,
  startOptionsSchema,
} from "../core/schema/option-table.js";
import type { reconcileRequestSchema } from "../core/schema/reconciliation.js";
import type { CollectionName } from "../core/schema/records/collection-names.js";
import { type ErrorCode, refuseInvalid, SandboxError } from "../core/schema/refusals.js";
import { listKnownKeys } from "../core/schema/schema-paths.js";
import { type Signature, secretErrorMessage } from "../core/schema/signature-schemes.js";
import { camelCase, snakeCase } from "../core/schema/text-format.js";
import {
  type AdvanceBody,
  durationSchema,
  durationToMs,
  instantText,
  iso,
  parseAdvanceBody,
  parseInstant,
} from "../core/schema/time.js";
import { UserError } from "../core/schema/user-error.js";
import type { StepReport } from "../tools/scenario/running/run-report.js";

// Arguments and results of the library's methods. Durations are texts such as `"500ms"`, `"30s"`, `"10m"`, `"2h"` or
// `"1h30m"`; instants are ISO 8601, in UTC. An invalid value throws a `UserError` that names the option.

/** Converts an option name, or the first part of a path, to the library's spelling: `start_time` → `startTime`. */
export function libraryName(path: string): string {
  const [name, ...rest] = path.split(".");
  const row: OptionRow | undefined = getOwn(OPTIONS, name!);
  return [row?.nameInLibrary ?? camelCase(name!), ...rest].join(".");
}

type LibraryOption = {
  [Name in OptionName]: (typeof OPTIONS)[Name] extends { readonly library: string } ? Name : never;
}[OptionName];
type LibraryName<Name extends OptionName> = (typeof OPTIONS)[Name] extends {
  readonly nameInLibrary: infer Given extends string;
}
  ? Given
  : CamelCase<Name>;
type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** Values that the library accepts in other forms than a config file. */
interface LibraryForms {
  clock: "real" | "manual" | `${number}x`;
  scenario: string | string[];
  webhooks: (string | WebhookOption)[];
  fixtures: string | { readonly [list: string]: readonly object[] };
  paths: Partial<Record<OperationId, string>>;
  error_codes: Partial<Record<ErrorCode, string>>;
}

type LibraryValue<Name extends OptionName> = Name extends keyof LibraryForms
  ? LibraryForms[Name]
  : Exclude<StartOptions[Name], undefined>;

/** Options of `createSandbox`: those of `start`, in camelCase. Nested keys keep underscores, such as `quote_valid`. */
export type SandboxOptions = { [Name in LibraryOption as LibraryName<Name>]?: LibraryValue<Name> };

type Issue = Parameters<typeof issueMessage>[0];

/** Checks the options of a method; throws a UserError with all faults. */
export function checkArgument<T>(
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

/** Options of `reconcile`. */
export type ReconcileOptions = Readonly<Omit<z.infer<typeof reconcileRequestSchema>, "rows">>;

/** Options of `onWebhook`. */
export type WebhookHandlerOptions = z.infer<typeof webhookHandlerOptionsSchema>;

/** Unregisters the webhook handler, when called or at the end of a `using` block. */
export interface WebhookSubscription {
  (): void;
  [Symbol.dispose](): void;
}

const WEBHOOK_HANDLER_URL = "http://localhost/webhooks";

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

/** Options of `listen`. */
export interface ListenOptions extends Pick<SandboxOptions, "port" | "host"> {}

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

/** Options of `reset`. */
export type ResetOptions = z.infer<typeof resetRequestSchema>;

export function parseResetOptions(options: ResetOptions) {
  return checkRequest(resetRequestSchema, options);
}

const transitionSchema = z.strictObject({ chargeId: z.string(), ...transitionRequestSchema.shape });

export function parseTransition(move: { chargeId: string; to: unknown; reason: unknown }) {
  return checkRequest(transitionSchema, move);
}

/** A callback; its arguments cannot be checked. */
const callback = <Callback>() =>
  z.optional(z.custom<Callback>((value) => typeof value === "function", "must be a function"));

export const runOptionsSchema = closedShape(undefined, "", {
  vars: field(
    z.optional(z.record(z.string(), z.string())),
    "Values of variables; default: those in the file.",
  ),
  environment: field(
    z.optional(z.record(z.string(), z.optional(z.string()))),
    "Values of `env.NAME` in the file; default: that of this process.",
  ),
  app: field(
    z.optional(httpUrlSchema),
    "Base URL of the app under test; required for a file with `app` steps.",
  ),
  manual: field(
    callback<(text: string) => Promise<void>>(),
    "Called for each `manual` step; resolves when the step is done. Default: the step counts as done.",
  ),
  signal: field(
    z.optional(
      z.custom<AbortSignal>(
        (value) => isJsonObject(value) && typeof value.aborted === "boolean",
        "must be an AbortSignal",
      ),
    ),
    "Ends the run early and restores what the run changed.",
  ),
  onStepBegin: field(
    callback<(title: string, number: number, of: number) => void>(),
    "Called before each step; `number` counts from 1, `of` is the number of steps.",
  ),
  onStep: field(
    callback<(step: StepReport, of: number) => void>(),
    "Called after each step, even one that was not run; `of` is the number of steps.",
  ),
});
/** Options of `runFile`. */
export type RunFileOptions = Readonly<z.infer<typeof runOptionsSchema>>;

export const exploreOptionsSchema = closedShape(undefined, "", {
  ...pickFields(fieldsOf(runOptionsSchema), "vars", "environment", "signal"),
  app: field(httpUrlSchema, "The base URL of the app."),
  only: field(
    z.optional(z.string()),
    "The only set of deviations to run, or life, as a report names it: `response_lost at createWhitelabel#1`, `life 42:17:3`.",
  ),
  from: field(
    z.optional(z.string()),
    "A log of an incident, a file: only the sets of deviations that it shows are run.",
  ),
  throws: field(
    z.optional(z.boolean()),
    "False: resolves with the report even if something is found; default true.",
  ),
  depth: field(
    z.optional(exploreDepthSchema),
    "Maximum number of deviations at once: 1, 2, or `max` for larger sets until the budget ends; default 1.",
  ),
  lives: field(
    z.optional(exploreLivesSchema),
    "Number of lives of several customers, drawn after the single deviations; default 400 for a flow that is an object with `lives`, else none.",
  ),
  seed: field(
    z.optional(exploreSeedSchema),
    "Seed from which lives are drawn, a whole number; default: one made from the flow's name.",
  ),
  lanes: field(
    z.optional(exploreLanesSchema),
    "Maximum number of parallel runs; default 4. Always 1 if runs could interfere. Does not affect the findings.",
  ),
  budget: field(z.optional(durationSchema), "Maximum wall time, a duration; default: none."),
  save: field(
    z.optional(z.string()),
    "Folder for a scenario file of each finding; default: none is written.",
  ),
  profile: field(
    z.optional(z.boolean()),
    "Adds to the report how long each part of the runs took; default false.",
  ),
  failOn: field(
    z.optional(failOnSchema as z.ZodMiniType<readonly string[]>),
    "Notes to report as findings. `manners` stands for calls that the app repeated without a check of the first call. A kind of deviation stands for the notes of that kind, and such deviations then always run.",
  ),
  onRun: field(
    callback<(runs: number, findings: number) => void>(),
    "Called after each run with the number of runs and findings so far.",
  ),
});
/** Options of `explore` for a file. */
export type ExploreFlowOptions = Readonly<z.infer<typeof exploreOptionsSchema>>;

export const exploreFunctionOptionsSchema = closedShape(undefined, "", {
  ...pickFields(fieldsOf(exploreOptionsSchema), "depth", "budget", "only", "from", "lives", "seed", "throws"),
  ...pickFields(fieldsOf(exploreOptionsSchema), "failOn", "onRun", "profile", "signal"),
});
/** Options of `explore` for a flow that is an object. */
export type ExploreOptions = Readonly<z.infer<typeof exploreFunctionOptionsSchema>>;

export function checkFileArguments(
  method: string,
  { shape }: z.ZodMiniObject,
  file: string,
  options: object = {},
): void {
  const schema = z.strictObject({ file: z.string(), ...shape });
  checkArgument(method, schema, isJsonObject(options) ? { ...options, file } : options, Object.keys(shape));
}

export function toRequest(input: Request | URL | string, init: RequestInit | undefined): Request {
  const isPath = typeof input === "string" && input.startsWith("/");
  return new Request(isPath ? `http://sandbox${input}` : input, init);
}

/**
 * State of a namespace as plain JSON. `restore()` accepts a state that another process took with `snapshot()`. The
 * records in a state are internal and may change between versions.
 */
export interface SandboxState {
  /** Version of the format. */
  readonly version: 1;
  /** Number of changes so far. */
  readonly seq: number;
  /** Sandbox time of the snapshot, in ms since 1970. */
  readonly at: number;
  /** Kind of ID → number of IDs issued. */
  readonly counters: Readonly<Record<string, number>>;
  /** Collection → its records by their keys. */
  readonly collections: Readonly<
    Record<
      CollectionName,
      readonly (readonly [key: string | number, record: Readonly<Record<string, unknown>>])[]
    >
  >;
}
