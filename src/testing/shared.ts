import { ControlClient } from "../control-client.js";
import { answerOf, type WebhookHandler } from "../core/delivery/in-process.js";
import { lazily } from "../core/schema/lazily.js";
import { withoutEndSlashes } from "../core/schema/printable.js";
import { UserError } from "../core/schema/user-error.js";
import {
  checkExploreOptions,
  serverOptionsOf,
  startOptionsOf,
  webhookHandlerOptions,
} from "../library-options.js";
import type { SandboxOptions, WebhookHandlerOptions } from "../public-types.js";
import { isLoopback } from "../server/http/hosts.js";
import { listen } from "../server/http/listener.js";
import { freshRunId } from "../tools/scenario/running/run-id.js";
import { OWN_OPTIONS, type Place } from "./place.js";

/** A namespace of a server that is there already, for this test file alone; it goes when the file is done. */
export async function openShared(server: string, options: SandboxOptions): Promise<Place> {
  startOptionsOf("setupSandbox", options, OWN_OPTIONS);
  const foreign = serverOptionsOf(options);
  if (foreign.length > 0)
    throw new UserError(
      `setupSandbox: ${foreign.join(", ")} cannot be set in a namespace of the server at ${server}: start that server with it, or pass { server: false } for a sandbox of this file's own`,
    );
  const base = serverUrl(server);
  const shared = new SharedServer(base);
  const control = new ControlClient({ fetch: shared.fetch });
  const { signature, unreachable, webhooks = [] } = options;
  const made = await control.call<{
    name: string;
    api_key: string;
    live_api_key: string;
    webhook_secret: string;
  }>("POST /_sandbox/namespaces", {
    clock: options.clock,
    start_time: options.startTime,
    seed: options.seed,
    webhook_secret: options.webhookSecret,
    webhooks: webhooks.map((one) => ({
      signature,
      unreachable,
      ...(typeof one === "string" ? { url: one } : one),
    })),
  });
  shared.namespace = made.name;
  const refurnish = async (): Promise<void> => {
    for (const name of [options.scenario ?? []].flat())
      await control.call(`POST /_sandbox/scenarios/${encodeURIComponent(name)}/activate`);
  };
  const close = (): Promise<void> =>
    control.call(`DELETE /_sandbox/namespaces/${encodeURIComponent(made.name)}`);
  try {
    await refurnish();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    namespace: made.name,
    url: base,
    apiKey: made.api_key,
    liveApiKey: made.live_api_key,
    webhookSecret: made.webhook_secret,
    fetch: shared.fetch,
    onWebhook: (handler, webhook) =>
      receive(control, base, handler, webhook, {
        secret: made.webhook_secret,
        signature: signature ?? "standard",
      }),
    explore: async (flow, how) => {
      checkExploreOptions(flow, how);
      const { exploreAsked } = await lazily(() => import("../tools/explore/file.js"));
      return exploreAsked(flow, how, { fetch: shared.fetch, runIdOf: () => freshRunId() });
    },
    refurnish,
    close,
  };
}

function serverUrl(given: string): string {
  const text = /^https?:\/\//i.test(given) ? given : `http://${given}`;
  if (!URL.canParse(text)) throw new UserError(`setupSandbox: ${JSON.stringify(given)} is not a URL`);
  return withoutEndSlashes(text);
}

/** Takes every request to that server, and to the namespace unless it names one itself. */
class SharedServer {
  readonly #base: string;
  namespace: string | undefined;

  constructor(base: string) {
    this.#base = base;
  }

  readonly fetch = async (input: Request | URL | string, init?: RequestInit): Promise<Response> => {
    const request = new Request(typeof input === "string" ? new URL(input, this.#base) : input, init);
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    if (this.namespace !== undefined && !headers.has("sandbox-namespace"))
      headers.set("sandbox-namespace", this.namespace);
    const token = process.env.PAYMENTS_SANDBOX_CONTROL_TOKEN;
    if (token !== undefined && pathname.startsWith("/_sandbox") && !headers.has("sandbox-control-token"))
      headers.set("sandbox-control-token", token);
    const body = await request.arrayBuffer();
    return fetch(this.#base + pathname + search, {
      method: request.method,
      headers,
      redirect: "manual",
      signal: request.signal,
      ...(body.byteLength === 0 ? {} : { body }),
    });
  };
}

/** The server sends over a socket, so the function gets one; what it is given and what it answers are the same. */
async function receive(
  control: ControlClient,
  base: string,
  handler: WebhookHandler,
  options: WebhookHandlerOptions,
  defaults: Parameters<typeof webhookHandlerOptions>[1],
): Promise<() => Promise<void>> {
  if (!isLoopback(new URL(base).hostname.replace(/^\[|\]$/g, "")))
    throw new UserError(
      `onWebhook: the sandbox at ${base} is on another machine and cannot call a function of this one: give setupSandbox() the address of a receiver, as in { webhooks: [url] }`,
    );
  const { url, ...webhook } = webhookHandlerOptions(options, defaults);
  const listening = await listen({
    port: 0,
    host: "127.0.0.1",
    ownsProcess: false,
    fetch: async (request) => {
      const headers = new Headers(request.headers);
      for (const name of ["host", "connection"]) headers.delete(name);
      const body = await request.arrayBuffer();
      return answerOf(handler, new Request(url, { method: "POST", headers, body }));
    },
    onUnreadable: (status) => ({ status, headers: {}, body: "" }),
    onFailure: () => ({ status: 500, headers: {}, body: "" }),
  });
  const { webhook_id } = await control.call<{ webhook_id: string }>("POST /_sandbox/webhook-endpoints", {
    ...webhook,
    url: `http://127.0.0.1:${listening.port}/`,
  });
  return async () => {
    try {
      await control.call(`DELETE /_sandbox/webhook-endpoints/${webhook_id}`);
    } finally {
      await listening.close();
    }
  };
}
