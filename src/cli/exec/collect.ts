import { isPaid } from "../../domain/statuses.js";
import { maskKey } from "../../http/control/request-view.js";
import type { Sandbox } from "../../sandbox.js";
import type { ChargeStatus } from "../../schema/common.js";

type Json = Record<string, unknown>;

interface List {
  readonly total: number;
  readonly items: readonly Json[];
}

/** A charge as the control API shows it. */
export interface ChargeView extends Json {
  readonly charge_id: string;
  readonly status: ChargeStatus;
}

/** What happened to a charge, in order. */
export interface Story {
  readonly charge: ChargeView;
  /** Not a success, or a webhook of it never got a good answer. */
  readonly is_in_order: boolean;
  readonly items: readonly (Json & { readonly at: string; readonly kind: string })[];
}

/** Stories, and of how many charges. */
export interface Stories {
  readonly charges: number;
  readonly not_in_order: number;
  readonly items: readonly Story[];
}

/** What is kept of a namespace. */
export interface Collected {
  readonly version: string;
  readonly state: Json;
  readonly requests: List;
  readonly events: List;
  readonly deliveries: List;
  readonly coverage: Json;
  readonly advice: Json;
  readonly stories: Stories;
}

/** A list's page can be so long. */
const PAGE = 100;
/** Of so many charges the story is kept: those not in order first, then the newest. */
const MOST_STORIES = 500;

/** The namespaces there are, the oldest first. */
export async function namespacesOf(sandbox: Sandbox): Promise<string[]> {
  const { items } = await listOf(sandbox, "default", "/_sandbox/namespaces", "name");
  return items.map(({ name }) => String(name)).reverse();
}

export async function collect(sandbox: Sandbox, namespace: string): Promise<Collected> {
  const call = (path: string) => read(sandbox, namespace, path);
  const list = (path: string, id: string) => listOf(sandbox, namespace, path, id);
  const info = await call("/_sandbox");
  const state = withKeysMasked(await call("/_sandbox/state"));
  const requests = await list("/_sandbox/requests", "request_id");
  const events = await list("/_sandbox/events", "event_id");
  const deliveries = await list("/_sandbox/deliveries", "delivery_id");
  return {
    version: String(info.version),
    state,
    requests,
    events,
    deliveries,
    coverage: await call("/_sandbox/coverage"),
    advice: await call("/_sandbox/advice"),
    stories: await storiesOf(sandbox, namespace, deliveries),
  };
}

async function storiesOf(sandbox: Sandbox, namespace: string, deliveries: List): Promise<Stories> {
  const undelivered = new Set(deliveries.items.filter(isUndelivered).map(({ charge_id }) => charge_id));
  const { items } = await listOf(sandbox, namespace, "/_sandbox/charges", "charge_id");
  const charges = (items as ChargeView[]).map((charge) => ({
    charge,
    is_in_order: isPaid(charge.status) && !undelivered.has(charge.charge_id),
  }));
  const troubled = charges.filter(({ is_in_order }) => !is_in_order);
  const chosen = [...troubled, ...charges.filter(({ is_in_order }) => is_in_order)].slice(0, MOST_STORIES);
  const stories: Story[] = [];
  for (const one of chosen) {
    const path = `/_sandbox/charges/${encodeURIComponent(one.charge.charge_id)}/timeline`;
    stories.push({ ...one, items: (await read(sandbox, namespace, path)).items as Story["items"] });
  }
  return { charges: charges.length, not_in_order: troubled.length, items: stories };
}

/** It was tried, and nobody took it. */
function isUndelivered({ status, attempts }: Json): boolean {
  return status === "failed" || (status === "pending" && (attempts as unknown[]).length > 0);
}

/** The whole of a list, newest first. What comes while it is read moves the rest on: nothing is left out or twice. */
async function listOf(sandbox: Sandbox, namespace: string, path: string, id: string): Promise<List> {
  const found = new Map<unknown, Json>();
  for (let offset = 0; ; offset += PAGE) {
    const { items } = await read(sandbox, namespace, `${path}?limit=${PAGE}&offset=${offset}`);
    for (const item of items as Json[]) if (!found.has(item[id])) found.set(item[id], item);
    if ((items as Json[]).length < PAGE) return { total: found.size, items: [...found.values()] };
  }
}

/** In this process, so that it needs neither a port nor a token. */
async function read(sandbox: Sandbox, namespace: string, path: string): Promise<Json> {
  const headers = { "sandbox-namespace": namespace };
  const response = await sandbox.fetch(new Request(`http://sandbox${path}`, { headers }));
  if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Json;
}

/** Answers kept for their Idempotency-Key are found by the API key too. */
function withKeysMasked(state: Json): Json {
  const collections = state.collections as Record<string, [string, unknown][]>;
  const idempotency = collections.idempotency?.map(([place, answer]): [string, unknown] => {
    const [key, ...rest] = place.split("|");
    return [[maskKey(key!), ...rest].join("|"), answer];
  });
  return idempotency === undefined ? state : { ...state, collections: { ...collections, idempotency } };
}
