import { failureOf } from "../domain/mishap.js";
import type { Outcome } from "../engine/commands/deliveries.js";
import type { State } from "../engine/state.js";
import { aborter } from "../time/patience.js";
import { turns } from "../time/turns.js";
import type { Wall } from "../time/wall.js";
import { HttpReceivers } from "./http-receivers.js";
import { handOver, InProcessReceivers, isInProcess } from "./in-process.js";
import { type Meeting, Meetings } from "./meetings.js";
import { failure, outcomeOf, type SignedRequest } from "./outcomes.js";
import { Pacing } from "./pacing.js";
import { signedRequest } from "./signed-request.js";

/** Error messages of attempts that a scenario fails. */
const FAILED = {
  lost: () => "failed",
  refused: () => "connection refused",
  timeout: (timeoutMs: number) => `no answer within ${timeoutMs / 1000} s`,
} as const;

/** Concurrent deliveries per endpoint. */
const CONCURRENCY_PER_ENDPOINT = 10;

export interface Job {
  readonly webhookId: string;
  /** Host or mailbox, for messages. */
  readonly target: string;
  /** Mailbox that gets the delivery instead of a URL. */
  readonly mailbox: string | null;
  /** True if the delivery waits for an unreachable endpoint. */
  readonly holds: boolean;
  sign(): SignedRequest;
  /** Makes the attempt. Never rejects: failures are part of the outcome. */
  send(): Promise<Outcome>;
}

export interface SenderOptions {
  readonly timeoutMs: number;
  readonly wall: Wall;
  readonly userAgent: string;
}

/** Sends deliveries over HTTP or to functions of this process. The engine decides when and how often. */
export class Sender {
  readonly receivers = new InProcessReceivers();
  readonly #options: SenderOptions;
  readonly #http: HttpReceivers;
  readonly #pacing = new Pacing(CONCURRENCY_PER_ENDPOINT);
  readonly #meetings: Meetings;
  /** Created for the first attempt. */
  #abort: AbortController | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#http = new HttpReceivers(options);
    this.#meetings = new Meetings(options.wall);
  }

  /** Wall time for a response. */
  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  /** Returns undefined if the delivery has no receiver any more. */
  prepare(state: State, deliveryId: string, nowMs: number): Job | undefined {
    const delivery = state.get("deliveries", deliveryId);
    if (delivery === undefined) return undefined;
    const event = state.get("events", delivery.event_id);
    const endpoint = state.get("endpoints", delivery.webhook_id);
    if (event === undefined || endpoint === undefined) return undefined;
    const { mishap } = delivery;
    const elsewhere = mishap?.to_url;
    if (!endpoint.enabled && elsewhere === undefined) return undefined;
    const traceparent =
      event.object_id === null ? null : (state.get("charges", event.object_id)?.traceparent ?? null);
    const { webhook_id } = endpoint;
    const { url, mailbox } = elsewhere === undefined ? endpoint : { url: elsewhere, mailbox: null };
    // A function of an earlier process, or an unregistered one.
    if (url !== null && isInProcess(url) && this.receivers.get(url) === undefined) return undefined;
    const failing = failureOf(mishap, delivery.attempts.length + 1, nowMs);
    const { wall, userAgent } = this.#options;
    const together = delivery.attempts.length === 0 ? mishap?.at_once : undefined;
    const sign = (): SignedRequest =>
      signedRequest({ event, endpoint, mishap, traceparent, nowMs, sentAtMs: wall.nowMs(), userAgent });
    return {
      webhookId: webhook_id,
      target: url === null ? `mailbox ${mailbox}` : new URL(url).host,
      mailbox: failing === null ? mailbox : null,
      holds: endpoint.unreachable === "hold" && !mishap?.by_hand,
      sign,
      send: () =>
        failing !== null || url === null
          ? Promise.resolve(this.#failed(failing ?? "lost", mishap?.scenario ?? ""))
          : together === undefined
            ? this.#inTurn(webhook_id, (signal) => this.#send(url, sign(), signal))
            : this.#together(`${event.event_id}|${webhook_id}`, together, (signal, meeting) =>
                this.#send(url, sign(), signal, meeting),
              ),
    };
  }

  /** Limits concurrency per endpoint; the response timeout starts when the attempt does. */
  #inTurn(webhookId: string, send: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome> {
    // Belongs to the current state: if that is replaced while the attempt waits, nothing is sent.
    const { signal } = (this.#abort ??= aborter());
    return this.#pacing.inTurn(webhookId, async () => {
      await turns.take();
      return send(signal);
    });
  }

  /** Sends all at the same time, regardless of the endpoint's concurrency limit. */
  async #together(
    name: string,
    size: number,
    send: (signal: AbortSignal, meeting: Meeting) => Promise<Outcome>,
  ): Promise<Outcome> {
    const { signal } = (this.#abort ??= aborter());
    const meeting = this.#meetings.join(name, size);
    await turns.take();
    return send(signal, meeting);
  }

  /** Outcome of an attempt that a scenario fails: nothing is sent, and no time passes. */
  #failed(how: NonNullable<ReturnType<typeof failureOf>>, scenario: string): Outcome {
    const { wall, timeoutMs } = this.#options;
    const answer =
      typeof how === "number"
        ? { status: how, response_body: null, error: null, retryAfterMs: null }
        : failure(`${FAILED[how](timeoutMs)} by scenario ${scenario}`);
    const sentAt = new Date(wall.nowMs()).toISOString();
    return outcomeOf({ sentAt, headers: {} }, answer, wall);
  }

  #send(address: string, signed: SignedRequest, signal: AbortSignal, meeting?: Meeting): Promise<Outcome> {
    if (!isInProcess(address)) return this.#http.post(address, signed, signal, meeting);
    const { wall, timeoutMs } = this.#options;
    return handOver(this.receivers.get(address), signed, wall, { timeoutMs, signal }, meeting);
  }

  /** Aborts all attempts; the dispatcher drops their outcomes. */
  abortAll(): void {
    this.#abort?.abort();
    this.#abort = undefined;
  }

  close(): void {
    (this.#abort ??= aborter()).abort();
    this.#http.close();
  }
}
