import type * as z from "zod/mini";
import { issueDetails, issueMessage, issuePath, safeParse } from "../../core/schema/issues.js";
import { findNearestWord } from "../../core/schema/nearest.js";
import { INVALID_QUERY_MESSAGE, isRefusal, type Refusal, refuseInvalid } from "../../core/schema/refusals.js";
import { LIST_LIMIT_DEFAULT, type pageQuerySchema } from "../../core/schema/service-requests.js";

/** The route and input schemas of an operation of the service or the control API. */
export interface OperationSpec<Query, Body> {
  /** Public: used in OpenAPI documents, scenarios and the request journal. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With parameters as `:name`. */
  readonly path: string;
  readonly query?: z.ZodMiniObject & z.ZodMiniType<Query>;
  /** Without a schema, the body is ignored. */
  readonly body?: z.ZodMiniType<Body>;
  /** Set instead of `body` if the handler validates the body, to report errors of schema and fixtures together. */
  readonly rawBody?: z.ZodMiniType;
  /** Runs due tasks before the handler. */
  readonly runsDueTasks?: true;
}

export interface DocumentedSpec<Words extends OperationDocs = OperationDocs>
  extends OperationSpec<unknown, unknown> {
  /** Name of the response schema. */
  readonly response: string;
  /** Used only in the OpenAPI document. The build removes `docs`. */
  readonly docs: Words;
}

export interface OperationDocs {
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** The sandbox's assumptions, which the interface of the service does not state. */
  readonly assumed?: string;
}

/** The validated query and body of a call. */
export interface CallInput<Query, Body> {
  readonly query: Query;
  readonly body: Body;
}

/** Validates query and body. `isUnknown` is passed to `readQuery`. */
export function readInput(
  { query, body }: OperationSpec<unknown, unknown>,
  url: string,
  rawBody: Record<string, unknown>,
  isUnknown?: (name: string) => boolean,
): CallInput<unknown, unknown> | Refusal {
  const input = query === undefined ? NO_QUERY : readQuery(query, url, isUnknown);
  if (isRefusal(input)) return input;
  if (body === undefined) return { query: input.query, body: rawBody };
  const checked = safeParse(body, rawBody);
  return checked.ok
    ? { query: input.query, body: checked.data }
    : refuseInvalid(issueDetails(checked.issues, body));
}

const NO_QUERY = { query: undefined } as const;

/** Cache of validated empty queries by schema. Validation took a tenth of the time to list payins. */
const emptyQueries = new WeakMap<object, { readonly query: unknown }>();

/** Validates a query. Refuses repeated parameters, and parameters outside `schema` if `isUnknown(name)` is true. */
export function readQuery<T extends Record<string, unknown>>(
  schema: z.ZodMiniObject & z.ZodMiniType<T>,
  url: string,
  isUnknown: (name: string) => boolean = () => false,
): { readonly query: T } | Refusal {
  const mark = url.indexOf("?");
  const query = mark === -1 ? "" : url.slice(mark + 1);
  const read = query === "" ? emptyQueries.get(schema) : undefined;
  if (read !== undefined) return read as { readonly query: T };
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
  const valid = { query: (checked as { data: T }).data };
  if (query === "") emptyQueries.set(schema, valid);
  return valid;
}

function unknownParameterMessage(name: string, known: readonly string[]): string {
  if (known.length === 0) return "is not a known parameter: there are none";
  const near = findNearestWord(name, known);
  return `is not a known parameter${near === undefined ? `; known: ${known.join(", ")}` : `; did you mean ${near}?`}`;
}

export type PageQuery = z.infer<typeof pageQuerySchema>;

/** `limit` and `offset` of a list, with their defaults. */
export function limitAndOffset({ limit, offset }: PageQuery) {
  return {
    limit: limit === undefined ? LIST_LIMIT_DEFAULT : Number(limit),
    offset: offset === undefined ? 0 : Number(offset),
  };
}
