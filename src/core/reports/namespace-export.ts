// This folder makes words and reports from plain facts: why a payment has its status and what comes next, what is
// wrong, list columns, charge histories, exports of a namespace and of failed tests. Nothing in it reads the engine or
// the store.
import type { ControlClient } from "../client/control-client.js";
import type { ControlOperationId } from "../client/operations.js";
import type { ChargeStatus } from "../schema/common.js";
import type { ChargeHistoryItem, FailedTest } from "../schema/control-responses.js";
import { isSuccessStatus } from "../schema/http-response.js";
import { CHARGE_STATUS_TABLE, isPaid, isRefunded } from "../schema/statuses.js";

type JsonObject = Record<string, unknown>;

interface ItemList {
  readonly total: number;
  readonly items: readonly JsonObject[];
}

export interface ListedCharge extends JsonObject {
  readonly charge_id: string;
  readonly status: ChargeStatus;
}

export interface ChargeSummary {
  readonly charge: ListedCharge;
  /** True if the charge is paid, every attempted webhook was delivered, and the app answered none with an error. */
  readonly is_in_order: boolean;
}

/** History of a charge, oldest item first. */
export interface ChargeHistory extends ChargeSummary {
  /** The failed test that had the charge; undefined if the charge is in a live namespace. */
  readonly test?: string;
  readonly items: readonly ChargeHistoryItem[];
}

export interface ChargeHistories {
  /** Number of all charges; `items` has at most 500. */
  readonly charges: number;
  readonly not_in_order: number;
  readonly items: readonly ChargeHistory[];
}

interface NamespaceLogs {
  readonly requests: ItemList;
  readonly events: ItemList;
  readonly deliveries: ItemList;
  readonly coverage: JsonObject;
  readonly advice: JsonObject;
  readonly stories: ChargeHistories;
}

interface NamespaceExport extends NamespaceLogs {
  readonly version: string;
  readonly state: JsonObject;
}

/** Maximum number of exported charge histories. Charges whose `is_in_order` is false come first. */
const MOST_STORIES = 500;

/** Names of all namespaces, oldest first. */
export async function readNamespaceNames(client: ControlClient): Promise<string[]> {
  const { items } = await listOf(client, "listNamespaces", "name");
  return items.map(({ name }) => String(name)).reverse();
}

export async function exportNamespace(client: ControlClient): Promise<NamespaceExport> {
  const { version } = await client.run<JsonObject>("getSandbox");
  const state = await client.run<JsonObject>("getState");
  return { version: String(version), state, ...(await readNamespaceLogs(client)) };
}

/** @param chargeIds the charges to read, with their events and deliveries; default: all */
export async function readNamespaceLogs(
  client: ControlClient,
  chargeIds?: readonly string[],
): Promise<NamespaceLogs> {
  const requests = await listOf(client, "listRequests", "request_id");
  const events = ofCharges(await listOf(client, "listEvents", "event_id"), chargeIds);
  const deliveries = ofCharges(await listOf(client, "listDeliveries", "delivery_id"), chargeIds);
  return {
    requests,
    events,
    deliveries,
    coverage: await client.run("getCoverage"),
    advice: await client.run("getAdvice"),
    stories: await chargeHistoriesOf(client, deliveries, chargeIds),
  };
}

function ofCharges({ items, total }: ItemList, chargeIds: readonly string[] | undefined): ItemList {
  if (chargeIds === undefined) return { items, total };
  const own = items.filter(({ charge_id }) => chargeIds.includes(String(charge_id)));
  return { items: own, total: own.length };
}

async function chargeHistoriesOf(
  client: ControlClient,
  deliveries: ItemList,
  chargeIds: readonly string[] | undefined,
): Promise<ChargeHistories> {
  const all = await listCharges(client, deliveries);
  const charges = all.filter(({ charge }) => chargeIds?.includes(charge.charge_id) ?? true);
  const items: ChargeHistory[] = [];
  for (const summary of charges.slice(0, MOST_STORIES)) items.push(await readChargeHistory(client, summary));
  const not_in_order = charges.filter(({ is_in_order }) => !is_in_order).length;
  return { charges: charges.length, not_in_order, items };
}

