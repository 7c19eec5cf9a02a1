import { errorText } from "../../core/schema/error-text.js";
import { isJsonObject, parseJsonOrText } from "../../core/schema/json-objects.js";
import { UserError } from "../../core/schema/user-error.js";
import { createAbortController, systemWallClock } from "../../core/time/wall-clock.js";
import type { Probe } from "./plan.js";
import { type Observation, observe } from "./shape.js";
import type { Inbox } from "./webhooks.js";

const PATIENCE_MS = 10_000;

export interface SideOptions {
  readonly key: string;
  readonly url: string;
  readonly send: (request: Request) => Promise<Response>;
  readonly inbox?: Inbox | undefined;
  readonly webhookUrl: string;
}

export interface Answer {
  readonly observation: Observation;
  readonly body: unknown;
}

/** One of those compared: the service or a sandbox. Keeps what later calls need of its responses. */
export class Side {
  readonly seen = new Map<string, string>();
  readonly observations: Record<string, Observation> = {};
  readonly inbox: Inbox | undefined;
  /** Operation → path that was found for it. */
  readonly paths = new Map<string, string>();
  /** Fields that `wire` renames. */
  renames: Readonly<Record<string, string>> = {};
  calls = 0;
  /** Wall time of all responses together, and of the slowest, to allow for a slow service. */
  waitedMs = 0;
  slowestMs = 0;
  firstCallMs: number | undefined;
  keyedCalls = 0;
  /** Calls that may be made beside those of the plan. */
  spareCalls = 3;
  signal: AbortSignal | undefined;
  readonly #options: SideOptions;
  readonly #values = new Map<string, string>();

  constructor(options: SideOptions) {
    this.#options = options;
    this.inbox = options.inbox;
    this.#values.set("key", `compare-${systemWallClock.nowMs()}`);
    this.#values.set("webhook_url", options.webhookUrl);
  }

  /** A field of an earlier response, after its probe and a dot, under its name or the one that `wire` gives it. */
  value(name: string): string | undefined {
    const [, probe, field = ""] = /^(.*)\.(\w+)$/.exec(name) ?? [];
    return this.#values.get(name) ?? this.#values.get(`${probe}.${this.renames[field]}`);
  }

  /** Fills in the fields of earlier responses; undefined if one is missing. */
  fill(probe: Probe): Probe | undefined {
    let isComplete = true;
    const text = JSON.stringify(probe).replace(/\$\{([^}]+)\}/g, (_all, name: string) => {
      const value = this.value(name);
      if (value === undefined) isComplete = false;
      return JSON.stringify(value ?? "").slice(1, -1);
    });
    return isComplete ? { ...probe, ...(JSON.parse(text) as Probe) } : undefined;
  }

  async call(probe: Probe): Promise<Answer | undefined> {
    const filled = this.fill(probe);
    if (filled === undefined) return undefined;
    if (this.signal?.aborted) throw stopped("it was interrupted");
    const { method, body, text, authorization = "key", headers: more } = filled;
    const headers = new Headers(more as Record<string, string> | undefined);
    const { key, url, send } = this.#options;
    const credentials = {
      key: `Bearer ${key}`,
      unknown: "Bearer sk_test_unknown",
      basic: `Basic ${btoa("a:b")}`,
      none: "",
    };
    if (authorization !== "none") headers.set("authorization", credentials[authorization]);
    const content = text?.content ?? (body === undefined ? undefined : JSON.stringify(body));
    if (content !== undefined) headers.set("content-type", text?.type ?? "application/json");
    this.calls++;
    // A call without a route has no key to count.
    if (authorization === "key" && !filled.unrouted) this.keyedCalls++;
    const path = this.#withFoundPath(filled);
    const request = new Request(url + path, {
      method,
      headers,
      ...(content === undefined ? {} : { body: content }),
      redirect: "manual",
    });
    const startedMs = systemWallClock.nowMs();
    const response = await send(request);
    const waitedMs = systemWallClock.nowMs() - startedMs;
    this.waitedMs += waitedMs;
    this.slowestMs = Math.max(this.slowestMs, waitedMs);
    if (authorization === "key") this.firstCallMs ??= startedMs;
    const { wrapper, body: parsed } = unwrapped(parseJsonOrText(await response.text()), response.ok);
    const atMs = Date.parse(response.headers.get("sandbox-now") ?? "") || startedMs;
    const sent = [filled.body ?? null, path.split(/[/=&?]/)];
    const context = {
      seen: filled.bad ? new Map(this.seen) : this.seen,
      probe: probe.id,
      sent: isJsonObject(filled.body) ? { ...filled.body, path: sent[1] } : sent,
      atMs,
    };
    const seen = observe(response.status, parsed, context, response.headers);
    const observation =
      wrapper === undefined ? seen : { ...seen, fields: { ...seen.fields, "(wrapper)": `text: ${wrapper}` } };
    this.observations[probe.id] = observation;
    if (response.ok && isJsonObject(parsed))
      for (const [name, value] of Object.entries(parsed))
        if (typeof value === "string") this.#values.set(`${probe.id}.${name}`, value);
    return { observation, body: parsed };
  }

  #withFoundPath({ path, operation, bad }: Probe): string {
    const found = this.paths.get(operation);
    return found === undefined || bad ? path : path.replace(/^[^?]*/, found);
  }

  /** Takes the fields that another side has and this one names otherwise, such as `id` for `quote_id`. */
  adoptNames(probe: Probe, own: unknown, other: unknown): void {
    if (!isJsonObject(own) || !isJsonObject(other)) return;
    const missing = Object.keys(other).filter((name) => /_id$|^secret$/.test(name) && !(name in own));
    for (const name of missing) {
      const extra = Object.keys(own).filter(
        (one) => !(one in other) && typeof own[one] === "string" && !/_at$/.test(one),
      );
      const [only] = extra.length === 1 ? extra : extra.filter((one) => /id$/.test(one));
      if (only !== undefined) this.#values.set(`${probe.id}.${name}`, String(own[only]));
    }
  }
}

