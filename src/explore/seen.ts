import type { Client } from "../scenario/running/client.js";
import { idOf, type List, listSince, newest, type Row } from "../scenario/running/lists.js";

/** How far the sandbox's lists went when a run began, and how many came to each in the run before. */
export type Mark = Readonly<Record<Watched, { readonly last: string | undefined; readonly usual: number }>>;
type Watched = Extract<List, "requests" | "deliveries" | "charges">;
const WATCHED = ["requests", "deliveries", "charges"] as const;

/** A run makes about so many of each, for all that is known at first. */
const PAGE = 15;
const LONGEST_PAGE = 100;

/** A call of the service that belongs to the run. */
export interface SeenCall {
  readonly operation: string;
  readonly method: string;
  /** What was answered; null where nothing was. */
  readonly status: number | null;
  readonly atMs: number;
  /** The flow's steps made it, not the app. */
  readonly isFlows: boolean;
  /** It names the run's customer, or a charge of theirs. */
  readonly isOwn: boolean;
  /** A fault of the run met it. */
  readonly isMarred: boolean;
  /** The charge it made, and the one it read. */
  readonly made: string | undefined;
  readonly reads: string | undefined;
  /** What it asked for, to tell a repetition. */
  readonly body: string;
}

/** A delivery of a charge's event, and what the app answered to each attempt. */
export interface SeenDelivery {
  readonly charge_id: string;
  readonly event_id: string;
  readonly type: string;
  readonly answers: readonly (number | null)[];
  readonly attempts: readonly {
    readonly status: number | null;
    readonly atMs: number;
    /** A rule of the run took it, or what was answered. */
    readonly isLost: boolean;
  }[];
  /** How the app left an attempt without an answer that no rule took from it. */
  readonly unanswered?: string;
  readonly atMs: number;
}

/** A charge made in the run. */
export interface SeenCharge {
  readonly charge_id: string;
  readonly status: string;
  readonly email: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly history: readonly { readonly status: string; readonly atMs: number }[];
  /** What is planned for it moves it from the call on: no customer has to do anything on a page. */
  readonly goesByItself: boolean;
  readonly createdMs: number;
  readonly endedMs: number;
}

/** What the sandbox saw of one run. */
export interface Seen {
  /** In the order they came. */
  readonly calls: readonly SeenCall[];
  readonly deliveries: readonly SeenDelivery[];
  readonly charges: readonly SeenCharge[];
}

export async function markNow(client: Client): Promise<Mark> {
  const markOf = async (list: Watched) => [list, { last: await newest(client, list), usual: PAGE }] as const;
  return Object.fromEntries(await Promise.all(WATCHED.map(markOf))) as Mark;
}

/** What the lists of the sandbox have, in the order it came. */
export type Rows = Readonly<Record<Watched, readonly Row[]>>;

/**
 * What has come since.
 *
 * @param runs how many there were
 */
export async function rowsSince(
  client: Client,
  mark: Mark,
  runs: number,
): Promise<{ rows: Rows; mark: Mark }> {
  const since = (list: Watched) => {
    const { last, usual } = mark[list];
    // One more is the one that was there before, where a page ends.
    return listSince(client, list, last, Math.min(usual * runs + 1, LONGEST_PAGE));
  };
  const lists = await Promise.all(WATCHED.map(since));
  const ends = WATCHED.map((list, index) => {
    const found = lists[index]!;
    const last = found[0] === undefined ? mark[list].last : idOf(list, found[0]);
    return [list, { last, usual: Math.ceil(found.length / runs) }] as const;
  });
  const rows = WATCHED.map((list, index) => [list, lists[index]!.reverse()] as const);
  return { rows: Object.fromEntries(rows) as unknown as Rows, mark: Object.fromEntries(ends) as Mark };
}

/**
 * What belongs to a run that was alone; calls about other customers' charges, such as a job's that looks at all, are
 * left out.
 *
 * @param email the run's customer, where there were others beside them
 */
export function seenOf({ requests, deliveries, charges }: Rows, email?: string): Seen {
  const made = charges.filter(({ customer_email }) => email === undefined || customer_email === email);
  const own = new Set(made.map(({ charge_id }) => String(charge_id)));
  const emails = new Set(
    email === undefined ? made.map(({ customer_email }) => String(customer_email)) : [email],
  );
  const told = deliveries.filter(({ charge_id }) => own.has(String(charge_id)));
  return {
    calls: requests.flatMap((row) => callOf(row, own, emails, email !== undefined) ?? []),
    deliveries: told.map(deliveryOf),
    charges: made.map(chargeOf),
  };
}

function callOf(
  row: Row,
  own: ReadonlySet<string>,
  emails: ReadonlySet<string>,
  isEveryoneKnown: boolean,
): SeenCall | undefined {
  const { operation, method, path, status, at, runner, fault } = row as Record<string, string | null>;
  const asked = recordOf(row.request_body);
  const answered = recordOf(row.response_body);
  const reads = /\/(ch_[^/?]+)/.exec(path ?? "")?.[1];
  const email = asked.customer_email;
  const isForeign =
    (reads !== undefined && !own.has(reads)) || (typeof email === "string" && !emails.has(email));
  if (operation === null || operation === undefined || (isForeign && (isEveryoneKnown || !isMade(row))))
    return undefined;
  return {
    operation,
    method: String(method),
    status: status === null ? null : Number(status),
    atMs: Date.parse(String(at)),
    isFlows: runner !== null && runner !== undefined,
    isOwn: reads !== undefined || typeof email === "string",
    isMarred: fault !== null && fault !== undefined,
    made: reads === undefined && own.has(String(answered.charge_id)) ? String(answered.charge_id) : undefined,
    reads: method === "GET" ? reads : undefined,
    body: JSON.stringify(asked),
  };
}

/** A call that would make a charge names a customer who may have none yet. */
function isMade({ method, path }: Row): boolean {
  return method === "POST" && !/\/ch_/.test(String(path));
}

/** The sandbox's own words; where a rule is at work they go on with its name. */
const UNANSWERED = /^no answer within [\d.]+ s$/;
const BY_RULE = /\bby scenario /;

function deliveryOf({ charge_id, event_id, type, attempts, created_at }: Row): SeenDelivery {
  const tries = attempts as { status: number | null; error: string | null; at: string }[];
  const unanswered = tries.find(({ error }) => error !== null && UNANSWERED.test(error))?.error;
  return {
    charge_id: String(charge_id),
    event_id: String(event_id),
    type: String(type),
    answers: tries.map(({ status }) => status),
    attempts: tries.map(({ status, error, at }) => ({
      status,
      atMs: Date.parse(at),
      isLost: error !== null && BY_RULE.test(error),
    })),
    ...(typeof unanswered === "string" ? { unanswered } : {}),
    atMs: Date.parse(String(created_at)),
  };
}

function chargeOf(row: Row): SeenCharge {
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
    goesByItself: row.kind === "whitelabel" && moved.length > 0,
    createdMs,
    endedMs: moved.at(-1)?.atMs ?? createdMs,
  };
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
