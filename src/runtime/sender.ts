import { setMaxListeners } from "node:events";
import * as http from "node:http";
import type { Outcome } from "../engine/commands/deliveries.js";
import type { Endpoint, EventRecord, Mishap } from "../engine/records.js";
import type { State } from "../engine/state.js";
import { standardHeaders } from "./signatures.js";
import type { Wall } from "./wall.js";

/** How much of a receiver's answer the log keeps. */
const RESPONSE_KEPT_BYTES = 4_096;
/** How many deliveries go to one endpoint at a time. */
const CONCURRENCY_PER_HOST = 10;

/** Signs what shall look forged: well formed, and nobody's. */
const FORGED_SECRET = "whsec_Zm9yZ2VkLWJ5LWEtc2NlbmFyaW8tb24tcHVycG9zZSE=";

export interface Job {
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
  readonly #httpAgent = new http.Agent({ keepAlive: true, maxSockets: CONCURRENCY_PER_HOST });
  #https: { readonly request: typeof http.request; readonly agent: http.Agent } | undefined;
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
    if (mishap !== null && delivery!.attempts.length < mishap.fail_first)
      return { send: async () => this.#failed(mishap.scenario) };
    return { send: () => this.#send(event, endpoint, nowMs, mishap) };
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
    if (endpoint.signature === "none") return headers;
    const secrets = [mishap?.bad_signature ? FORGED_SECRET : endpoint.secret];
    if (
      !mishap?.bad_signature &&
      endpoint.previous_secret !== null &&
      nowMs < endpoint.previous_secret_until_ms
    )
      secrets.push(endpoint.previous_secret);
    return {
      ...headers,
      ...standardHeaders(event.event_id, sentAtMs - (mishap?.stale_ms ?? 0), event.body, secrets),
    };
  }

  /** TLS is loaded for those who use it: it costs a start 2 ms. */
  async #transport(protocol: string) {
    if (protocol !== "https:") return { request: http.request, agent: this.#httpAgent };
    const https = await import("node:https");
    this.#https ??= {
      request: https.request,
      agent: new https.Agent({ keepAlive: true, maxSockets: CONCURRENCY_PER_HOST }),
    };
    return this.#https;
  }

  async #send(
    event: EventRecord,
    endpoint: Endpoint,
    nowMs: number,
    mishap: Mishap | null,
  ): Promise<Outcome> {
    const { wall, timeoutMs } = this.#options;
    const sentAtMs = wall.nowMs();
    const headers = this.#headers(event, endpoint, nowMs, sentAtMs, mishap);
    const { signal } = this.#abort;
    const url = new URL(endpoint.url);
    const transport = await this.#transport(url.protocol);
    return new Promise((resolve) => {
      let callOff: () => void = () => {};
      let isDone = false;
      const finish = (part: Pick<Outcome, "status" | "response_body" | "error" | "retryAfterMs">): void => {
        if (isDone) return;
        isDone = true;
        callOff();
        signal.removeEventListener("abort", abort);
        resolve({
          sent_at: new Date(sentAtMs).toISOString(),
          duration_ms: wall.nowMs() - sentAtMs,
          request_headers: headers,
          ...part,
        });
      };
      const fail = (error: string): void =>
        finish({ status: null, response_body: null, error, retryAfterMs: null });
      let request: http.ClientRequest | undefined;
      const abort = (): void => {
        request?.destroy();
        fail("called off");
      };
      // Called off while TLS was being loaded: nothing may go out any more.
      if (signal.aborted) return abort();
      const bytes = Buffer.from(event.body);
      request = transport.request(url, {
        method: "POST",
        agent: transport.agent,
        headers: { ...headers, "content-length": bytes.length },
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
      request.on("error", (error: NodeJS.ErrnoException) => fail(errorText(error)));
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

function retryAfterMs(header: string | undefined, wallMs: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - wallMs);
}
