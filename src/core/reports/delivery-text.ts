// Words for webhooks and their receivers. Reads records of the control API.

import type { DeliveryState } from "../schema/control-log-responses.js";
import type { SentDelivery } from "../schema/delivery-copies.js";
import { isSuccessStatus } from "../schema/http-response.js";
import { IN_PROCESS_SCHEME, NOTHING_LISTENS } from "../schema/receiver-url.js";
import type { Attempt as LoggedAttempt } from "../schema/records/webhook-records.js";
import { readableDuration } from "../schema/time.js";
import { summarizeBody } from "./body-summary.js";

type JsonRecord = Readonly<Record<string, unknown>>;

export type Attempt = Pick<LoggedAttempt, "at" | "status" | "error" | "response_body" | "duration_ms">;

/** Fields of a delivery in its record and in the control API's JSON. */
interface Delivery {
  readonly status: string;
  readonly attempts: readonly Attempt[];
  readonly next_attempt_at: string | null;
}

/** A delivery in the control API's JSON. */
export interface ListedDelivery extends Delivery, SentDelivery {
  readonly type: string;
  readonly url: string | null;
  readonly state: DeliveryState;
  readonly hold: { readonly reason: string } | null;
}

/** A delivery's attempts, oldest first. */
export function attemptsOf({ attempts }: JsonRecord): readonly Attempt[] {
  return attempts as readonly Attempt[];
}

/** A delivery's state in words: `given up`. */
export function stateText(state: DeliveryState): string {
  return state.replace("_", " ");
}

/** `next try in 4 m 40 s`, or `given up`. */
export function nextTryIn(next: string | null, nowMs: number): string {
  return next === null ? GIVEN_UP : `next try in ${readableDuration(Date.parse(next) - nowMs)}`;
}

const GIVEN_UP = "given up";

/** When a failed delivery is tried next, or `given up`; undefined if it is held or did not fail. */
export function nextTryText(
  { status, hold, attempts, next_attempt_at: next }: ListedDelivery,
  timeText: (next: string, last: string) => string,
): string | undefined {
  const last = attempts.at(-1);
  if (hold !== null || last === undefined || isSuccessStatus(last.status) || status === "delivered")
    return undefined;
  return next === null ? GIVEN_UP : `next try at ${timeText(next, last.at)}`;
}

/** Why a delivery is held, or why its last attempt failed and when the next is due; else undefined. */
export function deliveryTrouble(delivery: JsonRecord): string | undefined {
  const listed = delivery as unknown as ListedDelivery;
  const next = nextTryText(listed, laterTime);
  return next === undefined ? listed.hold?.reason : `${failureText(listed.attempts.at(-1)!)} · ${next}`;
}

/** Why a delivery is held, and the way out. */
export function holdText({ reason }: NonNullable<ListedDelivery["hold"]>): string {
  return `${reason}${reason.startsWith(NOTHING_LISTENS) ? "; start your app there" : ""}`;
}

/** A failed attempt's status and response in one line, or why there is none. */
export function failureText({ status, error, response_body }: Omit<Attempt, "at" | "duration_ms">): string {
  if (status === null)
    return /\bECONNREFUSED\b/.test(error ?? "") ? NOTHING_LISTENS : (error ?? "no response");
  const text = summarizeBody(response_body ?? "");
  return text.startsWith(String(status)) ? text : `${status} ${text}`.trim();
}

/** The type of an event without its object. */
export function eventWord(type: unknown): string {
  return String(type).replace(/^(charge|withdrawal)\./, "");
}

/** A webhook in one line: `failed → :3000/hooks · 400 no signature · next try at 14:32:53 UTC`. */
export function webhookText(delivery: JsonRecord, event = eventWord(delivery.type)): string {
  const { url, status, hold, attempts } = delivery as unknown as ListedDelivery;
  const last = attempts.at(-1);
  const result =
    status === "delivered"
      ? `delivered: ${last!.status} in ${Math.round(last!.duration_ms)} ms`
      : (deliveryTrouble(delivery) ?? status.replace("pending", "queued"));
  return `${event} → ${receiverText(url)} · ${hold === null ? "" : "held: "}${result}`;
}

/** The receiver and its failure, without event and retry: `:3000/hooks 400 no signature`. */
export function receiverTrouble(delivery: JsonRecord): string {
  const last = attemptsOf(delivery).at(-1);
  return `${receiverText(delivery.url as string | null)} ${last === undefined ? "" : failureText(last)}`;
}

const THIS_PROCESS = "this process";

/** A receiver's address: `:3000/hooks` on this machine. */
export function receiverText(url: string | null): string {
  if (url?.startsWith(IN_PROCESS_SCHEME)) return THIS_PROCESS;
  return url === null ? "mailbox" : url.replace(/^https?:\/\/((localhost|127\.0\.0\.1|\[::1\])(?=:))?/i, "");
}

/** The time of day of a later instant, with its day if that is another. */
function laterTime(to: string, from: string): string {
  const time = `${to.slice(11, 19)} UTC`;
  return from.slice(0, 10) === to.slice(0, 10) ? time : `${to.slice(5, 10)} ${time}`;
}

/** Receiver as shown to users: its URL without scheme and credentials, or its mailbox. */
export function receiverName(
  endpoint: { readonly url: string | null; readonly mailbox: string | null } | undefined,
): string {
  if (endpoint === undefined) return "a deleted receiver";
  if (endpoint.url === null) return `mailbox ${endpoint.mailbox}`;
  return endpoint.url.startsWith(IN_PROCESS_SCHEME)
    ? THIS_PROCESS
    : endpoint.url.replace(/^https?:\/\/([^/@]*@)?/, "");
}

/** True if attempts were made and none succeeded. */
export function isFailing({
  status,
  attempts,
}: Pick<Delivery, "status"> & { readonly attempts: readonly unknown[] }): boolean {
  return attempts.length > 0 && (status === "failed" || status === "pending");
}
