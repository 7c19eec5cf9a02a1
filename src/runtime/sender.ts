import type { LookupAddress } from "node:dns";
import { setMaxListeners } from "node:events";
import * as http from "node:http";
import type { LookupFunction } from "node:net";
import type { Outcome } from "../engine/commands/deliveries.js";
import type { Endpoint, EventRecord, Mishap } from "../engine/records.js";
import type { State } from "../engine/state.js";
import { Gate } from "./gate.js";
import { signatureHeaders } from "./signatures.js";
import { turns } from "./turns.js";
import type { Wall } from "./wall.js";

/** How much of a receiver's answer the log keeps. */
const RESPONSE_KEPT_BYTES = 4_096;
/** How many deliveries go to one endpoint at a time. */
const CONCURRENCY_PER_ENDPOINT = 10;

/**
 * Connections are kept for the next delivery, but not for long: a receiver that closes one just as it is used
 * again would seem to have failed.
 */
const AGENT_OPTIONS = { keepAlive: true, timeout: 1_000 };

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

/** Sends deliveries over HTTP. Knows nothing of when or how often: that is the engine's to decide. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #httpAgent = new http.Agent(AGENT_OPTIONS);
  #https: { readonly request: typeof http.request; readonly agent: http.Agent } | undefined;
  readonly #gates = new Map<string, Gate>();
  #abort = aborter();

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** What to send for a delivery, or undefined when nobody is there to get it any more. */
  prepare(state: State, deliveryId: string, nowMs: number): Job | undefined {
    const delivery = state.get("deliveries", deliveryId);
    const event = delivery && state.get("events", delivery.event_id);
    const endpoint = delivery && state.get("endpoints", delivery.webhook_id);
    if (event === undefined || endpoint === undefined || !endpoint.enabled) return undefined;
    const { mishap } = delivery!;
    const { url, mailbox, webhook_id } = endpoint;
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

  /** TLS is loaded for those who use it: it costs a start 2 ms. */
  async #transport(protocol: string) {
    if (protocol !== "https:") return { request: http.request, agent: this.#httpAgent };
    const https = await import("node:https");
    this.#https ??= {
      request: https.request,
      agent: new https.Agent(AGENT_OPTIONS),
    };
    return this.#https;
  }

  async #send(
    address: string,
    { sentAt, headers, body }: SignedRequest,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { wall, timeoutMs } = this.#options;
    const sentAtMs = wall.nowMs();
    const url = new URL(address);
    const transport = await this.#transport(url.protocol);
    return new Promise((resolve) => {
      let callOff: () => void = () => {};
      let isDone = false;
      const finish = (part: Omit<Outcome, "sent_at" | "duration_ms" | "request_headers">): void => {
        if (isDone) return;
        isDone = true;
        callOff();
        signal.removeEventListener("abort", abort);
        resolve({
          sent_at: sentAt,
          duration_ms: wall.nowMs() - sentAtMs,
          request_headers: headers,
          ...part,
        });
      };
      const fail = (error: string, isUnreachable = false): void =>
        finish({ status: null, response_body: null, error, retryAfterMs: null, isUnreachable });
      let request: http.ClientRequest | undefined;
      const abort = (): void => {
        request?.destroy();
        fail("called off");
      };
      // Called off while TLS was being loaded: nothing may go out any more.
      if (signal.aborted) return abort();
      const bytes = Buffer.from(body);
      request = transport.request(url, {
        method: "POST",
        agent: transport.agent,
        headers: { ...headers, "content-length": bytes.length },
        ...(url.hostname === "localhost" ? { lookup: lookupLocalhost, autoSelectFamily: true } : {}),
      });
      // Not from now on: a delivery that waits for a connection to become free is not the receiver's delay.
      request.once("socket", () => {
        if (isDone) return;
        callOff = wall.after(timeoutMs, () => {
          request?.destroy();
          fail(`no answer within ${timeoutMs / 1000} s`);
        });
      });
      signal.addEventListener("abort", abort);
      request.on("error", (error: NodeJS.ErrnoException) => fail(errorText(error), isRefused(error)));
      request.on("response", (response) => {
        const chunks: Buffer[] = [];
        let kept = 0;
        const answered = (): void =>
          finish({
            status: response.statusCode ?? null,
            response_body: Buffer.concat(chunks).toString("utf8"),
            error: null,
            retryAfterMs: retryAfterMs(response.headers["retry-after"], sentAtMs),
          });
        response.on("data", (chunk: Buffer) => {
          if (kept >= RESPONSE_KEPT_BYTES) return;
          chunks.push(chunk.subarray(0, RESPONSE_KEPT_BYTES - kept));
          kept += chunk.length;
        });
        response.on("end", answered);
        // The status is the answer, even if the body breaks off.
        response.on("close", answered);
        response.on("error", answered);
      });
      request.end(bytes);
    });
  }

  /** Calls off everything under way; what comes back of it is dropped by the runner. */
  abortAll(): void {
    this.#abort.abort();
    this.#abort = aborter();
  }

  close(): void {
    this.#abort.abort();
    this.#httpAgent.destroy();
    this.#https?.agent.destroy();
  }
}

/** Every attempt under way listens to it, and there may be many. */
function aborter(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** One line: the address family attempts of `localhost` come as an error of errors. */
function errorText(error: NodeJS.ErrnoException): string {
  const errors = (error as { errors?: unknown }).errors;
  if (Array.isArray(errors) && errors.length > 0)
    return errors.map((one) => (one instanceof Error ? one.message : String(one))).join("; ");
  return error.message || String(error.code ?? error);
}

/** What says that there is nobody at one address of a name; at least one of them must have refused. */
const NOBODY_CODES = new Set(["ECONNREFUSED", "EADDRNOTAVAIL", "ENETUNREACH", "EAFNOSUPPORT"]);

/** Nobody listens: every address of the name was tried, and refused or not there. */
function isRefused(error: NodeJS.ErrnoException): boolean {
  const errors = (error as { errors?: unknown }).errors;
  if (!Array.isArray(errors)) return error.code === "ECONNREFUSED";
  const codes = errors.map((one) => String((one as NodeJS.ErrnoException).code));
  return codes.includes("ECONNREFUSED") && codes.every((code) => NOBODY_CODES.has(code));
}

const LOCALHOST: LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/**
 * `localhost` is both loopback addresses, whatever the machine's hosts file says: an app may listen on either,
 * and many do without saying which.
 */
const lookupLocalhost: LookupFunction = (_hostname, options, callback) => {
  if (options.all) callback(null, LOCALHOST);
  else callback(null, LOCALHOST[0]!.address, LOCALHOST[0]!.family);
};

function retryAfterMs(header: string | undefined, wallMs: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - wallMs);
}
