import type { Charge } from "../domain/charge.js";
import type { Attempt, Change, Delivery, Endpoint, EventRecord } from "../engine/records.js";
import type {
  AttemptHappened,
  MadeObject,
  OnHappening,
  RequestHappened,
  TransitionHappened,
} from "../schema/happening.js";
import { IN_PROCESS_SCHEME } from "../schema/receiver-url.js";
import { iso } from "../schema/time.js";
import type { Namespace } from "./namespace.js";
import type { Observer } from "./observers.js";
import type { JournalEntry } from "./served-request.js";

/** Reports finished requests, status changes and webhook attempts as activity. */
export function happeningsOf(namespace: Namespace, tell: OnHappening): Observer {
  const { name } = namespace;
  // A delivery is stored again for other reasons too.
  const told = new WeakSet<Attempt>();
  return {
    onRequest: (entry) => tell(() => requestHappened(name, entry)),
    onChange: ({ puts }) => {
      for (const [collection, , record] of puts) {
        if (record === null) continue;
        // A status change and its event are in one change.
        if (collection === "events") {
          const object = objectOf(puts, record as EventRecord);
          if (object !== undefined) tell(() => transitionHappened(name, object, record as EventRecord));
        } else if (collection === "deliveries") {
          const attempt = (record as Delivery).attempts.at(-1);
          if (attempt === undefined || told.has(attempt)) continue;
          told.add(attempt);
          tell(() => attemptHappened(namespace, record as Delivery, attempt));
        }
      }
    },
  };
}

/** The reported fields of a charge or withdrawal. */
type Moved = Pick<Charge, "status" | "failure_reason" | "scenario"> &
  Partial<Pick<Charge, "overruled" | "actors">>;

function objectOf(puts: Change["puts"], { object_id }: EventRecord): Moved | undefined {
  const put = puts.find(([name, key]) => key === object_id && (name === "charges" || name === "withdrawals"));
  return (put?.[2] as Moved | null | undefined) ?? undefined;
}

function transitionHappened(namespace: string, moved: Moved, event: EventRecord): TransitionHappened {
  const { status, failure_reason } = moved;
  return {
    kind: "transition",
    namespace,
    at: event.at,
    id: event.object_id!,
    status,
    reason: failure_reason,
    by: whoMoved(moved),
  };
}

function whoMoved({ status, scenario, overruled, actors = [] }: Moved): string | null {
  if (actors.at(-1) === "customer") return "by the customer";
  if (overruled) return "by hand";
  return status === "EXPIRED" || scenario === null ? null : `scenario ${scenario}`;
}

function requestHappened(namespace: string, entry: JournalEntry): RequestHappened {
  const { status, method } = entry;
  const isRefused = status !== null && status >= 400;
  const answer = isRefused || method !== "GET" ? objectIn(entry.responseBody) : {};
  return {
    kind: "request",
    namespace,
    at: iso(entry.atMs),
    method,
    path: entry.path,
    status,
    unanswered: status !== null ? null : entry.clientGone ? "client gone" : "connection cut",
    fault: entry.fault,
    runner: entry.runner ?? null,
    error: isRefused ? errorIn(answer) : null,
    made: isRefused ? null : madeIn(answer, entry.requestBody),
  };
}

function objectIn(text: string | null): Readonly<Record<string, unknown>> {
  try {
    return { ...(JSON.parse(text ?? "") as object) };
  } catch {
    return {};
  }
}

/** The first detail, more specific than the message of a body with several errors. */
function errorIn({ error }: Readonly<Record<string, unknown>>): string | null {
  if (typeof error !== "object" || error === null) return null;
  const { message, details } = error as { message?: string; details?: Record<string, unknown> };
  const [detail] = Object.entries(details ?? {});
  return detail === undefined ? (message ?? null) : detail.join(" ");
}

const IDS = ["charge_id", "withdrawal_id", "quote_id", "webhook_id", "destination_id"];

/** A response may omit fields of its request. */
function madeIn(answer: Readonly<Record<string, unknown>>, request: string | null): MadeObject | null {
  const id = IDS.map((name) => answer[name]).find((value) => typeof value === "string");
  if (id === undefined) return null;
  const all = { ...objectIn(request), ...answer };
  const textOf = (name: keyof MadeObject) => (typeof all[name] === "string" ? all[name] : null);
  return {
    id: id as string,
    amount: textOf("amount"),
    currency: textOf("currency"),
    customer_email: textOf("customer_email"),
  };
}

function attemptHappened(namespace: Namespace, delivery: Delivery, attempt: Attempt): AttemptHappened {
  const endpoint = namespace.engine.state.get("endpoints", delivery.webhook_id);
  const { status, error, response_body } = attempt;
  return {
    kind: "attempt",
    namespace: namespace.name,
    at: attempt.at,
    type: delivery.event_type,
    delivery_id: delivery.delivery_id,
    target: endpoint === undefined ? delivery.webhook_id : targetOf(endpoint),
    status,
    error,
    response_body,
    next_attempt_at: delivery.next_attempt_at,
  };
}

function targetOf({ url, mailbox }: Endpoint): string {
  if (url === null) return `mailbox ${mailbox}`;
  return url.startsWith(IN_PROCESS_SCHEME) ? "this process" : url;
}