/** Groups: with failed webhooks; failed, cancelled or expired; unpaid; in order. Each group newest first. */
export async function listCharges(client: ControlClient, deliveries?: ItemList): Promise<ChargeSummary[]> {
  const { items: sent } = deliveries ?? (await listOf(client, "listDeliveries", "delivery_id"));
  const refused = new Set(sent.filter(hasFailed).map(({ charge_id }) => charge_id));
  const { items } = await listOf(client, "listCharges", "charge_id");
  const rankOf = ({ charge_id, status }: ListedCharge): number => {
    if (refused.has(charge_id)) return 0;
    if (isPaid(status) || isRefunded(status)) return IN_ORDER;
    return CHARGE_STATUS_TABLE[status].tone === "bad" ? 1 : 2;
  };
  return (items as ListedCharge[])
    .map((charge) => ({ charge, rank: rankOf(charge) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ charge, rank }) => ({ charge, is_in_order: rank === IN_ORDER }));
}

const IN_ORDER = 3;

export async function readChargeHistory(
  client: ControlClient,
  summary: ChargeSummary,
): Promise<ChargeHistory> {
  const { charge_id } = summary.charge;
  const { items } = await client.run<Pick<ChargeHistory, "items">>("getChargeTimeline", { charge_id });
  return { ...summary, items };
}

/** Attempts failed and none succeeded, or the app refused an unchanged webhook. False events do not count. */
function hasFailed({ status, attempts, mishap }: JsonObject): boolean {
  if ((mishap as { forged: boolean } | null)?.forged) return false;
  const made = attempts as readonly { readonly status: number | null }[];
  if (status === "failed" || (status === "pending" && made.length > 0)) return true;
  return (
    mishap === null && made.some((attempt) => attempt.status !== null && !isSuccessStatus(attempt.status))
  );
}

type ListId = Extract<ControlOperationId, `list${string}`>;

/** Reads all pages, newest first. New records shift the pages, so repeated items are skipped. */
async function listOf(client: ControlClient, list: ListId, key: string): Promise<ItemList> {
  const found = new Map<unknown, JsonObject>();
  for await (const page of client.pages<JsonObject>(list))
    for (const item of page) if (!found.has(item[key])) found.set(item[key], item);
  return { total: found.size, items: [...found.values()] };
}

/** A failed test with the activity saved before its namespace was reset or deleted. */
export interface FailedTestExport extends NamespaceLogs, FailedTest {}

export function addFailedTests(logs: NamespaceLogs, tests: readonly FailedTestExport[]): NamespaceLogs {
  const newest = [...tests].reverse();
  const withTests = <Item extends object>(
    own: readonly Item[],
    itemsOf: (test: FailedTestExport) => readonly Item[],
  ): Item[] => [
    ...own,
    ...newest.flatMap((failed) => {
      const { test, namespace } = failed;
      return itemsOf(failed).map((item) => ({ ...item, test, namespace }));
    }),
  ];
  const list = (name: "requests" | "events" | "deliveries"): ItemList => {
    const items = withTests(logs[name].items, (failed) => failed[name].items);
    return { total: items.length, items };
  };
  const sum = (count: "charges" | "not_in_order") =>
    tests.reduce((total, { stories }) => total + stories[count], logs.stories[count]);
  return {
    ...logs,
    requests: list("requests"),
    events: list("events"),
    deliveries: list("deliveries"),
    stories: {
      charges: sum("charges"),
      not_in_order: sum("not_in_order"),
      items: withTests(logs.stories.items, ({ stories }) => stories.items).sort(
        (a, b) => Number(a.is_in_order) - Number(b.is_in_order),
      ),
    },
  };
}

/** Reads failed tests of all namespaces, oldest first. `leftOut` is the number of failed tests that were not saved. */
export async function readFailedTests(
  client: ControlClient,
): Promise<{ readonly tests: readonly FailedTestExport[]; readonly leftOut: number }> {
  const { left_out } = await client.run<JsonObject>("listFailedTests");
  const { items } = await listOf(client, "listFailedTests", "failed_test_id");
  const tests: FailedTestExport[] = [];
  for (const { failed_test_id } of [...items].reverse() as FailedTest[])
    tests.push(await client.run<FailedTestExport>("getFailedTest", { failed_test_id }));
  return { tests, leftOut: Number(left_out) };
}
