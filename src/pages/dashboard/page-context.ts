import type { Namespace } from "../../core/namespace/namespace.js";
import type { Namespaces } from "../../core/namespace/namespaces.js";
import type { Mode } from "../../core/schema/common.js";
import { relativeUrl } from "../../core/schema/text-format.js";

/** View names and titles, in menu order. */
export const VIEWS = {
  activity: "Activity",
  charges: "Charges",
  webhooks: "Webhooks",
  requests: "Requests",
  money: "Money",
  scenarios: "Scenarios",
  faults: "Faults",
  namespace: "Namespace",
} as const;
export type ViewName = keyof typeof VIEWS;

export function isViewName(name: string): name is ViewName {
  return Object.hasOwn(VIEWS, name);
}

/** Result or error of an action; shown once. */
export interface Notice {
  readonly text: string;
  readonly isBad?: boolean;
  /** Snapshot that undoes the action. */
  readonly undo?: string;
}

/** A request for a dashboard page: namespace, view, query and time. */
export interface PageContext {
  readonly namespaces: Namespaces;
  readonly namespace: Namespace;
  readonly view: ViewName;
  readonly id: string | undefined;
  readonly query: URLSearchParams;
  /** Shows only records of this mode; undefined shows both. */
  readonly mode: Mode | undefined;
  readonly nowMs: number;
  /** Public URL of the server. */
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

/** Path of a view or object in this namespace, as this server routes it; keeps the mode. */
function viewPath(
  { namespace, mode }: PageContext,
  view: ViewName,
  id?: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, mode: query.mode ?? mode }))
    if (value !== undefined && value !== "") params.set(name, value);
  const text = params.toString();
  return `${dashboardPath(namespace.name)}/${view}${
    id === undefined ? "" : `/${encodeURIComponent(id)}`
  }${text === "" ? "" : `?${text}`}`;
}

/** Path of the current page with some query parameters replaced, as this server routes it. */
export function currentPath(
  context: PageContext,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const params = Object.fromEntries(context.query);
  return viewPath(context, context.view, context.id, { ...params, ...query });
}

/** Link from the current page to a path of this server. */
export function linkTo({ path }: Pick<PageContext, "path">, to: string): string {
  return relativeUrl(path, to);
}

/** Link from the current page to a view or object in this namespace; keeps the mode. */
export function viewUrl(
  context: PageContext,
  view: ViewName,
  id?: string,
  query?: Readonly<Record<string, string | undefined>>,
): string {
  return linkTo(context, viewPath(context, view, id, query));
}

/** Link to the current page with some query parameters replaced. */
export function currentUrl(
  context: PageContext,
  query?: Readonly<Record<string, string | undefined>>,
): string {
  return linkTo(context, currentPath(context, query));
}

export function isInMode({ mode }: PageContext, record: { readonly mode: Mode }): boolean {
  return mode === undefined || record.mode === mode;
}

export const ROWS_PER_PAGE = 30;

export function pageOffset({ query }: PageContext, name = "offset"): number {
  const offset = Number(query.get(name) ?? 0);
  return Number.isSafeInteger(offset) && offset > 0 ? offset : 0;
}
