import {
  type ControlCallArguments,
  ControlClient,
  type FilledCall,
  fillCall,
  type OperationCall,
  UnexpectedResponseError,
} from "../../core/client/control-client.js";
import type { ControlOperationId } from "../../core/client/operations.js";
import { columnValue, LIST_COLUMNS } from "../../core/reports/list-columns.js";
import { PROGRAM } from "../../core/reports/payment-text.js";
import { didYouMean } from "../../core/schema/nearest.js";
import { DEFAULT_HOST, DEFAULT_PORT } from "../../core/schema/option-schemas.js";
import { refuse, SandboxError } from "../../core/schema/refusals.js";
import { UserError } from "../../core/schema/user-error.js";
import { commandFor } from "../help-text.js";
import {
  fetchWithFix,
  noSandboxError,
  type SandboxAddress,
  sandboxAddress,
  throwIfUntrustedCertificate,
  URL_SOURCES,
} from "../sandbox-url.js";

export interface ConnectionFlags {
  readonly url?: string;
  readonly namespace?: string;
  readonly controlToken?: string;
  readonly json?: boolean;
}

export type JsonBody = Record<string, unknown>;

type ChargeJson = JsonBody & { readonly charge_id: string; readonly checkout_id: string };

/** Query parameters by name. Undefined values are left out. */
type Query = Readonly<Record<string, unknown>>;

/** Calls the control API of a running sandbox in one namespace. Throws `UserError`s. */
export class Connection extends ControlClient {
  readonly #reach: SandboxAddress;
  readonly #given: Pick<ConnectionFlags, "url" | "namespace">;
  /** Sandbox time of the last response; undefined before the first. */
  now: string | undefined;

  constructor(flags: ConnectionFlags, environment: NodeJS.ProcessEnv = process.env) {
    const { PAYMENTS_SANDBOX_URL } = environment;
    const given = flags.url ?? PAYMENTS_SANDBOX_URL ?? `${DEFAULT_HOST}:${DEFAULT_PORT}`;
    const reached = sandboxAddress(given);
    const name =
      flags.url !== undefined
        ? "--url"
        : PAYMENTS_SANDBOX_URL !== undefined
          ? "PAYMENTS_SANDBOX_URL"
          : "default";
    if (reached === undefined) throw new UserError(`${name} ${JSON.stringify(given)} is not a URL`);
    const source = URL_SOURCES[name];
    super({
      namespace: flags.namespace,
      controlToken: flags.controlToken ?? environment.PAYMENTS_SANDBOX_CONTROL_TOKEN,
      fetch: (path, init) =>
        reached.fetch(path, init).catch((error) => {
          throwIfUntrustedCertificate(reached.url, error);
          throw noSandboxError(reached.url, source);
        }),
    });
    this.#reach = reached;
    this.#given = { url: flags.url, namespace: flags.namespace };
    this.fetch = fetchWithFix(reached, source);
  }

