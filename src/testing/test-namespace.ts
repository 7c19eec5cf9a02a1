import { ControlClient } from "../core/client/control-client.js";
import { callHandler, type WebhookHandler } from "../core/delivery/in-process-receivers.js";
import { trimTrailingSlashes } from "../core/schema/text-format.js";
import { UserError } from "../core/schema/user-error.js";
import {
  findServerOnlyOptions,
  parseStartOptions,
  parseWebhookHandlerOptions,
  type SandboxOptions,
  type WebhookHandlerOptions,
} from "../library/library-options.js";
import { openSandbox } from "../library/opening.js";
import { SandboxTools, TOOLS } from "../library/sandbox-tools.js";
import { isLoopback } from "../server/http/access.js";
import { listen } from "../server/http/listener.js";
import { generateRunId } from "../tools/scenario/running/run-report.js";

/** Options of `setupSandbox` besides those of `createSandbox`. */
const SETUP_OPTIONS = ["hooks", "server", "listen", "reconcile"] as const;

/** The namespace of a test file: in a sandbox of this process, or on a server. */
export interface TestNamespace {
  readonly namespace: string;
  /** Throws if the sandbox listens on no port. */
  readonly url: string;
  readonly apiKey: string;
  readonly liveApiKey: string;
  readonly webhookSecret: string;
  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>;
  onWebhook(handler: WebhookHandler, options: WebhookHandlerOptions): Promise<() => Promise<void>>;
  /** Tools that work on this namespace. */
  readonly tools: Pick<SandboxTools, "runFile" | "explore" | "checkWebhook">;
  /** Call after a reset, so that the scenarios of the option `scenario` are active. */
  restoreOptions(): Promise<void>;
  close(): Promise<void>;
}

export async function openInProcess(options: SandboxOptions, listens: boolean): Promise<TestNamespace> {
  const sandbox = await openSandbox(parseStartOptions("setupSandbox", options, SETUP_OPTIONS));
  try {
    if (listens) await sandbox.listen();
  } catch (error) {
    await sandbox.close();
    throw error;
  }
  return {
    namespace: "default",
    get url() {
      if (!listens)
        throw new UserError("the sandbox has no url: setupSandbox({ listen: false }) opens no port");
      return sandbox.url;
    },
    apiKey: sandbox.apiKey,
    liveApiKey: sandbox.liveApiKey,
    webhookSecret: sandbox.webhookSecret,
    fetch: sandbox.fetch,
    onWebhook: async (handler, webhook) => {
      const stop = await sandbox.onWebhook(handler, webhook);
      return async () => stop();
    },
    tools: sandbox[TOOLS],
    restoreOptions: async () => {},
    close: () => sandbox.close(),
  };
}

/** Creates a namespace on a running server; `close` deletes it. */
export async function openOnServer(server: string, options: SandboxOptions): Promise<TestNamespace> {
  parseStartOptions("setupSandbox", options, SETUP_OPTIONS);
  const unsupported = findServerOnlyOptions(options);
  if (unsupported.length > 0)
    throw new UserError(
      `setupSandbox: ${unsupported.join(", ")} cannot be set in a namespace of the server at ${server}: start that server with it, or pass { server: false } for a sandbox of this file's own`,
    );
  const base = serverUrl(server);
  const connection = new NamespaceFetch(base);
  const control = new ControlClient({ fetch: connection.fetch });
  const { signature, unreachable, webhooks = [] } = options;
  const created = await control
    .run<{ name: string; api_key: string; live_api_key: string; webhook_secret: string }>("createNamespace", {
      clock: options.clock,
      start_time: options.startTime,
      seed: options.seed,
      webhook_secret: options.webhookSecret,
      webhooks: webhooks.map((webhook) => ({
        signature,
        unreachable,
        ...(typeof webhook === "string" ? { url: webhook } : webhook),
      })),
    })
    .catch((error: Error) => {
      if ((error.cause as NodeJS.ErrnoException | undefined)?.code !== "ECONNREFUSED") throw error;
      throw new UserError(
        `setupSandbox: there is no sandbox at ${base}: start it, unset PAYMENTS_SANDBOX_URL, or pass { server: false } for a sandbox of this file's own`,
      );
    });
  connection.namespace = created.name;
  const restoreOptions = async (): Promise<void> => {
    for (const name of [options.scenario ?? []].flat()) await control.run("activateScenario", { name });
  };
  const close = (): Promise<void> => control.run("deleteNamespace", { name: created.name });
  try {
    await restoreOptions();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    namespace: created.name,
    url: base,
    apiKey: created.api_key,
    liveApiKey: created.live_api_key,
    webhookSecret: created.webhook_secret,
    fetch: connection.fetch,
    onWebhook: (handler, webhook) =>
      receive(control, base, handler, webhook, {
        secret: created.webhook_secret,
        signature: signature ?? "standard",
      }),
    tools: new SandboxTools({
      fetch: connection.fetch,
      runIdOf: () => generateRunId(),
      webhookDefaults: { secret: created.webhook_secret, signature },
    }),
    restoreOptions,
    close,
  };
}

function serverUrl(address: string): string {
  const text = /^https?:\/\//i.test(address) ? address : `http://${address}`;
  if (!URL.canParse(text)) throw new UserError(`setupSandbox: ${JSON.stringify(address)} is not a URL`);
  return trimTrailingSlashes(text);
}

/** Sends requests to the server. A request that names no namespace gets the test's namespace. */
class NamespaceFetch {
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

/** Opens a local port for the handler, because the server delivers over HTTP. */
async function receive(
  control: ControlClient,
  base: string,
  handler: WebhookHandler,
  options: WebhookHandlerOptions,
  defaults: Parameters<typeof parseWebhookHandlerOptions>[1],
): Promise<() => Promise<void>> {
  if (!isLoopback(new URL(base).hostname.replace(/^\[|\]$/g, "")))
    throw new UserError(
      `onWebhook: the sandbox at ${base} is on another machine and cannot call a function of this one: give setupSandbox() the address of a receiver, as in { webhooks: [url] }`,
    );
  const { url, ...webhook } = parseWebhookHandlerOptions(options, defaults);
  const listener = await listen({
    port: 0,
    host: "127.0.0.1",
    ownsProcess: false,
    fetch: async (request) => {
      const headers = new Headers(request.headers);
      for (const name of ["host", "connection"]) headers.delete(name);
      const body = await request.arrayBuffer();
      return callHandler(handler, new Request(url, { method: "POST", headers, body }));
    },
    onUnreadable: (status) => ({ status, headers: {}, body: "" }),
    onFailure: () => ({ status: 500, headers: {}, body: "" }),
  });
  const { webhook_id } = await control.run<{ webhook_id: string }>("createWebhookEndpoint", {
    ...webhook,
    url: `http://127.0.0.1:${listener.port}/`,
  });
  return async () => {
    try {
      await control.run("deleteWebhookEndpoint", { webhook_id });
    } finally {
      await listener.close();
    }
  };
}
