import type * as z from "zod/mini";
import { issueDetails, issueMessage, issuePath, safeParse } from "../../core/schema/issues.js";
import { findNearestWord } from "../../core/schema/nearest.js";
import type { OUTPUTS, OutputName } from "../../core/schema/outputs.js";
import type { DeepReadonly } from "../../core/schema/records/record-fields.js";
import { INVALID_QUERY_MESSAGE, type Refusal, refuseInvalid } from "../../core/schema/refusals.js";
import { LIST_LIMIT_DEFAULT, type pageQuerySchema } from "../../core/schema/service-requests.js";
import type { RawJson } from "./reply.js";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type CallText = `${Method} /${string}`;
export type Fields = Record<string, unknown>;

/** An operation of the service or the control API without `run`. Route, validation and documents derive from it. */
export interface OperationRow<Call extends CallText, Input, Output extends OutputName> {
  /** Public: used in OpenAPI documents, scenarios and the request journal. */
  readonly id: string;
  /** Method and path, such as `GET /_sandbox/charges/{charge_id}`. */
  readonly call: Call;
  /** For the OpenAPI documents only; the build removes these words. */
  readonly summary: string;
  readonly description: string;
  /** The query of a GET or DELETE, else the body. Without a schema, `run` gets any body. */
  readonly input?: z.ZodMiniType<Input>;
  /** Set instead of `input` if `run` validates the body, to report errors of schema and fixtures together. */
  readonly rawInput?: z.ZodMiniType;
  readonly runsDueTasks?: true;
  readonly output: Output;
}

export interface RoutedRow extends OperationRow<CallText, unknown, OutputName> {
  readonly method: Method;
  /** With parameters as `:name`, as the router has them. */
  readonly path: string;
}

export function withRoute<Row extends { readonly call: CallText }>(row: Row) {
  const [method, path] = row.call.split(" ") as [Method, string];
  return { ...row, method, path: path.replace(/\{(\w+)\}/g, ":$1") };
}

/** Result of `run`: a value to be sent as JSON, JSON text, or a refusal. */
export type OperationResult<Output extends OutputName> =
  | DeepReadonly<z.infer<(typeof OUTPUTS)[Output]>>
  | RawJson
  | Refusal;

/** Returns true if the input is the query, and false if it is the body. */
export function takesQuery({ call }: { readonly call: string }): boolean {
  return call.startsWith("GET ") || call.startsWith("DELETE ");
}

export function querySchema({ call, input }: Pick<RoutedRow, "call" | "input">): z.ZodMiniObject | undefined {
  return takesQuery({ call }) ? (input as z.ZodMiniObject | undefined) : undefined;
}

export function bodySchema(row: Pick<RoutedRow, "call" | "input" | "rawInput">): z.ZodMiniType | undefined {
  return takesQuery(row) ? undefined : (row.input ?? row.rawInput);
}

/** Validates query or body. `isUnknown` is passed to `readQuery`. */
export function readInput(
  { call, input }: Pick<RoutedRow, "call" | "input">,
  url: string,
  body: Fields,
  isUnknown?: (name: string) => boolean,
): { readonly input: unknown } | Refusal {
  if (input === undefined) return { input: body };
  if (takesQuery({ call })) return readQuery(input as QuerySchema<Fields>, url, isUnknown);
  const checked = safeParse(input, body);
  return checked.ok ? { input: checked.data } : refuseInvalid(issueDetails(checked.issues, input));
}

type QuerySchema<Query> = z.ZodMiniObject & z.ZodMiniType<Query>;

/** Cache of validated empty queries by schema. Validation took a tenth of the time to list payins. */
const emptyQueries = new WeakMap<object, { readonly input: unknown }>();

/** Validates a query. Refuses repeated parameters, and parameters outside `schema` if `isUnknown(name)` is true. */
export function readQuery<T extends Record<string, unknown>>(
  schema: QuerySchema<T>,
  url: string,
  isUnknown: (name: string) => boolean = () => false,
): { readonly input: T } | Refusal {
  const mark = url.indexOf("?");
  const query = mark === -1 ? "" : url.slice(mark + 1);
  const read = query === "" ? emptyQueries.get(schema) : undefined;
  if (read !== undefined) return read as { readonly input: T };
  const parameters = new URLSearchParams(query);
  const details = new Map<string, string>();
  const texts: Record<string, string> = {};
  const known = Object.keys(schema.shape);
  for (const name of parameters.keys())
    if (!known.includes(name) && isUnknown(name)) details.set(name, unknownParameterMessage(name, known));
  for (const name of known) {
    const values = parameters.getAll(name);
    if (values.length > 1) details.set(name, "must be given once");
    else if (values.length === 1) texts[name] = values[0]!;
  }
  const checked = safeParse<T>(schema, texts);
  if (!checked.ok)
    for (const issue of checked.issues)
      if (!details.has(issuePath(issue))) details.set(issuePath(issue), issueMessage(issue));
  if (details.size > 0) return refuseInvalid(Object.fromEntries(details), INVALID_QUERY_MESSAGE);
  const valid = { input: (checked as { data: T }).data };
  if (query === "") emptyQueries.set(schema, valid);
  return valid;
}

function unknownParameterMessage(name: string, known: readonly string[]): string {
  if (known.length === 0) return "is not a known parameter: there are none";
  const near = findNearestWord(name, known);
  return `is not a known parameter${near === undefined ? `; known: ${known.join(", ")}` : `; did you mean ${near}?`}`;
}

export type PageQuery = z.infer<typeof pageQuerySchema>;

export function limitAndOffset({ limit, offset }: PageQuery) {
  return {
    limit: limit === undefined ? LIST_LIMIT_DEFAULT : Number(limit),
    offset: offset === undefined ? 0 : Number(offset),
  };
}
