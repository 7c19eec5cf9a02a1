import { type ControlCall, ControlClient, ForeignAnswer } from "../../control-client.js";
import { refuse } from "../../schema/errors.js";
import { didYouMean } from "../../schema/nearest.js";
import { DEFAULT_HOST, DEFAULT_PORT } from "../../schema/options.js";
import { SandboxError } from "../../schema/sandbox-error.js";
import { UserError } from "../../schema/user-error.js";
import { KnownMistake } from "../mistakes.js";
import { type Reach, reach, refuseUntrusted } from "../reach.js";

const START = "payments-sandbox start";

/** What every command that speaks to a running sandbox takes. */
export interface ConnectionFlags {
  readonly url?: string;
  readonly namespace?: string;
  readonly controlToken?: string;
  readonly json?: boolean;
}

export type Json = Record<string, unknown>;

type ChargeJson = Json & { readonly charge_id: string; readonly checkout_id: string };

/** Values by name, such as flags are: those that are undefined are left out. */
type Query = Readonly<Record<string, unknown>>;

/** The control API of a running sandbox, in one namespace; what goes wrong is told in a line. */
export class Connection extends ControlClient {
  readonly #reach: Reach;

  constructor(flags: ConnectionFlags, environment: NodeJS.ProcessEnv = process.env) {
    const given = flags.url ?? environment.PAYMENTS_SANDBOX_URL ?? `${DEFAULT_HOST}:${DEFAULT_PORT}`;
    const reached = reach(given);
    if (reached === undefined) throw new UserError(`--url ${JSON.stringify(given)} is not a URL`);
    super({
      namespace: flags.namespace,
      controlToken: flags.controlToken ?? environment.PAYMENTS_SANDBOX_CONTROL_TOKEN,
      fetch: (path, init) =>
        reached.fetch(path, init).catch((error) => {
          refuseUntrusted(reached.url, error);
          throw new KnownMistake(`there is no sandbox at ${reached.url}; start one with: ${START}`, {
            code: "NO_SANDBOX",
            fix: START,
            doc: "docs/getting-started.md",
          });
        }),
    });
    this.#reach = reached;
  }

  get url(): string {
    return this.#reach.url;
  }

  /** What an HTTPS sandbox of this machine is trusted by. */
  get trust(): Reach["trust"] {
    return this.#reach.trust;
  }

  /** Sends a request there; what goes wrong is told as `fetch` tells it. */
  readonly fetch: Reach["fetch"] = (path, init) => this.#reach.fetch(path, init);

  override async call<Answer = Json>(...call: ControlCall): Promise<Answer> {
    try {
      return await super.call<Answer>(...call);
    } catch (error) {
      if (!(error instanceof ForeignAnswer)) throw error;
      throw new UserError(`${this.url}${call[1]} did not respond like a sandbox (HTTP ${error.status})`);
    }
  }

  /** `path` is below `/_sandbox`, here and in what follows. */
  get(path: string, query: Query = {}): Promise<Json> {
    const said = Object.entries(query).filter(([, value]) => value !== undefined);
    const text = new URLSearchParams(said.map(([name, value]) => [name, String(value)])).toString();
    return this.call("GET", `/_sandbox${path}${text === "" ? "" : `?${text}`}`);
  }

  post(path: string, body?: unknown): Promise<Json> {
    return this.call("POST", `/_sandbox${path}`, body);
  }

  put(path: string, body: unknown): Promise<Json> {
    return this.call("PUT", `/_sandbox${path}`, body);
  }

  delete(path: string): Promise<Json> {
    return this.call("DELETE", `/_sandbox${path}`);
  }

  /** The charge of an id, `last` (the newest), or `email:a@b` (the newest of that customer). */
  async charge(selector: string): Promise<ChargeJson> {
    const email = selector.startsWith("email:") ? selector.slice("email:".length) : undefined;
    const charge =
      selector === "last" || email !== undefined
        ? await this.newest("/charges", { customer_email: email })
        : await this.#known(`/charges/${encodeURIComponent(selector)}`);
    if (charge === undefined) throw noneMatches("charge", selector, ["an id", "last", "email:a@b"]);
    return charge as ChargeJson;
  }

  /** The withdrawal of an id, or `last`. */
  async withdrawal(selector: string): Promise<Json> {
    const withdrawal =
      selector === "last"
        ? await this.newest("/withdrawals")
        : await this.#known(`/withdrawals/${encodeURIComponent(selector)}`);
    if (withdrawal === undefined) throw noneMatches("withdrawal", selector, ["an id", "last"]);
    return withdrawal;
  }

  /** Undefined where there is none. */
  async #known(path: string): Promise<Json | undefined> {
    try {
      return await this.get(path);
    } catch (error) {
      if (error instanceof SandboxError && error.code === "NOT_FOUND") return undefined;
      throw error;
    }
  }

  /** Calls the service below `/api/v1/payments` with the namespace's key; in the journal it is no app's. */
  async service(
    headers: Readonly<Record<string, string>>,
  ): Promise<<Answer>(method: string, path: string, body?: unknown) => Promise<Answer>> {
    const { api_key } = await this.get("");
    const all = { ...headers, authorization: `Bearer ${api_key}` };
    const client = new ControlClient({
      namespace: this.headers["sandbox-namespace"],
      runner: "payments-sandbox charge create",
      fetch: async (path, init) => {
        try {
          return await this.fetch(path, { ...init, headers: { ...init.headers, ...all } });
        } catch {
          throw new UserError(
            `${init.method} ${path}: no response: the connection was dropped, perhaps by a fault`,
          );
        }
      },
    });
    return (method, path, body) => client.call(method, `/api/v1/payments${path}`, body);
  }

  /** The newest record of a list, if there is one. */
  async newest(path: string, query: Query = {}): Promise<Json | undefined> {
    const { items } = await this.get(path, { limit: 1, ...query });
    return (items as Json[])[0];
  }
}

/** Says the selector, and what one may be where it looks like none. */
function noneMatches(what: string, selector: string, kinds: readonly string[]): SandboxError {
  const isOne = selector === "last" || /^(ch|wd)_|^email:/.test(selector);
  const otherwise = isOne ? "" : `; give ${kinds.join(", ")}`;
  const why = selector === "last" ? ": there is none yet" : didYouMean(selector, ["last"], otherwise);
  return new SandboxError(refuse("NOT_FOUND", `no ${what} matches ${selector}${why}`));
}
