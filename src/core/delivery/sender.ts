import { simulatedFailure } from "../domain/webhook-attempts.js";
import { wireEvent } from "../domain/wire.js";
import type { AttemptResult } from "../engine/commands/delivery-commands.js";
import { eventToSend } from "../engine/event-mishaps.js";
import type { Endpoint, EventRecord, Mishap } from "../engine/records.js";
import type { State } from "../engine/state.js";
import type { WireRule } from "../schema/wire-rules.js";
import { createAbortController, type WallClock } from "../time/wall-clock.js";
import { workQueue } from "../time/work-queue.js";
import { type BarrierMember, Barriers } from "./barriers.js";
import { deliverInProcess, InProcessReceivers, isInProcessUrl } from "./in-process-receivers.js";
import { buildAttemptResult, failedResult, type SignedRequest } from "./outcomes.js";
import { ReceiverClient } from "./receiver-client.js";
import { signatureHeaders } from "./signing.js";

const FAILURE_MESSAGES = {
  lost: () => "failed",
  refused: () => "connection refused",
  timeout: (timeoutMs: number) => `no answer within ${timeoutMs / 1000} s`,
} as const;

const CONCURRENCY_PER_ENDPOINT = 10;

export interface DeliveryJob {
  readonly webhookId: string;
  /** Host or mailbox, as named in messages. */
  readonly target: string;
  /** Mailbox that gets the delivery instead of a URL. */
  readonly mailbox: string | null;
  /** True if the delivery is held while its endpoint is unreachable. */
  readonly canBeHeld: boolean;
  sign(): SignedRequest;
  /** Makes the attempt. Never rejects: failures are part of the outcome. */
  send(): Promise<AttemptResult>;
}

/** Wraps the sending of an attempt: may wait before it, and may delay its outcome. */
export type AttemptWrapper = (
  event: Pick<EventRecord, "event_id" | "type">,
  send: () => Promise<AttemptResult>,
) => Promise<AttemptResult>;

interface SenderOptions {
  readonly timeoutMs: number;
  readonly aroundAttempt?: AttemptWrapper | undefined;
  readonly wall: WallClock;
  readonly userAgent: string;
  /** Form of the bodies that are sent; undefined leaves it. */
  readonly wire: readonly WireRule[] | undefined;
}

