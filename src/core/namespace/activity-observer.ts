import type { Charge } from "../domain/charge-transition.js";
import type { Engine } from "../engine/engine.js";
import type { Attempt, Change, Delivery, Endpoint, EventRecord } from "../engine/records.js";
import { ruleConditions } from "../engine/scenario-lookup.js";
import type {
  AttemptActivity,
  CreatedObject,
  OnActivity,
  RequestActivity,
  TransitionActivity,
} from "../schema/activity-events.js";
import { isByHand } from "../schema/common.js";
import { copyTexts } from "../schema/delivery-copies.js";
import { IN_PROCESS_SCHEME, NOTHING_LISTENS } from "../schema/receiver-url.js";
import { CHARGE_STATUS_TABLE } from "../schema/statuses.js";
import { iso } from "../schema/time.js";
import type { Namespace } from "./namespace.js";
import type { RequestEntry } from "./request-journal.js";

/** Reports finished requests, status changes and webhook attempts as activity. */
export function reportActivity(namespace: Namespace, report: OnActivity): void {
  const { events } = namespace;
  const { name } = namespace;
  // A delivery can be stored again without a new attempt.
  const reported = new WeakSet<Attempt>();
  const noteDelivery = (delivery: Delivery): void => {
    const attempt = delivery.attempts.at(-1);
    if (attempt === undefined ? !isHeld(namespace, delivery) : reported.has(attempt)) return;
    if (attempt !== undefined) reported.add(attempt);
    report(() => attemptActivity(namespace, delivery, attempt));
  };
  events.on("answered", (entry) => report(() => requestActivity(name, entry)));
  events.on("held", (delivery) => delivery.attempts.length === 0 && noteDelivery(delivery));
  events.on("stored", ({ puts }) => {
    for (const [collection, , record] of puts) {
      if (record === null) continue;
      // An event and the record with the new status are stored in the same `puts`.
      if (collection === "events") {
        const object = findSubject(puts, record as EventRecord);
        if (object !== undefined) report(() => transitionActivity(namespace, object, record as EventRecord));
      } else if (collection === "deliveries") {
        noteDelivery(record as Delivery);
      }
    }
  });
}

/** The reported fields of a charge or withdrawal. */
type TransitionSubject = Pick<Charge, "status" | "failure_reason" | "scenario" | "rule" | "actors"> &
  Partial<Pick<Charge, "charge_id">>;

function findSubject(puts: Change["puts"], { object_id }: EventRecord): TransitionSubject | undefined {
  const put = puts.find(([name, key]) => key === object_id && (name === "charges" || name === "withdrawals"));
  return (put?.[2] as TransitionSubject | null | undefined) ?? undefined;
}

function transitionActivity(
  { name, engine }: Namespace,
  subject: TransitionSubject,
  event: EventRecord,
): TransitionActivity {
  // One change may have several events.
  const { status } = (JSON.parse(event.body) as { data: Pick<Charge, "status"> }).data;
  return {
    kind: "transition",
    namespace: name,
    at: event.at,
    id: event.object_id!,
    status,
    reason: status === subject.status ? subject.failure_reason : null,
    by: causeText(engine, subject, status),
  };
}

function causeText({ state }: Engine, subject: TransitionSubject, status: Charge["status"]): string | null {
  const actor = subject.actors.at(-1)!;
  if (actor === "customer") return "(by the customer)";
  if (isByHand(actor)) return "(by hand)";
  if (actor !== "scenario") return null;
  const match = CHARGE_STATUS_TABLE[status].tone === "bad" && ruleConditions(state, subject);
  return [match, `(scenario ${subject.scenario})`].filter(Boolean).join(" ");
}

function requestActivity(namespace: string, entry: RequestEntry): RequestActivity {
  const { status, method } = entry;
  const isRefused = status !== null && status >= 400;
  const answer = isRefused || method !== "GET" ? parseObject(entry.responseBody) : {};
  return {
    kind: "request",
    namespace,
    at: iso(entry.atMs),
    method,
    path: entry.path,
    status,
    unanswered: status !== null ? null : entry.hasClientDisconnected ? "client gone" : "connection cut",
    fault: entry.fault,
    runner: entry.runner ?? null,
    error: isRefused ? errorMessage(answer) : null,
    made: isRefused ? null : createdObject(answer, entry.requestBody),
  };
}

function parseObject(text: string | null): Readonly<Record<string, unknown>> {
  try {
    return { ...(JSON.parse(text ?? "") as object) };
  } catch {
    return {};
  }
}

/** Returns the first detail of an error, else its message. Details are more specific. */
function errorMessage({ error }: Readonly<Record<string, unknown>>): string | null {
  if (typeof error !== "object" || error === null) return null;
  const { message, details } = error as { message?: string; details?: Record<string, unknown> };
  const [detail] = Object.entries(details ?? {});
  return detail === undefined ? (message ?? null) : detail.join(" ");
}

const ID_FIELDS = ["charge_id", "withdrawal_id", "quote_id", "webhook_id", "destination_id"];

/** Returns the created object. Takes fields from the request if the response omits them. */
function createdObject(
  answer: Readonly<Record<string, unknown>>,
  request: string | null,
): CreatedObject | null {
  const id = ID_FIELDS.map((name) => answer[name]).find((value) => typeof value === "string");
  if (id === undefined) return null;
  const all = { ...parseObject(request), ...answer };
  const readField = (name: keyof CreatedObject) => (typeof all[name] === "string" ? all[name] : null);
  return {
    id: id as string,
    amount: readField("amount"),
    currency: readField("currency"),
    customer_email: readField("customer_email"),
  };
}

function isHeld(namespace: Namespace, delivery: Delivery): boolean {
  return namespace.findHold(delivery)?.reason.startsWith(NOTHING_LISTENS) === true;
}

function attemptActivity(
  namespace: Namespace,
  delivery: Delivery,
  attempt: Attempt | undefined,
): AttemptActivity {
  const { state } = namespace.engine;
  const endpoint = state.get("endpoints", delivery.webhook_id);
  const { status = null, error = null, response_body = null } = attempt ?? {};
  return {
    kind: "attempt",
    namespace: namespace.name,
    at: attempt?.at ?? delivery.created_at,
    type: delivery.event_type,
    id: state.get("events", delivery.event_id)?.object_id ?? null,
    delivery_id: delivery.delivery_id,
    copy: copyTexts(state.deliveriesOf(delivery.event_id)).get(delivery.delivery_id),
    target: endpoint === undefined ? delivery.webhook_id : targetOf(endpoint),
    status,
    error,
    response_body,
    next_attempt_at: delivery.next_attempt_at,
    isHeld: attempt === undefined,
  };
}

function targetOf({ url, mailbox }: Endpoint): string {
  if (url === null) return `mailbox ${mailbox}`;
  return url.startsWith(IN_PROCESS_SCHEME) ? "this process" : url;
}
