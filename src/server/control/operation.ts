import type * as z from "zod/mini";
import { type NameCheck, unknownNames, type Vocabulary } from "../../core/domain/known-names.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { Namespaces } from "../../core/namespace/namespaces.js";
import type { Mode } from "../../core/schema/common.js";
import { waitQuerySchema } from "../../core/schema/control.js";
import { durationMs } from "../../core/schema/duration.js";
import {
  type ErrorCode,
  INVALID_QUERY_MESSAGE,
  invalid,
  isRefusal,
  type Refusal,
} from "../../core/schema/errors.js";
import { check, issueDetails } from "../../core/schema/issues.js";
import {
  type CallInput,
  type DocumentedSpec,
  type OperationDocs,
  type OperationSpec,
  pageOf,
  readInput,
  readQuery,
} from "../http/operation.js";
import { ok, okJson, okPieces, type Reply } from "../http/reply.js";

type Fields = Record<string, unknown>;

/** A call of the control API with its namespace and its validated query and body. */
export interface ControlCall<Query = Fields, Body = Fields> extends CallInput<Query, Body> {
  readonly namespaces: Namespaces;
  readonly namespace: Namespace;
  readonly url: string;
  /** The mode of the request's key, else test: the default mode of new objects. */
  readonly mode: Mode;
  /** The scenario run that makes the call, from the header `Sandbox-Run`. */
  readonly run: string | null;
  /** Sends a request to this server. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** The namespace's known names: a request may use no others. */
  readonly vocabulary: Vocabulary;
  /** Aborted when the client disconnects. */
  signal(): AbortSignal;
  param(name: string): string;
}

/** A row of the control API. An unknown query parameter is refused, because a typo would go unnoticed. */
export interface ControlSpec<Query, Body> extends OperationSpec<Query, Body>, Pick<DocumentedSpec, "answer"> {
  /** For the OpenAPI document only; the build removes it. */
  readonly docs: ControlDocs;
  /** Schemas of path parameters; without one any text is valid. */
  readonly params?: Readonly<Record<string, z.ZodMiniType<string>>>;
  /** Prefix of further query parameters. */
  readonly queryPrefix?: string;
  /** The limit for imports of a whole state. */
  readonly maxBodyBytes?: number;
  /** The nesting limit for imports of a state, which contains request bodies. */
  readonly maxDepth?: number;
  /** Accepts `?wait=`: how long to wait for a running advance instead of refusing. */
  readonly canWaitForClock?: true;
}

/** The description of a call; its tag follows from its path. */
export interface ControlDocs extends Pick<OperationDocs, "summary" | "description"> {
  /** The name of the schema of a body that the handler validates; it is not loaded at start. */
  readonly body?: string;
  /** A valid body. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** Describes the parameters with the row's `queryPrefix`. */
  readonly prefixedParameters?: string;
  /** Error codes besides those that every such call has. */
  readonly errorCodes?: readonly ErrorCode[];
}

/** A row without a handler. */
export function specWithoutHandler(row: ControlSpec<unknown, unknown>): ControlSpec<unknown, unknown> {
  return row;
}

/** A call before validation; the validated query and body replace the raw ones. */
export interface RawCall extends Omit<ControlCall, "query" | "body"> {
  query: unknown;
  body: unknown;
}

/** A row with its handler. */
export interface ControlOperation extends ControlSpec<unknown, unknown> {
  handle(call: RawCall): Reply | Refusal | Promise<Reply | Refusal>;
}

/** Serialized or streamed JSON, returned by a handler in place of a value. */
export class RawJson {
  readonly json: string | AsyncIterable<string>;

  constructor(json: string | AsyncIterable<string>) {
    this.json = json;
  }
}

/**
 * Makes an operation of a row and a handler. The handler gets validated path parameters, query and body, and returns a
 * value to be sent as JSON, or a refusal.
 */
export function controlOperation<Query, Body = Fields>(
  row: ControlSpec<Query, Body>,
  handle: (call: ControlCall<Query, Body>) => object | Promise<object>,
): ControlOperation {
  const anyRow = row as ControlSpec<unknown, unknown>;
  const work = (call: RawCall, { query, body }: CallInput<unknown, unknown>) => {
    if (row.reads) call.namespace.settle();
    call.query = query;
    call.body = body;
    const answer = handle(call as ControlCall<Query, Body>);
    return answer instanceof Promise ? answer.then(replyOf) : replyOf(answer);
  };
  const { queryPrefix } = row;
  const isStray = (name: string) => queryPrefix === undefined || !name.startsWith(queryPrefix);
  return {
    ...anyRow,
    handle(call) {
      const asked = paramError(anyRow, call) ?? readCheckedInput(anyRow, call, isStray);
      if (isRefusal(asked)) return asked;
      return row.canWaitForClock
        ? waitForClock(call).then((refusal) => refusal ?? work(call, asked))
        : work(call, asked);
    },
  };
}

function replyOf(answer: object): Reply | Refusal {
  if (!(answer instanceof RawJson)) return isRefusal(answer) ? answer : ok(answer);
  return typeof answer.json === "string" ? okJson(answer.json) : okPieces(answer.json);
}

function paramError({ params }: ControlSpec<unknown, unknown>, { param }: RawCall): Refusal | undefined {
  if (params === undefined) return undefined;
  for (const [name, schema] of Object.entries(params)) {
    const named = check(schema, param(name));
    if (!named.ok) return invalid({ [name]: issueDetails(named.issues).body! });
  }
  return undefined;
}

/** Validates query and body, and refuses unknown names: a typo would match nothing and go unnoticed. */
function readCheckedInput(
  row: ControlSpec<unknown, unknown>,
  { url, body, vocabulary }: RawCall,
  isStray: (name: string) => boolean,
): CallInput<unknown, unknown> | Refusal {
  const asked = readInput(row, url, body as Fields, isStray);
  if (isRefusal(asked)) return asked;
  return (
    unknownNameError(row.query, asked.query, { vocabulary }, INVALID_QUERY_MESSAGE) ??
    unknownNameError(row.body, asked.body, { vocabulary }) ??
    asked
  );
}

/** Refuses unknown names in a value. */
export function unknownNameError(
  schema: z.core.$ZodType | undefined,
  value: unknown,
  names: NameCheck,
  message?: string,
): Refusal | undefined {
  const unknown = schema === undefined ? [] : unknownNames(schema, value, names);
  if (unknown.length === 0) return undefined;
  return invalid(Object.fromEntries(unknown.map((one) => [one.path.join("."), one.message])), message);
}

async function waitForClock({ namespace, url }: Pick<ControlCall, "namespace" | "url">) {
  const read = readQuery(waitQuerySchema, url);
  if (isRefusal(read)) return read;
  if (read.query.wait !== undefined) await namespace.clock.idle(durationMs(read.query.wait));
  return undefined;
}

/** A page of the records found, mapped by `view`, with the number of all. */
export function pageReply<Item extends object>(
  found: readonly Item[],
  query: Parameters<typeof pageOf>[0],
  view: (item: Item) => object = (item) => item,
) {
  const { limit, offset } = pageOf(query);
  return { total: found.length, items: found.slice(offset, offset + limit).map(view) };
}

/** Maps a result by `view`; passes a refusal through. */
export function okOr<Result>(result: Result | Refusal, view: (result: Result) => object): object {
  return isRefusal(result) ? result : view(result);
}
