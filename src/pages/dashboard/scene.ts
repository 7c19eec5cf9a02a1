import type { Namespace } from "../../core/namespace/namespace.js";
import type { Namespaces } from "../../core/namespace/namespaces.js";
import type { Mode } from "../../core/schema/common.js";

/** The views, in the order of the menu, each with its name for people. */
export const VIEWS = {
  activity: "Activity",
  charges: "Charges",
  webhooks: "Webhooks",
  requests: "Requests",
  money: "Money",
  scenarios: "Scenarios",
  faults: "Faults",
  checks: "Checks",
  world: "Namespace",
  /** Reached from the field at the top, and not in the menu. */
  search: "Search",
} as const;
export type ViewName = keyof typeof VIEWS;

export function isView(name: string): name is ViewName {
  return Object.hasOwn(VIEWS, name);
}

/** What an action did, or why it did nothing; shown once. */
export interface Notice {
  readonly text: string;
  readonly isBad?: boolean;
  /** The snapshot that takes it back. */
  readonly undo?: string;
}

/** Where somebody looks, and the moment they look at. */
export interface Scene {
  readonly namespaces: Namespaces;
  readonly namespace: Namespace;
  readonly view: ViewName;
  readonly id: string | undefined;
  readonly query: URLSearchParams;
  /** Only what is of this mode; undefined is both. */
  readonly mode: Mode | undefined;
  readonly nowMs: number;
  /** The server as the reader reaches it. */
  readonly origin: string;
  readonly notice: Notice | undefined;
  /** What was filled in, where it has been refused: it is there still. */
  readonly typed?: URLSearchParams | undefined;
}

export const DASHBOARD = "/_sandbox/dashboard";

export function homeOf(namespace: string): string {
  return `${DASHBOARD}/${encodeURIComponent(namespace)}`;
}

/** The address of a view or an object in this namespace; the mode goes along. */
export function href(
  { namespace, mode }: Pick<Scene, "namespace" | "mode">,
  view: ViewName,
  id?: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, mode: query.mode ?? mode }))
    if (value !== undefined && value !== "") asked.set(name, value);
  const text = asked.toString();
  return `${homeOf(namespace.name)}/${view}${id === undefined ? "" : `/${encodeURIComponent(id)}`}${text === "" ? "" : `?${text}`}`;
}

/** The address of what is looked at, with some of its query otherwise. */
export function here(scene: Scene, query: Readonly<Record<string, string | undefined>> = {}): string {
  const asked = Object.fromEntries(scene.query);
  return href(scene, scene.view, scene.id, { ...asked, ...query });
}

/** Whether a record is of the mode that is looked at. */
export function isShown({ mode }: Scene, record: { readonly mode: Mode }): boolean {
  return mode === undefined || record.mode === mode;
}

export const PAGE_ROWS = 30;

export function offsetOf({ query }: Scene, name = "offset"): number {
  const offset = Number(query.get(name) ?? 0);
  return Number.isSafeInteger(offset) && offset > 0 ? offset : 0;
}
