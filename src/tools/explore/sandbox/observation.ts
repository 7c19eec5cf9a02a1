import type { ChargeRule } from "../../../core/schema/scenario-rules.js";
import type { Client } from "../../scenario/running/client.js";
import {
  type LogRow,
  type RecordListName,
  readNewestId,
  readRecordsSince,
  recordIdOf,
} from "../../scenario/running/control-lists.js";
import type {
  ObservedCall,
  ObservedCharge,
  ObservedDelivery,
  ObservedPayment,
  ObservedRun,
} from "../run-record.js";

/** For each list of the sandbox: id of the last row before a run, and the usual number of rows that a run adds. */
export type ListPositions = Readonly<
  Record<Watched, { readonly last: string | undefined; readonly usual: number }>
>;
type Watched = Extract<RecordListName, "requests" | "deliveries" | "charges" | "withdrawals">;
const WATCHED = ["requests", "deliveries", "charges", "withdrawals"] as const;

/** Assumed number of rows per list in the first run. */
const FIRST_PAGE = 15;
const MAX_PAGE = 100;

export async function readListPositions(client: Client): Promise<ListPositions> {
  const positionIn = async (list: Watched) =>
    [list, { last: await readNewestId(client, list), usual: FIRST_PAGE }] as const;
  return Object.fromEntries(await Promise.all(WATCHED.map(positionIn))) as ListPositions;
}

/** Reads sandbox time in milliseconds. */
export async function readClock(client: Client): Promise<number> {
  const { now } = (await client.callOrFail("getClock")) as { now: string };
  return Date.parse(now);
}

/** Rows of the sandbox's lists in order of arrival. */
export type ObservedRows = Readonly<Record<Watched, readonly LogRow[]>>;

/** Reads the rows of a list that are newer than the one with the id, newest first; `usual` of them are expected. */
export type ReadRows = (list: Watched, last: string | undefined, usual: number) => Promise<LogRow[]>;

export function readRowsOf(client: Client): ReadRows {
  // Asks for one extra row, the last row of the previous run, because readRecordsSince() stops at that row.
  return (list, last, usual) => readRecordsSince(client, list, last, Math.min(usual + 1, MAX_PAGE));
}

/** Reads the rows after `position`; `runs` is the number of concurrent runs that added them. */
export async function readRowsSince(
  read: ReadRows,
  position: ListPositions,
  runs: number,
): Promise<{ rows: ObservedRows; position: ListPositions }> {
  const since = (list: Watched) => read(list, position[list].last, position[list].usual * runs);
  const [requests, deliveries, charges] = await Promise.all([
    since("requests"),
    since("deliveries"),
    since("charges"),
  ]);
  const hasWithdrawals = requests.some(({ operation }) => operation === "createWithdrawal");
  const lists = {
    requests,
    deliveries,
    charges,
    withdrawals: hasWithdrawals ? await since("withdrawals") : [],
  };
  const ends = WATCHED.map((list) => {
    const found = lists[list];
    const last = found[0] === undefined ? position[list].last : recordIdOf(list, found[0]);
    return [list, { last, usual: Math.ceil(found.length / runs) }] as const;
  });
  const rows = WATCHED.map((list) => [list, lists[list].reverse()] as const);
  return {
    rows: Object.fromEntries(rows) as unknown as ObservedRows,
    position: Object.fromEntries(ends) as ListPositions,
  };
}

/** Leaves out the payments that name another run by their customer or reference, and the calls that create them. */
export function withoutPaymentsOf(runIds: readonly string[], rows: ObservedRows): ObservedRows {
  const isOurs = ({ customer_email, reference, request_body }: LogRow) => {
    const body = recordOf(request_body);
    const names = [customer_email, reference, body.customer_email, body.reference].map(String);
    return !runIds.some((runId) => names.some((name) => name.includes(runId)));
  };
  const [requests, charges, withdrawals] = [rows.requests, rows.charges, rows.withdrawals].map((list) =>
    list.filter(isOurs),
  ) as [LogRow[], LogRow[], LogRow[]];
  return { ...rows, requests, charges, withdrawals };
}

/**
 * Selects the rows of one run. Selects all withdrawals, because a withdrawal names no customer.
 *
 * @param email selects the charges and calls of one customer; undefined selects all customers
 */
export function observedRunOf(
  { requests, deliveries, charges, withdrawals }: ObservedRows,
  startMs: number,
  { drivenMs, quietMs }: Pick<ObservedRun, "drivenMs" | "quietMs">,
  email?: string,
): ObservedRun {
  const created = charges.filter(
    ({ customer_email }) => email === undefined || isSameEmail(String(customer_email), email),
  );
  const own = new Set([...created.map(objectIdOf), ...withdrawals.map(objectIdOf)]);
  const emails = new Set(created.map(({ customer_email }) => String(customer_email).toLowerCase()));
  if (email !== undefined) emails.add(email.toLowerCase());
  const ownDeliveries = deliveries.filter((row) => own.has(objectIdOf(row)) && !isForged(row));
  const observedDeliveries = ownDeliveries.map(deliveryOf);
  return {
    startMs,
    drivenMs,
    quietMs,
    calls: requests.flatMap((row) => callOf(row, own, emails, email !== undefined) ?? []),
    deliveries: observedDeliveries,
    charges: created.map(chargeOf),
    withdrawals: withdrawals.map((row) => withdrawalOf(row, observedDeliveries)),
  };
}