  /** A command to copy, for the sandbox and namespace that this command was given. */
  commandFor(words: string): string {
    return commandFor(words, this.#given);
  }

  /** A command that the control API gave, for the sandbox that this command was given. */
  commandAs(command: string): string {
    const words = command.slice(PROGRAM.length + 1);
    const { url, namespace } = this.#given;
    return commandFor(words, { url, ...(words.includes(" --namespace ") ? {} : { namespace }) });
  }

  get url(): string {
    return this.#reach.url;
  }

  /** Sends a request. Throws the errors of `fetch`, and an error with a fix for a refused connection. */
  readonly fetch: SandboxAddress["fetch"];

  override async send(...call: Parameters<ControlClient["send"]>): ReturnType<ControlClient["send"]> {
    const response = await super.send(...call);
    this.now = response.headers.get("sandbox-now") ?? this.now;
    return response;
  }

  protected override async read<Answer>(call: FilledCall, headers?: Record<string, string>): Promise<Answer> {
    try {
      return await super.read<Answer>(call, headers);
    } catch (error) {
      if (!(error instanceof UnexpectedResponseError)) throw error;
      throw new UserError(`${this.url}${call.path} did not respond like a sandbox (HTTP ${error.status})`);
    }
  }

  override call<Answer = JsonBody>(...call: ControlCallArguments): Promise<Answer> {
    return super.call<Answer>(...call);
  }

  override run<Answer = JsonBody>(id: ControlOperationId, input: object = {}): Promise<Answer> {
    return super.run<Answer>(...([id, input] as OperationCall));
  }

  sendOperation(id: ControlOperationId, input: object) {
    const { method, path, body } = fillCall(id, input);
    return this.send(method, path, body);
  }

  /** Finds a charge; `SELECTORS` lists the forms of a selector. */
  async resolveCharge(selector: string): Promise<ChargeJson> {
    const email = emailOf(selector);
    const metadata = metadataQueries(selector);
    const charge =
      email !== undefined
        ? await this.findNewest("listCharges", { customer_email: email })
        : metadata !== undefined
          ? await this.#onlyCharge(selector, metadata)
          : ((await this.#record("charge", selector)) ?? (await this.#chargeOfOrder(selector)));
    if (charge !== undefined) return charge as ChargeJson;
    const { items } = await this.run("listControlWithdrawals", { limit: 100 });
    const withdrawal = (items as JsonBody[]).find(
      ({ withdrawal_id, reference }) =>
        reference === selector || (selector.startsWith("wd_") && String(withdrawal_id).startsWith(selector)),
    );
    if (withdrawal === undefined) throw selectorError("charge", selector, SELECTORS);
    const see = this.commandFor(`withdrawal ${withdrawal.withdrawal_id}`);
    throw new SandboxError(
      refuse("NOT_FOUND", `no charge matches ${selector}, but a withdrawal does: ${see}`),
    );
  }

  /** Finds the charge of an order by its name, or by the end of one: `1042` of `A-1042`. */
  async #chargeOfOrder(order: string): Promise<JsonBody | undefined> {
    if (order.trim() === "" || ID.test(order) || LAST.test(order)) return undefined;
    const { items } = await this.run("listCharges", { q: order, limit: ORDERS_MAX });
    const found = (items as JsonBody[]).filter((item) => {
      const own = String(columnValue(LIST_COLUMNS.charges, "order", item) ?? "").toLowerCase();
      const rest = own.slice(0, -order.length);
      return own.endsWith(order.toLowerCase()) && !/[a-z\d]$/.test(rest);
    });
    return requireUnique(order, "charge_id", found);
  }

  /** Finds a withdrawal, delivery or webhook endpoint by id, by unique prefix of an id, or by `last`, `last-1`. */
  async resolveRecord(kind: RecordKind, selector: string): Promise<JsonBody> {
    const found = await this.#record(kind, selector);
    if (found === undefined) throw selectorError(kind, selector, SELECTORS.slice(0, 2));
    return found;
  }

  /** Finds the charge that matches one of the queries. Throws if several do. */
  async #onlyCharge(selector: string, queries: readonly Query[]): Promise<JsonBody | undefined> {
    const found = new Map<unknown, JsonBody>();
    for (const query of queries) {
      const { items } = await this.run("listCharges", { limit: CANDIDATES_MAX + 1, ...query });
      for (const item of items as JsonBody[]) found.set(item.charge_id, item);
    }
    return requireUnique(selector, "charge_id", [...found.values()]);
  }

  /** Finds a record by id, by unique prefix of an id, also as the live log cuts it (`ch_31c2…`), or by `last`, `last-N`. */
  async #record(kind: RecordKind, given: string): Promise<JsonBody | undefined> {
    const selector = given.replace(/…$/, "");
    const { list, get } = RECORDS[kind];
    const idField = `${kind}_id`;
    const last = LAST.exec(selector);
    if (last !== null) return this.findNewest(list, { offset: Number(last[1] ?? 0) });
    if (!ID.test(selector)) return undefined;
    const known = await this.#known(get, { [idField]: selector });
    if (known !== undefined || !/_[0-9a-f]*$/.test(selector)) return known;
    const found: JsonBody[] = [];
    for await (const items of this.pages<JsonBody>(...([list] as OperationCall))) {
      found.push(...items.filter((item) => String(item[idField]).startsWith(selector)));
      if (found.length > CANDIDATES_MAX) break;
    }
    return requireUnique(selector, idField, found);
  }

