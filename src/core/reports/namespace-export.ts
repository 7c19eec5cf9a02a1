// This folder makes reports from JSON of the control API: list columns, charge histories, OTLP, exports of a namespace
// and of failed tests. Used by the command, the dashboard, the server and scenario runs. No report reads the engine or
// the store.
import { type ControlClient, readPages } from "../../control-client.js";
import type { ChargeStatus } from "../schema/common.js";
import type { ChargeHistoryItem, FailedTest } from "../schema/control-responses.js";
import { isPaid, isRefunded } from "../schema/statuses.js";

type JsonObject = Record<string, unknown>;

interface ItemList {
  readonly total: number;
  readonly items: readonly JsonObject[];
}

/** A charge in responses of the control API. */
export interface ListedCharge extends JsonObject {
  readonly charge_id: string;
  readonly status: ChargeStatus;
}

/** History of a charge, oldest item first. */
export interface ChargeHistory {
  readonly charge: ListedCharge;
  /** True if the charge is paid and every attempted webhook was delivered. */
  readonly is_in_order: boolean;
  readonly items: readonly ChargeHistoryItem[];
}

export interface ChargeHistories {
  /** Number of all charges; `items` has at most 500. */
  readonly charges: number;
  readonly not_in_order: number;
  readonly items: readonly ChargeHistory[];
}

export interface NamespaceLogs {
  readonly requests: ItemList;
  readonly events: ItemList;
  readonly deliveries: ItemList;
  readonly coverage: JsonObject;
  readonly advice: JsonObject;
  readonly stories: ChargeHistories;
}

export interface NamespaceExport extends NamespaceLogs {
  readonly version: string;
  readonly state: JsonObject;
}

/** Maximum number of exported charge histories. Charges whose `is_in_order` is false come first. */
const MOST_STORIES = 500;

/** Names of all namespaces, oldest first. */
export async function readNamespaceNames(client: ControlClient): Promise<string[]> {
  const { items } = await listOf(client, "/namespaces", "name");
  return items.map(({ name }) => String(name)).reverse();
}

export async function exportNamespace(client: ControlClient): Promise<NamespaceExport> {
  const { version } = await client.call<JsonObject>("GET", "/_sandbox");
  const state = await client.call<JsonObject>("GET", "/_sandbox/state");
  return { version: String(version), state, ...(await readNamespaceLogs(client)) };
}

export async function readNamespaceLogs(client: ControlClient): Promise<NamespaceLogs> {
  const get = (path: string) => client.call<JsonObject>("GET", `/_sandbox${path}`);
  const requests = await listOf(client, "/requests", "request_id");
  const events = await listOf(client, "/events", "event_id");
  const deliveries = await listOf(client, "/deliveries", "delivery_id");
  return {
    requests,
    events,
    deliveries,
    coverage: await get("/coverage"),
    advice: await get("/advice"),
    stories: await chargeHistoriesOf(client, deliveries),
  };
}

async function chargeHistoriesOf(client: ControlClient, deliveries: ItemList): Promise<ChargeHistories> {
  const undelivered = new Set(deliveries.items.filter(isUndelivered).map(({ charge_id }) => charge_id));
  const { items } = await listOf(client, "/charges", "charge_id");
  const charges = (items as ListedCharge[]).map((charge) => ({
    charge,
    is_in_order: (isPaid(charge.status) || isRefunded(charge.status)) && !undelivered.has(charge.charge_id),
  }));
  const troubled = charges.filter(({ is_in_order }) => !is_in_order);
  const chosen = [...troubled, ...charges.filter(({ is_in_order }) => is_in_order)].slice(0, MOST_STORIES);
  const stories: ChargeHistory[] = [];
  for (const entry of chosen) {
    const path = `/_sandbox/charges/${encodeURIComponent(entry.charge.charge_id)}/timeline`;
    const { items } = await client.call<Pick<ChargeHistory, "items">>("GET", path);
    stories.push({ ...entry, items });
  }
  return { charges: charges.length, not_in_order: troubled.length, items: stories };
}

/** Returns true if attempts failed and none succeeded. Ignores false events, which a receiver must refuse. */
function isUndelivered({ status, attempts, mishap }: JsonObject): boolean {
  if ((mishap as { forged: boolean } | null)?.forged) return false;
  return status === "failed" || (status === "pending" && (attempts as unknown[]).length > 0);
}

/** Reads all pages, newest first. New records shift the pages, so repeated items are skipped. */
async function listOf(client: ControlClient, path: string, id: string): Promise<ItemList> {
  const found = new Map<unknown, JsonObject>();
  for await (const page of readPages<JsonObject>(`/_sandbox${path}`, (url) => client.call("GET", url)))
    for (const item of page) if (!found.has(item[id])) found.set(item[id], item);
  return { total: found.size, items: [...found.values()] };
}

/** A failed test with the activity saved before its namespace was reset or deleted. */
export interface FailedTestExport extends NamespaceLogs, FailedTest {}

/** Reads failed tests of all namespaces, oldest first. `leftOut` is the number of failed tests that were not saved. */
export async function readFailedTests(
  client: ControlClient,
): Promise<{ readonly tests: readonly FailedTestExport[]; readonly leftOut: number }> {
  const { left_out } = await client.call<JsonObject>("GET", "/_sandbox/failed-tests");
  const { items } = await listOf(client, "/failed-tests", "failed_test_id");
  const tests: FailedTestExport[] = [];
  for (const { failed_test_id } of [...items].reverse())
    tests.push(await client.call<FailedTestExport>("GET", `/_sandbox/failed-tests/${failed_test_id}`));
  return { tests, leftOut: Number(left_out) };
}
