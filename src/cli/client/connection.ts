import { withoutEndSlashes } from "../../schema/addresses.js";
import { refusalText } from "../../schema/errors.js";
import { DEFAULT_HOST, DEFAULT_PORT } from "../../schema/options.js";
import { webhookUrl } from "../../schema/receiver-url.js";
import { UserError } from "../../schema/user-error.js";

/** What every command that speaks to a running sandbox takes. */
export interface ConnectionFlags {
  readonly url?: string;
  readonly namespace?: string;
  readonly controlToken?: string;
  readonly json?: boolean;
}

type Json = Record<string, unknown>;

/** The control API of a running sandbox, in one namespace. */
export class Connection {
  readonly url: string;
  readonly #headers: Record<string, string>;

  constructor(flags: ConnectionFlags, environment: NodeJS.ProcessEnv = process.env) {
    const given = flags.url ?? environment.PAYMENTS_SANDBOX_URL ?? `${DEFAULT_HOST}:${DEFAULT_PORT}`;
    const url = webhookUrl(given);
    if (url === undefined) throw new UserError(`--url ${JSON.stringify(given)} is not a URL`);
    this.url = withoutEndSlashes(url);
    const token = flags.controlToken ?? environment.PAYMENTS_SANDBOX_CONTROL_TOKEN;
    this.#headers = {
      ...(flags.namespace === undefined ? {} : { "sandbox-namespace": flags.namespace }),
      ...(token === undefined ? {} : { "sandbox-control-token": token }),
    };
  }

  /** Calls the control API; what it refuses is told in a line. */
  async call(method: string, path: string, body?: unknown): Promise<Json> {
    const response = await this.fetch(method, path, body);
    const text = await response.text();
    let json: Json;
    try {
      json = JSON.parse(text) as Json;
    } catch {
      throw new UserError(`${this.url}${path} did not answer as a sandbox does (HTTP ${response.status})`);
    }
    if (!response.ok) throw new UserError(refusalOf(json));
    return json;
  }

  async fetch(method: string, path: string, body?: unknown): Promise<Response> {
    try {
      return await fetch(`${this.url}${path}`, {
        method,
        headers: { ...this.#headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch {
      throw new UserError(`there is no sandbox at ${this.url}; start one with: payments-sandbox start`);
    }
  }

  /** The charge of an id, `last` (the newest), or `email:a@b` (the newest of that customer). */
  async charge(selector: string): Promise<Json & { charge_id: string; checkout_id: string }> {
    const query =
      selector === "last"
        ? "?limit=1"
        : selector.startsWith("email:")
          ? `?limit=1&customer_email=${encodeURIComponent(selector.slice("email:".length))}`
          : undefined;
    if (query === undefined)
      return (await this.call("GET", `/_sandbox/charges/${encodeURIComponent(selector)}`)) as never;
    const { items } = await this.call("GET", `/_sandbox/charges${query}`);
    const [found] = items as Json[];
    if (found === undefined) throw new UserError(`no charge matches ${selector}`);
    return found as never;
  }
}

function refusalOf(json: Json): string {
  const { error = {} } = json as { error?: Partial<Parameters<typeof refusalText>[0]> };
  const { message = "refused", code = "?", details } = error;
  return refusalText({ message, code, details });
}