  async #known(id: ControlOperationId, input: object): Promise<JsonBody | undefined> {
    try {
      return await this.run(id, input);
    } catch (error) {
      if (error instanceof SandboxError && error.code === "NOT_FOUND") return undefined;
      throw error;
    }
  }

  /** Creates a function that calls the service. The journal names the command, not the app, as the sender. */
  async createServiceCaller(
    headers: Readonly<Record<string, string>>,
  ): Promise<<Answer>(method: string, path: string, body?: unknown) => Promise<Answer>> {
    const { api_key } = await this.run("getSandbox");
    const all = { ...headers, authorization: `Bearer ${api_key}` };
    const client = new ControlClient({
      namespace: this.headers["sandbox-namespace"],
      runner: "payments-sandbox charge create",
      fetch: async (path, init) => {
        try {
          return await this.fetch(path, { ...init, headers: { ...init.headers, ...all } });
        } catch {
          throw new UserError(`${init.method} ${path}: no response: the connection was dropped`);
        }
      },
    });
    return async (method, resource, body) => {
      const path = `/api/v1/payments${resource}`;
      try {
        return await client.call(method, path, body);
      } catch (error) {
        const { fault } = (await this.findNewest("listRequests", { method, path })) ?? {};
        if (error instanceof Error && typeof fault === "string") {
          const [kind, end] = fault.startsWith("flt_") ? ["fault", "remove"] : ["scenario", "drop"];
          const isAsked = fault === headers["sandbox-scenario"];
          const fix = isAsked ? "" : `; to end it: ${this.commandFor(`${kind} ${end} ${fault}`)}`;
          error.message += `; ${kind} ${fault} made this${fix}`;
        }
        throw error;
      }
    };
  }

  async findNewest(list: ControlOperationId, query: Query = {}): Promise<JsonBody | undefined> {
    const { items } = await this.run(list, { limit: 1, ...query });
    return (items as JsonBody[])[0];
  }
}

const RECORDS = {
  charge: { list: "listCharges", get: "getCharge" },
  withdrawal: { list: "listControlWithdrawals", get: "getControlWithdrawal" },
  delivery: { list: "listDeliveries", get: "getDelivery" },
  webhook: { list: "listWebhookEndpoints", get: "getWebhookEndpoint" },
} as const;
type RecordKind = keyof typeof RECORDS;

const CANDIDATES_MAX = 5;
/** Charges that are searched for an order, the newest. */
const ORDERS_MAX = 50;

const LAST = /^last(?:-(\d{1,6}))?$/;
const ID = /^[a-z]{2,4}_/;

/** Forms of a selector. Withdrawals and deliveries take only the first two. */
const SELECTORS = ["an id or the beginning of one", "last or last-1", "an e-mail", "an order such as 1042"];

function emailOf(selector: string): string | undefined {
  const email = selector.startsWith("email:") ? selector.slice("email:".length) : selector;
  return email !== selector || email.includes("@") ? email : undefined;
}

/** Queries for a metadata entry. Apps call an order `order` or `order_id`. Undefined for an id or `last`. */
function metadataQueries(selector: string): Query[] | undefined {
  const [, key, value] = /^([\w.-]+)=(.+)$/.exec(selector) ?? [];
  if (key === undefined) return undefined;
  return (key === "order" ? ["order_id", "order"] : [key]).map((name) => ({ [`metadata.${name}`]: value }));
}

/** Returns the record that matches a selector, if there is one. Throws with the candidates if there are several. */
function requireUnique(selector: string, idField: string, found: readonly JsonBody[]): JsonBody | undefined {
  if (found.length < 2) return found[0];
  const candidates = found.slice(0, CANDIDATES_MAX).map((item) => {
    const { status, state = status, currency, amount, type } = item;
    const about = [state, amount === undefined ? type : `${currency} ${amount}`].filter(Boolean);
    return `${item[idField]}${about.length === 0 ? "" : ` (${about.join(", ")})`}`;
  });
  const more = found.length > CANDIDATES_MAX ? " and more" : "";
  throw new SandboxError(
    refuse("VALIDATION_ERROR", `${selector} is ambiguous: ${candidates.join(", ")}${more}`),
  );
}

/** Error for a selector without a match. For a malformed selector, the message lists the valid forms. */
function selectorError(what: string, selector: string, kinds: readonly string[]): SandboxError {
  const isOne = /^last(-\d+)?$/.test(selector) || /^(ch|wd|dlv|we)_|@|=/.test(selector);
  const otherwise = isOne ? "" : `; give ${kinds.join(", ").replace("1042", () => selector)}`;
  const why = selector === "last" ? ": there is none yet" : didYouMean(selector, ["last"], otherwise);
  return new SandboxError(refuse("NOT_FOUND", `no ${what} matches ${selector}${why}`));
}
