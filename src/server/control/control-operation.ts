import type * as z from "zod/mini";
import { findUnknownNames, type NameCheckOptions, type Vocabulary } from "../../core/domain/name-check.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { Namespaces } from "../../core/namespace/namespaces.js";
import type { Mode } from "../../core/schema/common.js";
import { clockWaitQuerySchema, noParametersSchema } from "../../core/schema/control-requests.js";
import { durationToMs } from "../../core/schema/duration.js";
import { issueDetails, safeParse } from "../../core/schema/issues.js";
import {
  type ErrorCode,
  INVALID_QUERY_MESSAGE,
  isRefusal,
  type Refusal,
  refuseInvalid,
} from "../../core/schema/refusals.js";
import { PAGE_CHARS_MAX } from "../../core/schema/service-requests.js";
import {
  type CallInput,
  type DocumentedSpec,
  limitAndOffset,
  type OperationDocs,
  type OperationSpec,
  readInput,
  readQuery,
} from "../http/operation-spec.js";
import { ok, okJson, okStreamed, type Reply } from "../http/reply.js";

type Fields = Record<string, unknown>;

/** A validated call of the control API. */
export interface ControlCall<Query = Fields, Body = Fields> extends CallInput<Query, Body> {
  readonly namespaces: Namespaces;
  readonly namespace: Namespace;
  readonly url: string;
  /** The default mode of new objects: that of the request's key, else test. */
  readonly mode: Mode;
  /** Name of the run that makes the call, from the header `Sandbox-Run`. */
  readonly run: string | null;
  /** Calls this server without a socket. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Headers with the control token, for calls that another process may answer. */
  readonly access: Record<string, string>;
  /** Valid names in this namespace by kind, such as event types and payment methods. */
  readonly vocabulary: Vocabulary;
  /** Aborted when the client disconnects. */
  signal(): AbortSignal;
  param(name: string): string;
}

/** An operation of the control API without its handler. Unknown query parameters, perhaps typos, are refused. */
export interface ControlSpec<Query, Body>
  extends OperationSpec<Query, Body>,
    Pick<DocumentedSpec, "response"> {
  /** For the OpenAPI document only; the build removes it. */
  readonly docs: ControlDocs;
  /** Schemas of path parameters; without a schema any text is valid. */
  readonly params?: Readonly<Record<string, z.ZodMiniType<string>>>;
  /** Allows query parameters with this prefix. */
  readonly queryPrefix?: string;
  readonly maxBodyBytes?: number;
  /** The nesting limit of the body. */
  readonly maxDepth?: number;
  /** Accepts `?wait=`, the maximum time to wait for a running advance. */
  readonly canWaitForClock?: true;
}

/** The OpenAPI description of an operation. `CONTROL_OPERATIONS_BY_TAG` assigns the tag. */
export interface ControlDocs extends Pick<OperationDocs, "summary" | "description"> {
  /** Schema name of a body that the handler validates. A name, unlike a schema, loads nothing at start. */
  readonly body?: string;
  /** A valid body. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** Describes the parameters with `queryPrefix`. */
  readonly prefixedParameters?: string;
  /** Error codes besides the common ones. */
  readonly errorCodes?: readonly ErrorCode[];
}

/** A `ControlSpec` with method and path in one text, such as `GET /_sandbox/charges/:charge_id`. */
type ControlRow<Query, Body> = Omit<ControlSpec<Query, Body>, "method" | "path"> & {
  readonly call: `${ControlSpec<Query, Body>["method"]} /${string}`;
};

/** Declares an operation that is handled elsewhere. */
export function defineControlSpec(row: ControlRow<unknown, unknown>): ControlSpec<unknown, unknown> {
  const { call, ...spec } = row;
  const [method, path] = call.split(" ") as [ControlSpec<unknown, unknown>["method"], string];
  return { ...spec, method, path };
}

/** A call before validation. Validation replaces `query` and `body`. */
export interface UnvalidatedCall extends Omit<ControlCall, "query" | "body"> {
  query: unknown;
  body: unknown;
}

export interface ControlOperation extends ControlSpec<unknown, unknown> {
  handle(call: UnvalidatedCall): Reply | Refusal | Promise<Reply | Refusal>;
}

/** Serialized or streamed JSON, which a handler returns instead of a value. */
export class RawJson {
  readonly json: string | AsyncIterable<string>;

  constructor(json: string | AsyncIterable<string>) {
    this.json = json;
  }
}