/** An app, and a customer, may write an address in upper case. */
export function isSameEmail(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function objectIdOf({ charge_id, withdrawal_id }: LogRow): string {
  return String(charge_id ?? withdrawal_id);
}

/** A right app refuses what a forged webhook says. */
function isForged({ mishap }: LogRow): boolean {
  return recordOf(mishap).forged === true;
}

function callOf(
  row: LogRow,
  own: ReadonlySet<string>,
  emails: ReadonlySet<string>,
  isCustomerKnown: boolean,
): ObservedCall | undefined {
  const { operation, method, path, status, at, runner, fault, idempotency_key } = row as Record<
    string,
    string | null
  >;
  const request = recordOf(row.request_body);
  const response = recordOf(row.response_body);
  const readId = /\/((?:ch|wd)_[^/?]+)/.exec(path ?? "")?.[1];
  const responseId = objectIdOf(response);
  const email = request.customer_email;
  const isForeign =
    (readId !== undefined && !own.has(readId)) ||
    (typeof email === "string" && !emails.has(email.toLowerCase()));
  if (operation === null || operation === undefined) return undefined;
  if (isForeign && (isCustomerKnown || !createsPayment(row))) return undefined;
  return {
    id: recordIdOf("requests", row),
    operation,
    method: String(method),
    status: status === null ? null : Number(status),
    atMs: Date.parse(String(at)),
    isByFlow: runner !== null && runner !== undefined,
    isOwn: readId?.startsWith("ch_") || typeof email === "string",
    idempotencyKey: idempotency_key ?? undefined,
    isDeviated: fault !== null && fault !== undefined,
    createdId: readId === undefined && own.has(responseId) ? responseId : undefined,
    readId: method === "GET" ? readId : undefined,
    ...(operation === LIST_OPERATION ? { page: pageOf(recordOf(row.query)) } : {}),
    ...(typeof request.success_url === "string" ? { successUrl: request.success_url } : {}),
  };
}

export const LIST_OPERATION = "listPayins";

function pageOf({ offset }: Record<string, unknown>): ObservedCall["page"] {
  return Number(offset ?? 0) > 0 ? "further" : "first";
}

/** Returns true for a call that should create a payment, even if the call failed and left no charge. */
function createsPayment({ method, path }: LogRow): boolean {
  return method === "POST" && !/\/(ch|wd)_/.test(String(path));
}

/** Error message of an attempt to which the app did not respond in time. */
const UNANSWERED = /^no answer within [\d.]+ s$/;
/** Part of the error message if a scenario rule made the attempt fail. */
const BY_RULE = /\bby scenario /;

function deliveryOf(row: LogRow): ObservedDelivery {
  const { event_id, type, url, attempts, created_at } = row;
  const tries = attempts as {
    status: number | null;
    error: string | null;
    at: string;
    duration_ms: number;
  }[];
  const unanswered = tries.find(({ error }) => error !== null && UNANSWERED.test(error))?.error;
  return {
    object_id: objectIdOf(row),
    event_id: String(event_id),
    url: typeof url === "string" ? url : undefined,
    type: String(type),
    attempts: tries.map(({ status, error, at, duration_ms }) => ({
      status,
      atMs: Date.parse(at),
      durationMs: duration_ms,
      isLost: error !== null && BY_RULE.test(error),
    })),
    ...(typeof unanswered === "string" ? { unanswered } : {}),
    isOpen: row.status === "pending",
    atMs: Date.parse(String(created_at)),
  };
}

function chargeOf(row: LogRow): ObservedCharge {
  const history = (row.status_history as { status: string; at: string }[]).map(({ status, at }) => ({
    status,
    atMs: Date.parse(at),
  }));
  const { timeline } = row.sandbox as { timeline: ChargeRule["timeline"] };
  const planned: readonly string[] = timeline.map(({ to }) => to);
  const moved = history.filter(({ status }) => planned.includes(status));
  const createdMs = Date.parse(String(row.created_at));
  return {
    id: objectIdOf(row),
    status: String(row.status),
    email: String(row.customer_email),
    ...(typeof row.payment_method === "string" ? { method: row.payment_method } : {}),
    base: { amount: String(row.base_amount), currency: String(row.base_currency) },
    amount: String(row.amount),
    currency: String(row.currency),
    timeline,
    metadata: recordOf(row.metadata) as Record<string, string>,
    history,
    isHosted: row.kind === "hosted",
    ...(typeof row.checkout_id === "string" ? { checkoutId: row.checkout_id } : {}),
    expiresMs: Date.parse(String(row.expires_at)),
    isAutomatic: row.kind === "whitelabel" && moved.length > 0,
    createdMs,
    endedMs: moved.at(-1)?.atMs ?? createdMs,
  };
}

/** Derives a withdrawal's history from its webhooks, else from its last change: the control API has no history. */
function withdrawalOf(row: LogRow, deliveries: readonly ObservedDelivery[]): ObservedPayment {
  const id = objectIdOf(row);
  const createdMs = Date.parse(String(row.created_at));
  const events = deliveries.filter(({ object_id }) => object_id === id);
  const last = { status: String(row.status), atMs: Date.parse(String(row.updated_at)) };
  const moves =
    events.length === 0 && last.status !== "PENDING"
      ? [last]
      : events.map(({ type, atMs }) => ({ status: type.split(".").at(-1)!.toUpperCase(), atMs }));
  return {
    id,
    status: String(row.status),
    metadata: recordOf(row.metadata) as Record<string, string>,
    reference: typeof row.reference === "string" ? row.reference : undefined,
    amount: String(row.amount),
    currency: String(row.currency),
    history: [{ status: "PENDING", atMs: createdMs }, ...moves],
    isAutomatic: moves.length > 0,
    createdMs,
    endedMs: moves.at(-1)?.atMs ?? createdMs,
  };
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
