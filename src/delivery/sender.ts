import type { Outcome } from "../engine/commands/deliveries.js";
import type { Endpoint, EventRecord, Mishap } from "../engine/records.js";
import type { State } from "../engine/state.js";
import { aborter } from "../time/patience.js";
import { turns } from "../time/turns.js";
import type { Wall } from "../time/wall.js";
import { HttpReceivers } from "./http-receivers.js";
import { handOver, InProcessReceivers, isInProcess } from "./in-process.js";
import { Gate } from "./pacing.js";
import { signatureHeaders } from "./signing.js";

/** How many deliveries go to one endpoint at a time. */
const CONCURRENCY_PER_ENDPOINT = 10;

/** Signs what shall look forged: well formed, and nobody's. */
const FORGED_SECRET = "whsec_Zm9yZ2VkLWJ5LWEtc2NlbmFyaW8tb24tcHVycG9zZSE=";

/** A request as a receiver would get it now: its signature carries this moment of wall time. */
export interface SignedRequest {
  readonly sentAt: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Job {
  readonly webhookId: string;
  /** Where it goes, for people. */
  readonly target: string;
  /** The mailbox it goes to instead of over the network. */
  readonly mailbox: string | null;
  /** Whether an endpoint nobody listens on is waited for. */
  readonly holds: boolean;
  sign(): SignedRequest;
  /** Makes the attempt. Never rejects: what went wrong is part of the outcome. */
  send(): Promise<Outcome>;
}

export interface SenderOptions {
  readonly timeoutMs: number;
  readonly wall: Wall;
  readonly userAgent: string;
}

/**
 * Sends deliveries over HTTP, or hands them to functions of this process. Knows nothing of when or how often: that
 * is the engine's to decide.
 */
export class Sender {
  readonly receivers = new InProcessReceivers();
  readonly #options: SenderOptions;
  readonly #http: HttpReceivers;
  readonly #gates = new Map<string, Gate>();
  #abort = aborter();

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#http = new HttpReceivers(options);
  }

  /** How long a receiver has to answer. */
  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  /** What to send for a delivery, or undefined when nobody is there to get it any more. */
  prepare(state: State, deliveryId: string, nowMs: number): Job | undefined {
    const delivery = state.get("deliveries", deliveryId);
    const event = delivery && state.get("events", delivery.event_id);
    const endpoint = delivery && state.get("endpoints", delivery.webhook_id);
    if (event === undefined || endpoint === undefined || !endpoint.enabled) return undefined;
    const { mishap } = delivery!;
    const { url, mailbox, webhook_id } = endpoint;
    // A function of an earlier process, or one that has been unregistered.
    if (url !== null && isInProcess(url) && this.receivers.get(url) === undefined) return undefined;
    const fails = mishap !== null && delivery!.attempts.length < mishap.fail_first;
    return {
      webhookId: webhook_id,
      target: url === null ? `mailbox ${mailbox}` : new URL(url).host,
      mailbox: fails ? null : mailbox,
      holds: endpoint.unreachable === "hold",
      sign: () => this.#sign(event, endpoint, nowMs, mishap),
      send: () =>
        fails || url === null
          ? Promise.resolve(this.#failed(mishap?.scenario ?? ""))
          : this.#inTurn(webhook_id, (signal) =>
              this.#send(url, this.#sign(event, endpoint, nowMs, mishap), signal),
            ),
    };
  }

  /**
   * So many deliveries to one endpoint at a time; the time a receiver has to answer starts when its turn comes.
   */
  async #inTurn(webhookId: string, send: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome> {
    // The world this attempt is of; when that is replaced while the attempt waits, nothing may go out any more.
    const { signal } = this.#abort;
    let gate = this.#gates.get(webhookId);
    if (gate === undefined) this.#gates.set(webhookId, (gate = new Gate(CONCURRENCY_PER_ENDPOINT)));
    await gate.enter();
    try {
      await turns.take();
      return await send(signal);
    } finally {
      gate.leave();
      if (gate.isEmpty) this.#gates.delete(webhookId);
    }
  }

  #sign(event: EventRecord, endpoint: Endpoint, nowMs: number, mishap: Mishap | null): SignedRequest {
    const sentAtMs = this.#options.wall.nowMs();
    return {
      sentAt: new Date(sentAtMs).toISOString(),
      headers: this.#headers(event, endpoint, nowMs, sentAtMs, mishap),
      body: event.body,
    };
  }

  /** An attempt that a scenario has fail on the way: nothing is sent. */
  #failed(scenario: string): Outcome {
    return {
      sent_at: new Date(this.#options.wall.nowMs()).toISOString(),
      duration_ms: 0,
      request_headers: {},
      status: null,
      response_body: null,
      error: `failed by scenario ${scenario}`,
      retryAfterMs: null,
    };
  }

  #headers(
    event: EventRecord,
    endpoint: Endpoint,
    nowMs: number,
    sentAtMs: number,
    mishap: Mishap | null,
  ): Record<string, string> {
    const headers: Record<string, string> = {
      "content-type": "application/json",
      "user-agent": this.#options.userAgent,
    };
    const secrets = [mishap?.bad_signature ? FORGED_SECRET : endpoint.secret];
    if (
      !mishap?.bad_signature &&
      endpoint.previous_secret !== null &&
      nowMs < endpoint.previous_secret_until_ms
    )
      secrets.push(endpoint.previous_secret);
    const message = {
      id: event.event_id,
      sentAtMs: sentAtMs - (mishap?.stale_ms ?? 0),
      body: event.body,
    };
    return { ...headers, ...signatureHeaders(endpoint.signature, message, secrets) };
  }

  async #send(address: string, signed: SignedRequest, signal: AbortSignal): Promise<Outcome> {
    if (!isInProcess(address)) return this.#http.post(address, signed, signal);
    const { wall, timeoutMs } = this.#options;
    return handOver(this.receivers.get(address), signed, { wall, timeoutMs, signal });
  }

  /** Calls off everything under way; what comes back of it is dropped by the runner. */
  abortAll(): void {
    this.#abort.abort();
    this.#abort = aborter();
  }

  close(): void {
    this.#abort.abort();
    this.#http.close();
  }
}
