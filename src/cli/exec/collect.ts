import { ControlClient, pagesOf } from "../../control-client.js";
import { maskKey } from "../../http/control/request-view.js";
import type { Sandbox } from "../../sandbox.js";
import type { ChargeStatus } from "../../schema/common.js";
import { isPaid } from "../../schema/statuses.js";

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

/** Of so many charges the story is kept: those not in order first, then the newest. */
const MOST_STORIES = 500;

/** The namespaces there are, the oldest first. */
export async function namespacesOf(sandbox: Sandbox): Promise<string[]> {
  const { items } = await listOf(clientOf(sandbox), "/namespaces", "name");
  return items.map(({ name }) => String(name)).reverse();
}

/** In this process, so that it needs neither a port nor a token. */
function clientOf(sandbox: Sandbox, namespace?: string): ControlClient {
  return new ControlClient({ fetch: sandbox.fetch, namespace });
}

export async function collect(sandbox: Sandbox, namespace: string): Promise<Collected> {
  const client = clientOf(sandbox, namespace);
  const get = (path: string) => client.call<Json>("GET", `/_sandbox${path}`);
  const info = await get("");
  const state = withKeysMasked(await get("/state"));
  const requests = await listOf(client, "/requests", "request_id");
  const events = await listOf(client, "/events", "event_id");
  const deliveries = await listOf(client, "/deliveries", "delivery_id");
  return {
    version: String(info.version),
    state,
    requests,
    events,
    deliveries,
    coverage: await get("/coverage"),
    advice: await get("/advice"),
    stories: await storiesOf(client, deliveries),
  };
}

async function storiesOf(client: ControlClient, deliveries: List): Promise<Stories> {
  const undelivered = new Set(deliveries.items.filter(isUndelivered).map(({ charge_id }) => charge_id));
  const { items } = await listOf(client, "/charges", "charge_id");
  const charges = (items as ChargeView[]).map((charge) => ({
    charge,
    is_in_order: isPaid(charge.status) && !undelivered.has(charge.charge_id),
  }));
  const troubled = charges.filter(({ is_in_order }) => !is_in_order);
  const chosen = [...troubled, ...charges.filter(({ is_in_order }) => is_in_order)].slice(0, MOST_STORIES);
  const stories: Story[] = [];
  for (const one of chosen) {
    const path = `/_sandbox/charges/${encodeURIComponent(one.charge.charge_id)}/timeline`;
    const { items } = await client.call<Pick<Story, "items">>("GET", path);
    stories.push({ ...one, items });
  }
  return { charges: charges.length, not_in_order: troubled.length, items: stories };
}

/** It was tried, and nobody took it; what nobody made, nobody should. */
function isUndelivered({ status, attempts, mishap }: Json): boolean {
  if ((mishap as { forged: boolean } | null)?.forged) return false;
  return status === "failed" || (status === "pending" && (attempts as unknown[]).length > 0);
}

/** The whole of a list, newest first. What comes while it is read moves the rest on: nothing is left out or twice. */
async function listOf(client: ControlClient, path: string, id: string): Promise<List> {
  const found = new Map<unknown, Json>();
  for await (const page of pagesOf<Json>(`/_sandbox${path}`, (at) => client.call("GET", at)))
    for (const item of page) if (!found.has(item[id])) found.set(item[id], item);
  return { total: found.size, items: [...found.values()] };
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