/** Makes an operation. Its handler gets a validated call and returns a value to be sent as JSON, or a refusal. */
export function defineControlOperation<Query, Body = Fields>({
  handle,
  ...row
}: ControlRow<Query, Body> & {
  readonly handle: (call: ControlCall<Query, Body>) => object | Promise<object>;
}): ControlOperation {
  const spec = defineControlSpec(row as ControlRow<unknown, unknown>);
  const run = (call: UnvalidatedCall, { query, body }: CallInput<unknown, unknown>) => {
    if (spec.runsDueTasks) call.namespace.runDueTasks();
    call.query = query;
    call.body = body;
    const result = handle(call as ControlCall<Query, Body>);
    return result instanceof Promise ? result.then(replyOf) : replyOf(result);
  };
  const { queryPrefix, canWaitForClock } = spec;
  const checkedSpec = {
    ...spec,
    query: spec.query ?? (canWaitForClock ? clockWaitQuerySchema : noParametersSchema),
  };
  const isUnknown = (name: string) => queryPrefix === undefined || !name.startsWith(queryPrefix);
  return {
    ...spec,
    handle(call) {
      const input = paramError(spec, call) ?? readCheckedInput(checkedSpec, call, isUnknown);
      if (isRefusal(input)) return input;
      return canWaitForClock
        ? waitForClock(call).then((refusal) => refusal ?? run(call, input))
        : run(call, input);
    },
  };
}

function replyOf(result: object): Reply | Refusal {
  if (!(result instanceof RawJson)) return isRefusal(result) ? result : ok(result);
  return typeof result.json === "string" ? okJson(result.json) : okStreamed(result.json);
}

function paramError(
  { params }: ControlSpec<unknown, unknown>,
  { param }: UnvalidatedCall,
): Refusal | undefined {
  if (params === undefined) return undefined;
  for (const [name, schema] of Object.entries(params)) {
    const checked = safeParse(schema, param(name));
    if (!checked.ok) return refuseInvalid({ [name]: issueDetails(checked.issues).body! });
  }
  return undefined;
}

/** Validates query and body. Refuses unknown names, such as a misspelled event type, which would match nothing. */
function readCheckedInput(
  spec: ControlSpec<unknown, unknown>,
  { url, body, vocabulary }: UnvalidatedCall,
  isUnknown: (name: string) => boolean,
): CallInput<unknown, unknown> | Refusal {
  const input = readInput(spec, url, body as Fields, isUnknown);
  if (isRefusal(input)) return input;
  return (
    refuseUnknownNames(spec.query, input.query, { vocabulary }, INVALID_QUERY_MESSAGE) ??
    refuseUnknownNames(spec.body, input.body, { vocabulary }) ??
    input
  );
}

export function refuseUnknownNames(
  schema: z.core.$ZodType | undefined,
  value: unknown,
  names: NameCheckOptions,
  message?: string,
): Refusal | undefined {
  const unknown = schema === undefined ? [] : findUnknownNames(schema, value, names);
  if (unknown.length === 0) return undefined;
  return refuseInvalid(
    Object.fromEntries(unknown.map(({ path, message }) => [path.join("."), message])),
    message,
  );
}

async function waitForClock({ namespace, url }: Pick<ControlCall, "namespace" | "url">) {
  const read = readQuery(clockWaitQuerySchema, url);
  if (isRefusal(read)) return read;
  if (read.query.wait !== undefined) await namespace.clock.whenIdle(durationToMs(read.query.wait));
  return undefined;
}

/** A page of records, mapped by `view`, with the total. */
export function pageReply<Item extends object>(
  records: readonly Item[],
  query: Parameters<typeof limitAndOffset>[0],
  view: (item: Item) => object = (item) => item,
  more?: object,
): RawJson {
  const { limit, offset } = limitAndOffset(query);
  const page = { total: records.length, items: records.slice(offset, offset + limit) };
  return limitedPageReply(page, offset, (item) => JSON.stringify(view(item)), more);
}

/**
 * A page that ends at `PAGE_CHARS_MAX`, but not before its first item. A page that ends early has the offset of the next
 * one.
 *
 * @param more further members of the response
 */
export function limitedPageReply<Item>(
  { total, items }: { readonly total: number; readonly items: readonly Item[] },
  offset: number,
  toJson: (item: Item) => string,
  more: object = {},
): RawJson {
  const parts: string[] = [];
  let chars = 0;
  for (const item of items) {
    const json = toJson(item);
    chars += json.length;
    if (chars > PAGE_CHARS_MAX && parts.length > 0) break;
    parts.push(json);
  }
  const next = parts.length < items.length ? { next: offset + parts.length } : {};
  const rest = JSON.stringify({ total, ...next, ...more });
  return new RawJson(`${rest.slice(0, -1)},"items":[${parts.join(",")}]}`);
}

/** Maps a result by `view`; returns refusals unchanged. */
export function viewOrRefusal<Result>(result: Result | Refusal, view: (result: Result) => object): object {
  return isRefusal(result) ? result : view(result);
}
