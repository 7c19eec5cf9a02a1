import type * as z from "zod/mini";
import type { PathField } from "../../core/client/control-client.js";
import { findUnknownNames, type NameCheckOptions, type Vocabulary } from "../../core/domain/name-check.js";
import type { IndexedCollection } from "../../core/engine/indexes.js";
import type { Collections } from "../../core/engine/records.js";
import type { State } from "../../core/engine/state.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { Namespaces } from "../../core/namespace/namespaces.js";
import type { Mode } from "../../core/schema/common.js";
import type { OutputName } from "../../core/schema/outputs.js";
import { type ErrorCode, type Refusal, refuseInvalid } from "../../core/schema/refusals.js";
import { PAGE_CHARS_MAX } from "../../core/schema/service-requests.js";
import {
  type CallText,
  type Fields,
  limitAndOffset,
  type OperationResult,
  type OperationRow,
  type PageQuery,
  type RoutedRow,
  withRoute,
} from "../http/operation-row.js";
import { RawJson } from "../http/reply.js";

/** Values of the header `Sandbox-Runner` in calls of the pages, which are doors of changes by hand. */
export const PAGE_RUNNERS = ["dashboard", "checkout"] as const;
export type PageRunner = (typeof PAGE_RUNNERS)[number];

export interface ControlCall<Input = unknown, Parameter = string> {
  readonly namespaces: Namespaces;
  readonly namespace: Namespace;
  readonly url: string;
  readonly input: Input;
  /** The default mode of new objects: that of the request's key, else test. */
  readonly mode: Mode;
  readonly actor: "control" | PageRunner;
  /** Name of the run that makes the call, from the header `Sandbox-Run`. */
  readonly run: string | null;
  /** Calls this server without a socket. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Headers with the control token, for calls that another process may answer. */
  readonly access: Record<string, string>;
  /** Valid names in this namespace by kind, such as event types and payment methods. */
  readonly vocabulary: Vocabulary;
  signal(): AbortSignal;
  param(name: Parameter): string;
}

/** An operation of the control API without its handler. `CONTROL_OPERATIONS_BY_TAG` assigns its tag. */
export interface ControlRow<
  Call extends CallText = CallText,
  Input = unknown,
  Output extends OutputName = OutputName,
> extends OperationRow<Call, Input, Output> {
  /** Schemas of path parameters; without a schema any text is valid. */
  readonly params?: { readonly [Name in PathField<Call>]?: z.ZodMiniType<string> };
  /** Allows query parameters with this prefix. Other unknown parameters, perhaps typos, are refused. */
  readonly queryPrefix?: string;
  readonly prefixedParameters?: string;
  readonly maxBodyBytes?: number;
  readonly maxDepth?: number;
  /** Accepts `?wait=`, the maximum time to wait for a running advance. */
  readonly canWaitForClock?: true;
  readonly errors?: readonly ErrorCode[];
  readonly example?: Readonly<Record<string, unknown>>;
}

export interface ControlHandler<Input, Parameter, Output extends OutputName> {
  run(call: ControlCall<Input, Parameter>): OperationResult<Output> | Promise<OperationResult<Output>>;
}

export type ControlOperation = RoutedRow & ControlRow & ControlHandler<unknown, string, OutputName>;

/** Makes an operation. Its `run` gets a validated call. */
export function defineControlOperation<
  const Id extends string,
  const Call extends CallText,
  const Output extends OutputName,
  Input = Fields,
>(
  row: ControlRow<Call, Input, Output> & ControlHandler<Input, PathField<Call>, Output> & { readonly id: Id },
) {
  return withRoute(row);
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

/** Value of an item in a response, or its JSON text. */
type View<Item> = (item: Item) => object | string;

export function pageReply<Item extends object>(
  records: readonly Item[],
  query: PageQuery,
  view: View<Item> = (item) => item,
  more?: object,
): RawJson {
  const { limit, offset } = limitAndOffset(query);
  const page = { total: records.length, items: records.slice(offset, offset + limit) };
  return limitedPageReply(page, offset, view, more);
}

/** A page of the records of the selected kinds, newest first. */
export function kindsReply<Name extends IndexedCollection>(
  state: State,
  name: Name,
  isSelected: (record: Collections[Name]) => boolean,
  query: PageQuery,
  view: View<Collections[Name]>,
): RawJson {
  const { limit, offset } = limitAndOffset(query);
  return limitedPageReply(state.pageOfKinds(name, isSelected, offset, limit), offset, view);
}

/**
 * A page that ends at `PAGE_CHARS_MAX`, but not before its first item. A page that ends early has the offset of the next
 * one.
 *
 * @param more further members of the response
 */
function limitedPageReply<Item>(
  { total, items }: { readonly total: number; readonly items: readonly Item[] },
  offset: number,
  view: View<Item>,
  more: object = {},
): RawJson {
  const parts: string[] = [];
  let chars = 0;
  for (const item of items) {
    const shown = view(item);
    const json = typeof shown === "string" ? shown : JSON.stringify(shown);
    chars += json.length;
    if (chars > PAGE_CHARS_MAX && parts.length > 0) break;
    parts.push(json);
  }
  const next = parts.length < items.length ? { next: offset + parts.length } : {};
  const rest = JSON.stringify({ total, ...next, ...more });
  return new RawJson(`${rest.slice(0, -1)},"items":[${parts.join(",")}]}`);
}
