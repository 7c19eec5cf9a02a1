import { type ControlClient, pagesOf } from "../../control-client.js";
import type { ChargeStatus } from "../schema/common.js";
import type { StoryItem } from "../schema/control-responses.js";
import { isPaid } from "../schema/statuses.js";

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
  readonly items: readonly StoryItem[];
}

/** Stories, and of how many charges. */
export interface Stories {
  readonly charges: number;
  readonly not_in_order: number;
  readonly items: readonly Story[];
}

/** What has happened in a namespace. */
export interface Happened {
  readonly requests: List;
  readonly events: List;
  readonly deliveries: List;
  readonly coverage: Json;
  readonly advice: Json;
  readonly stories: Stories;
}

/** What is kept of a namespace. */
export interface Collected extends Happened {
  readonly version: string;
  readonly state: Json;
}

/** Of so many charges the story is kept: those not in order first, then the newest. */
const MOST_STORIES = 500;

/** The namespaces there are, the oldest first. */
export async function namespacesOf(client: ControlClient): Promise<string[]> {
  const { items } = await listOf(client, "/namespaces", "name");
  return items.map(({ name }) => String(name)).reverse();
}

/** What has happened in the client's namespace, and how it stands. */
export async function collect(client: ControlClient): Promise<Collected> {
  const { version } = await client.call<Json>("GET", "/_sandbox");
  const state = await client.call<Json>("GET", "/_sandbox/state");
  return { version: String(version), state, ...(await happenedIn(client)) };
}

/** What has happened in the client's namespace. */
export async function happenedIn(client: ControlClient): Promise<Happened> {
  const get = (path: string) => client.call<Json>("GET", `/_sandbox${path}`);
  const requests = await listOf(client, "/requests", "request_id");
  const events = await listOf(client, "/events", "event_id");
  const deliveries = await listOf(client, "/deliveries", "delivery_id");
  return {
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

/** A failed test and what happened in it, saved before its namespace was reset or deleted. */
export interface FailedTest extends Happened {
  readonly failed_test_id: number;
  readonly test: string;
  readonly namespace: string;
  readonly at: string;
}

/** The failed tests of all namespaces, oldest first, and how many more were not recorded. */
export async function failedTestsOf(
  client: ControlClient,
): Promise<{ readonly tests: readonly FailedTest[]; readonly leftOut: number }> {
  const { left_out } = await client.call<Json>("GET", "/_sandbox/failed-tests");
  const { items } = await listOf(client, "/failed-tests", "failed_test_id");
  const tests: FailedTest[] = [];
  for (const { failed_test_id } of [...items].reverse())
    tests.push(await client.call<FailedTest>("GET", `/_sandbox/failed-tests/${failed_test_id}`));
  return { tests, leftOut: Number(left_out) };
}
