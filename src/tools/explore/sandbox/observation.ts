import type { Client } from "../../scenario/running/client.js";
import { idOf, type List, type LogRow, listSince, newestId } from "../../scenario/running/control-lists.js";
import type { Observed, ObservedCall, ObservedCharge, ObservedDelivery } from "../deviable.js";

/** Position in the sandbox's lists at the start of a run, with the usual number of rows per run. */
export type ListPosition = Readonly<
  Record<Watched, { readonly last: string | undefined; readonly usual: number }>
>;
type Watched = Extract<List, "requests" | "deliveries" | "charges">;
const WATCHED = ["requests", "deliveries", "charges"] as const;

/** Assumed number of rows per list in the first run. */
const FIRST_PAGE = 15;
const MAX_PAGE = 100;

export async function currentPosition(client: Client): Promise<ListPosition> {
  const positionIn = async (list: Watched) =>
    [list, { last: await newestId(client, list), usual: FIRST_PAGE }] as const;
  return Object.fromEntries(await Promise.all(WATCHED.map(positionIn))) as ListPosition;
}

/** Rows of the sandbox's lists in order of arrival. */
export type Rows = Readonly<Record<Watched, readonly LogRow[]>>;

/** Reads the rows since a position; `runs` is the number of runs that made them. */
export async function rowsSince(
  client: Client,
  position: ListPosition,
  runs: number,
): Promise<{ rows: Rows; position: ListPosition }> {
  const since = (list: Watched) => {
    const { last, usual } = position[list];
    // The additional row is the last one of the previous run, which ends the page.
    return listSince(client, list, last, Math.min(usual * runs + 1, MAX_PAGE));
  };
  const lists = await Promise.all(WATCHED.map(since));
  const ends = WATCHED.map((list, index) => {
    const found = lists[index]!;
    const last = found[0] === undefined ? position[list].last : idOf(list, found[0]);
    return [list, { last, usual: Math.ceil(found.length / runs) }] as const;
  });
  const rows = WATCHED.map((list, index) => [list, lists[index]!.reverse()] as const);
  return {
    rows: Object.fromEntries(rows) as unknown as Rows,
    position: Object.fromEntries(ends) as ListPosition,
  };
}

/**
 * Selects the rows of one run. Calls about charges of other customers, such as those of a job, are left out.
 *
 * @param email the run's customer, where other runs were concurrent
 */
export function observedOf({ requests, deliveries, charges }: Rows, email?: string): Observed {
  const made = charges.filter(({ customer_email }) => email === undefined || customer_email === email);
  const own = new Set(made.map(({ charge_id }) => String(charge_id)));
  const emails = new Set(
    email === undefined ? made.map(({ customer_email }) => String(customer_email)) : [email],
  );
  const ownDeliveries = deliveries.filter(({ charge_id }) => own.has(String(charge_id)));
  return {
    calls: requests.flatMap((row) => callOf(row, own, emails, email !== undefined) ?? []),
    deliveries: ownDeliveries.map(deliveryOf),
    charges: made.map(chargeOf),
  };
}

function callOf(
  row: LogRow,
  own: ReadonlySet<string>,
  emails: ReadonlySet<string>,
  isCustomerKnown: boolean,
): ObservedCall | undefined {
  const { operation, method, path, status, at, runner, fault } = row as Record<string, string | null>;
  const request = recordOf(row.request_body);
  const response = recordOf(row.response_body);
  const readId = /\/(ch_[^/?]+)/.exec(path ?? "")?.[1];
  const email = request.customer_email;
  const isForeign =
    (readId !== undefined && !own.has(readId)) || (typeof email === "string" && !emails.has(email));
  if (
    operation === null ||
    operation === undefined ||
    (isForeign && (isCustomerKnown || !createsCharge(row)))
  )
    return undefined;
  return {
    operation,
    method: String(method),
    status: status === null ? null : Number(status),
    atMs: Date.parse(String(at)),
    isByFlow: runner !== null && runner !== undefined,
    isOwn: readId !== undefined || typeof email === "string",
    isDeviated: fault !== null && fault !== undefined,
    createdId: readId === undefined && own.has(String(response.charge_id)) ? String(response.charge_id) : undefined,
    readId: method === "GET" ? readId : undefined,
  };
}

/** Such a call names a customer who may have no charge yet. */
function createsCharge({ method, path }: LogRow): boolean {
  return method === "POST" && !/\/ch_/.test(String(path));
}

/** Error texts of the sandbox; those caused by a rule end with the rule's name. */
const UNANSWERED = /^no answer within [\d.]+ s$/;
const BY_RULE = /\bby scenario /;

function deliveryOf({ charge_id, event_id, type, attempts, created_at }: LogRow): ObservedDelivery {
  const tries = attempts as { status: number | null; error: string | null; at: string }[];
  const unanswered = tries.find(({ error }) => error !== null && UNANSWERED.test(error))?.error;
  return {
    charge_id: String(charge_id),
    event_id: String(event_id),
    type: String(type),
    attempts: tries.map(({ status, error, at }) => ({
      status,
      atMs: Date.parse(at),
      isLost: error !== null && BY_RULE.test(error),
    })),
    ...(typeof unanswered === "string" ? { unanswered } : {}),
    atMs: Date.parse(String(created_at)),
  };
}

function chargeOf(row: LogRow): ObservedCharge {
  const charge_id = String(row.charge_id);
  const history = (row.status_history as { status: string; at: string }[]).map(({ status, at }) => ({
    status,
    atMs: Date.parse(at),
  }));
  const { timeline } = row.sandbox as { timeline: { to: string }[] };
  const planned = timeline.map(({ to }) => to);
  const moved = history.filter(({ status }) => planned.includes(status));
  const createdMs = Date.parse(String(row.created_at));
  return {
    charge_id,
    status: String(row.status),
    email: String(row.customer_email),
    metadata: recordOf(row.metadata) as Record<string, string>,
    history,
    isAutomatic: row.kind === "whitelabel" && moved.length > 0,
    createdMs,
    endedMs: moved.at(-1)?.atMs ?? createdMs,
  };
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
