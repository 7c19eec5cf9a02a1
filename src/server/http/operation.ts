import type * as z from "zod/mini";
import { INVALID_QUERY_MESSAGE, invalid, isRefusal, type Refusal } from "../../core/schema/errors.js";
import { check, issueDetails, issueMessage, issuePath } from "../../core/schema/issues.js";
import { nearest } from "../../core/schema/nearest.js";
import { PAYIN_LIMIT_DEFAULT } from "../../core/schema/requests.js";

/** An operation without its handler: route, input schemas and response. Operations of the service and of the control API extend it. */
export interface OperationSpec<Query, Body> {
  /** Stable, also in OpenAPI, scenarios and the journal. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With parameters as `:name`. */
  readonly path: string;
  readonly query?: z.ZodMiniObject & z.ZodMiniType<Query>;
  /** The schema of the body. Without one, the body is ignored. */
  readonly body?: z.ZodMiniType<Body>;
  /** The schema of a body that the command checks together with the fixtures, so that one response names every error. */
  readonly rawBody?: z.ZodMiniType;
  /** Runs due tasks before the handler. */
  readonly reads?: true;
}

/** A row with its entry in an OpenAPI document. */
export interface DocumentedSpec<Words extends OperationDocs = OperationDocs>
  extends OperationSpec<unknown, unknown> {
  /** The name of the response schema. */
  readonly answer: string;
  /** For the OpenAPI documents; left out of the build. */
  readonly docs: Words;
}

/** Text of the OpenAPI document. */
export interface OperationDocs {
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Assumptions where the interface does not say. */
  readonly assumed?: string;
}

/** A checked query and body. */
export interface CallInput<Query, Body> {
  readonly query: Query;
  readonly body: Body;
}

/** Checks query and body by their row; `isStray` as in `readQuery`. */
export function readInput(
  { query, body }: OperationSpec<unknown, unknown>,
  url: string,
  sent: Record<string, unknown>,
  isStray?: (name: string) => boolean,
): CallInput<unknown, unknown> | Refusal {
  const asked = query === undefined ? NO_QUERY : readQuery(query, url, isStray);
  if (isRefusal(asked)) return asked;
  if (body === undefined) return { query: asked.query, body: sent };
  const checked = check(body, sent);
  return checked.ok
    ? { query: asked.query, body: checked.data }
    : invalid(issueDetails(checked.issues, body));
}

const NO_QUERY = { query: undefined } as const;

/** Checks the query of a URL by a schema of strings. A repeated parameter is refused, an unknown one only if `isStray` says so. */
export function readQuery<T extends Record<string, unknown>>(
  schema: z.ZodMiniObject & z.ZodMiniType<T>,
  url: string,
  isStray: (name: string) => boolean = () => false,
): { readonly query: T } | Refusal {
  const mark = url.indexOf("?");
  if (mark === -1) {
    const empty = check<T>(schema, {});
    if (empty.ok) return { query: empty.data };
  }
  const parameters = new URLSearchParams(mark === -1 ? "" : url.slice(mark + 1));
  const details = new Map<string, string>();
  const values: Record<string, string> = {};
  const known = Object.keys(schema.shape);
  for (const name of parameters.keys())
    if (!known.includes(name) && isStray(name)) details.set(name, unknownParameterMessage(name, known));
  for (const name of known) {
    const all = parameters.getAll(name);
    if (all.length > 1) details.set(name, "must be given once");
    else if (all.length === 1) values[name] = all[0]!;
  }
  const checked = check<T>(schema, values);
  if (!checked.ok)
    for (const issue of checked.issues)
      if (!details.has(issuePath(issue))) details.set(issuePath(issue), issueMessage(issue));
  if (details.size > 0) return invalid(Object.fromEntries(details), INVALID_QUERY_MESSAGE);
  return { query: (checked as { data: T }).data };
}

function unknownParameterMessage(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return `is not a known parameter${near === undefined ? `; known: ${known.join(", ")}` : `; did you mean ${near}?`}`;
}

/** `limit` and `offset` of a list, with their defaults. */
export function pageOf({ limit, offset }: { limit?: string | undefined; offset?: string | undefined }) {
  return {
    limit: limit === undefined ? PAYIN_LIMIT_DEFAULT : Number(limit),
    offset: offset === undefined ? 0 : Number(offset),
  };
}