/** Sends deliveries over HTTP or to functions of this process. The engine decides when and how often. */
export class Sender {
  readonly receivers = new InProcessReceivers();
  readonly #options: SenderOptions;
  readonly #http: ReceiverClient;
  readonly #concurrency = new ConcurrencyLimit(CONCURRENCY_PER_ENDPOINT);
  readonly #barriers: Barriers;
  /** Cancels the attempts in flight; created for the first attempt. */
  #abort: AbortController | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#http = new ReceiverClient(options);
    this.#barriers = new Barriers(options.wall);
  }

  /** Wall time for a response. */
  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  /** Returns undefined if the delivery has no receiver any more. */
  prepare(state: State, deliveryId: string, nowMs: number): DeliveryJob | undefined {
    const delivery = state.get("deliveries", deliveryId);
    if (delivery === undefined) return undefined;
    const event = state.get("events", delivery.event_id);
    const endpoint = state.get("endpoints", delivery.webhook_id);
    if (event === undefined || endpoint === undefined) return undefined;
    const { mishap } = delivery;
    if (!endpoint.enabled) return undefined;
    const traceparent =
      event.object_id === null ? null : (state.get("charges", event.object_id)?.traceparent ?? null);
    const { webhook_id, url, mailbox } = endpoint;
    // The webhook handler belonged to an earlier process, or has been unregistered.
    if (url !== null && isInProcessUrl(url) && this.receivers.get(url) === undefined) return undefined;
    const plannedFailure = simulatedFailure(mishap, delivery.attempts.length + 1, nowMs);
    const { wall, userAgent, wire, aroundAttempt = (_event, send) => send() } = this.#options;
    const groupSize = delivery.attempts.length === 0 ? mishap?.at_once : undefined;
    const sign = (): SignedRequest =>
      signedRequest({ event, endpoint, mishap, traceparent, nowMs, sentAtMs: wall.nowMs(), userAgent, wire });
    return {
      webhookId: webhook_id,
      target: url === null ? `mailbox ${mailbox}` : new URL(url).host,
      mailbox: plannedFailure === null ? mailbox : null,
      canBeHeld: endpoint.unreachable === "hold",
      sign,
      send: () =>
        plannedFailure !== null || url === null
          ? Promise.resolve(this.#failedOutcome(plannedFailure ?? "lost", mishap?.scenario ?? ""))
          : aroundAttempt(event, () =>
              groupSize === undefined
                ? this.#sendPaced(webhook_id, (signal) => this.#send(url, sign(), signal))
                : this.#sendTogether(`${event.event_id}|${webhook_id}`, groupSize, (signal, barrier) =>
                    this.#send(url, sign(), signal, barrier),
                  ),
            ),
    };
  }

  /** Limits the concurrency per endpoint. The response timeout excludes the wait for a free slot. */
  #sendPaced(
    webhookId: string,
    send: (signal: AbortSignal) => Promise<AttemptResult>,
  ): Promise<AttemptResult> {
    // The signal belongs to the current state: if the state is replaced while the attempt waits, nothing is sent.
    const { signal } = (this.#abort ??= createAbortController());
    return this.#concurrency.run(webhookId, async () => {
      await workQueue.waitForTurn();
      return send(signal);
    });
  }

  /** Sends all attempts of a group at the same time, regardless of the endpoint's concurrency limit. */
  async #sendTogether(
    name: string,
    size: number,
    send: (signal: AbortSignal, barrier: BarrierMember) => Promise<AttemptResult>,
  ): Promise<AttemptResult> {
    const { signal } = (this.#abort ??= createAbortController());
    const barrier = this.#barriers.join(name, size);
    await workQueue.waitForTurn();
    return send(signal, barrier);
  }

  /** Outcome of an attempt that a scenario makes fail: nothing is sent, and no time passes. */
  #failedOutcome(mode: NonNullable<ReturnType<typeof simulatedFailure>>, scenario: string): AttemptResult {
    const { wall, timeoutMs } = this.#options;
    const answer =
      typeof mode === "number"
        ? { status: mode, response_body: null, error: null, retryAfterMs: null }
        : failedResult(`${FAILURE_MESSAGES[mode](timeoutMs)} by scenario ${scenario}`);
    const sentAt = new Date(wall.nowMs()).toISOString();
    return buildAttemptResult({ sentAt, headers: {} }, answer, wall);
  }

  #send(
    address: string,
    signed: SignedRequest,
    signal: AbortSignal,
    barrier?: BarrierMember,
  ): Promise<AttemptResult> {
    if (!isInProcessUrl(address)) return this.#http.post(address, signed, signal, barrier);
    const { wall, timeoutMs } = this.#options;
    return deliverInProcess(this.receivers.get(address), signed, wall, { timeoutMs, signal }, barrier);
  }

  /** Aborts all attempts; the dispatcher drops their outcomes. */
  abortAll(): void {
    this.#abort?.abort();
    this.#abort = undefined;
  }

  close(): void {
    (this.#abort ??= createAbortController()).abort();
    this.#http.close();
  }
}

class ConcurrencyLimit {
  readonly #limit: number;
  readonly #queues = new Map<string, { running: number; readonly waiting: (() => void)[] }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    let queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, (queue = { running: 0, waiting: [] }));
    const { waiting } = queue;
    if (queue.running < this.#limit) queue.running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next !== undefined) next();
      else if (--queue.running === 0) this.#queues.delete(key);
    }
  }
}

/** Well-formed secret that no endpoint has, for invalid signatures. */
const INVALID_SECRET = "whsec_Zm9yZ2VkLWJ5LWEtc2NlbmFyaW8tb24tcHVycG9zZSE=";

interface Signing {
  readonly event: EventRecord;
  readonly endpoint: Endpoint;
  readonly mishap: Mishap | null;
  /** W3C trace of the call that created the charge. */
  readonly traceparent: string | null;
  /** Sandbox time; decides if a rotated secret still signs. */
  readonly nowMs: number;
  /** Wall time of the attempt. */
  readonly sentAtMs: number;
  readonly userAgent: string;
  readonly wire: readonly WireRule[] | undefined;
}

/** The request that delivers an event to an endpoint, signed now. */
function signedRequest(signing: Signing): SignedRequest {
  const { event, endpoint, mishap, traceparent, sentAtMs, userAgent, wire } = signing;
  const { event_id: id, body: made } = eventToSend(event, mishap);
  const body = wire === undefined ? made : wireEvent(wire, event.type, made);
  const message = { id, sentAtMs: sentAtMs - (mishap?.stale_ms ?? 0), body };
  return {
    sentAt: new Date(sentAtMs).toISOString(),
    headers: {
      "content-type": "application/json",
      "user-agent": userAgent,
      ...(traceparent === null ? {} : { traceparent }),
      ...signatureHeaders(endpoint.signature, message, signingSecrets(signing)),
    },
    body,
  };
}

function signingSecrets({ endpoint, mishap, nowMs }: Signing): string[] {
  if (mishap?.bad_signature) return [INVALID_SECRET];
  const { secret, previous_secret, previous_secret_until_ms } = endpoint;
  return previous_secret !== null && nowMs < previous_secret_until_ms ? [secret, previous_secret] : [secret];
}