/** An object that is the only field of a response, and its name. */
function unwrapped(body: unknown, isOk: boolean): { readonly wrapper?: string; readonly body: unknown } {
  const [[wrapper, inner] = [], more] = isJsonObject(body) ? Object.entries(body) : [];
  return isOk && more === undefined && isJsonObject(inner) ? { wrapper: wrapper!, body: inner } : { body };
}

/** Sends to the service; a service that is away, slow or no service of this kind ends the comparison. */
export async function sendToService(request: Request): Promise<Response> {
  const end = createAbortController();
  const where = new URL(request.url);
  const place = `${request.method} ${where.pathname}`;
  const cancel = systemWallClock.after(PATIENCE_MS, () => end.abort(), true);
  try {
    const response = await fetch(request, { signal: end.signal });
    // The whole body is read within the time.
    const text = await response.text();
    if (response.status >= 300 && response.status < 400)
      throw stopped(`the service redirects ${place} to another address; name that one with --against`);
    return new Response([204, 304].includes(response.status) ? null : text, {
      status: response.status,
      headers: response.headers,
    });
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (end.signal.aborted)
      throw stopped(`the service did not respond to ${place} within ${PATIENCE_MS / 1_000} s`);
    const { cause } = error as Error;
    throw stopped(`the service did not respond to ${place}: ${errorText(cause ?? error)}`);
  } finally {
    cancel();
  }
}

export function stopped(what: string): UserError {
  return new UserError(`${what}. Nothing was written`, 2, "NOT_COMPARED");
}

/** Ends the comparison at a response that no probe asks for. */
export function refuseUnusable(
  { bad, authorization, id }: Probe,
  { observation }: Answer,
  calls: number,
): void {
  const { status, fields } = observation;
  if (status === 429)
    throw stopped(
      `the service's rate limit was reached at call ${calls} (429 at ${id}); wait a minute and compare again`,
    );
  if (status === 401 && authorization === undefined)
    throw stopped(`the service refuses the key (401 at ${id})`);
  if (status >= 500 && !bad) throw stopped(`the service failed (${status} at ${id})`);
  if (fields.body !== undefined && !bad && status < 400)
    throw stopped(`the service's response to ${id} is not JSON`);
}
