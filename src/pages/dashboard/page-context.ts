import type { ControlClient } from "../../core/client/control-client.js";
import type { Mode } from "../../core/schema/common.js";
import { relativeUrl } from "../../core/schema/text-format.js";
import type { Ask, Result } from "../../server/http/page-host.js";

/** Result or error of an action; shown once. */
export interface Notice {
  readonly text: string;
  readonly isBad?: boolean;
  /** Snapshot that undoes the action. */
  readonly undo?: string;
}

/** A request for a dashboard page: namespace, view, query and time. */
export interface PageContext {
  /** Calls the control API; a page calls an operation with the same input once. */
  readonly ask: Ask;
  readonly client: ControlClient;
  readonly sandbox: Result<"getSandbox">;
  /** Name of the namespace. */
  readonly namespace: string;
  /** Name of the view. */
  readonly view: string;
  readonly id: string | undefined;
  readonly query: URLSearchParams;
  /** Shows only records of this mode; undefined shows both. */
  readonly mode: Mode | undefined;
  readonly nowMs: number;
  readonly publicUrl: string | undefined;
  /** The public URL, or else the origin of the request. */
  readonly origin: string;
  /** Path of the request, which links are relative to. */
  readonly path: string;
  readonly notice: Notice | undefined;
  /** Keys of the rows that the reader's paused lists show. */
  readonly heldKeys: readonly string[];
  /** Fields of a refused form, to fill it in again. */
  readonly submitted?: URLSearchParams | undefined;
}

export const DASHBOARD_PATH = "/_sandbox/dashboard";

/** Path of a namespace's dashboard, as this server routes it. */
export function dashboardPath(namespace: string): string {
  return `${DASHBOARD_PATH}/${encodeURIComponent(namespace)}`;
}

type Query = Readonly<Record<string, string | undefined>>;

/** Path of a view or object in this namespace, as this server routes it; keeps the mode. */
function viewPath({ namespace, mode }: PageContext, view: string, id?: string, query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, mode: query.mode ?? mode }))
    if (value !== undefined && value !== "") params.set(name, value);
  const object = id === undefined ? "" : `/${encodeURIComponent(id)}`;
  const text = params.toString();
  return `${dashboardPath(namespace)}/${view}${object}${text === "" ? "" : `?${text}`}`;
}

/** Path of the current page with some query parameters replaced, as this server routes it. */
export function currentPath(context: PageContext, query: Query = {}): string {
  const params = Object.fromEntries(context.query);
  return viewPath(context, context.view, context.id, { ...params, ...query });
}

/** Link from the current page to a path of this server. */
export function linkTo({ path }: Pick<PageContext, "path">, to: string): string {
  return relativeUrl(path, to);
}

/** Link from the current page to a view or object in this namespace; keeps the mode. */
export function viewUrl(context: PageContext, view: string, id?: string, query?: Query): string {
  return linkTo(context, viewPath(context, view, id, query));
}

/** Link to the current page with some query parameters replaced. */
export function currentUrl(context: PageContext, query?: Query): string {
  return linkTo(context, currentPath(context, query));
}

/** Page of the charge or payout with this id; undefined for an id of another object, or none. */
export function objectUrl(context: PageContext, id: string | null | undefined): string | undefined {
  const view = /^(ch|wd)_/.exec(id ?? "")?.[1];
  return view === undefined ? undefined : viewUrl(context, view === "ch" ? "charges" : "money", id!);
}

export const ROWS_PER_PAGE = 30;

export function pageOffset({ query }: PageContext): number {
  const offset = Number(query.get("offset") ?? 0);
  return Number.isSafeInteger(offset) && offset > 0 ? offset : 0;
}
