import type * as z from "zod/mini";
import type {
  chargeDetailSchema,
  payinSummarySchema,
  quoteSchema,
  whitelabelResultSchema,
} from "../../src/core/schema/responses/charge-responses.js";
import type { balancesSchema } from "../../src/core/schema/responses/payout-responses.js";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../src/library/index.js";
import {
  Answer,
  Caller,
  errorOf,
  expectError,
  expectInvalid,
  type Headerset,
  inProcess,
  okBody,
} from "./caller.js";
import { closedAtEnd } from "./lifetime.js";

export { Answer, errorOf, expectError, expectInvalid, type Headerset, okBody };

/** Start time of sandboxes with a manual clock. */
export const START = "2026-01-31T09:00:00.000Z";

export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Returns START plus the seconds, as text. */
export function later(seconds: number): string {
  return new Date(Date.parse(START) + seconds * 1000).toISOString();
}

export type Quote = z.infer<typeof quoteSchema>;
export type Summary = z.infer<typeof payinSummarySchema>;
export type Balances = z.infer<typeof balancesSchema>;

/** Instructions with the fields of any payment method. */
type WithInstructions<Body> = Omit<Body, "payment_instructions"> & {
  payment_instructions: Record<string, string>;
};
export type Whitelabel = WithInstructions<z.infer<typeof whitelabelResultSchema>>;
/** A charge with a selected method. */
export type Charge = WithInstructions<z.infer<typeof chargeDetailSchema>>;

/** Calls the service; one method per operation. */
export class Api extends Caller {
  readonly sandbox: Sandbox;

  constructor(sandbox: Sandbox, key: string | null = sandbox.apiKey) {
    super(inProcess(sandbox), key);
    this.sandbox = sandbox;
  }

  as(key: string | null): Api {
    return new Api(this.sandbox, key);
  }

  tryQuote(body: unknown, headers?: Headerset): Promise<Answer<Quote>> {
    return this.post("/api/v1/payments/quotes", body, headers);
  }

  async quote(body: unknown): Promise<Quote> {
    return okBody(await this.tryQuote(body));
  }

  tryWhitelabel(body: unknown, headers?: Headerset): Promise<Answer<Whitelabel>> {
    return this.post("/api/v1/payments/whitelabel", body, headers);
  }

  async whitelabel(body: unknown, headers?: Headerset): Promise<Whitelabel> {
    return okBody(await this.tryWhitelabel(body, headers));
  }

  /** Creates a quote and a checkout with it. */
  async pay(order: Partial<typeof KES_ORDER> & Record<string, unknown> = {}): Promise<Whitelabel> {
    return this.whitelabel(await this.checkoutBody(order));
  }

  /** Returns a valid whitelabel body with a new quote. */
  async checkoutBody(order: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const { to_currency, ...body } = { ...KES_ORDER, ...order } as Record<string, unknown>;
    const { pricing, payment_method } = body;
    const asked = to_currency === undefined ? {} : { to_currency };
    const quote = await this.quote({ pricing, payment_method, ...asked });
    return { quote_id: quote.quote_id, ...body };
  }

  async charge(id: string): Promise<Charge> {
    return okBody(await this.get<Charge>(`/api/v1/payments/charges/${id}`));
  }

  tryPayins(query = ""): Promise<Answer<{ total: number; items: Summary[] }>> {
    return this.get(`/api/v1/payments/payins${query}`);
  }

  async payins(query = ""): Promise<{ total: number; items: Summary[] }> {
    return okBody(await this.tryPayins(query));
  }

  async balances(): Promise<Balances> {
    return okBody(await this.get<Balances>("/api/v1/accounts/balances"));
  }

  /** Returns `available / pending`, or undefined without an account. */
  async balance(currency: string): Promise<string | undefined> {
    const found = (await this.balances()).balances.find((one) => one.currency === currency);
    return found && `${found.available_balance} / ${found.pending_balance}`;
  }

  /** Returns the type and data of every event. */
  // biome-ignore lint/suspicious/noExplicitAny: tests state what they expect of it
  told(): [string, any][] {
    return this.sandbox
      .snapshot()
      .collections.events.map(([, { type, body }]) => [type, JSON.parse(body).data]);
  }

  async destination(body: unknown = MOBILE_ACCOUNT): Promise<string> {
    const answer = await this.post<{ destination_id: string }>("/api/v1/payouts/destinations", body);
    return okBody(answer).destination_id;
  }

  transition(id: string, body: unknown): Promise<Answer<Charge>> {
    return this.post(`/_sandbox/charges/${id}/transition`, body);
  }
}

export const KES_ORDER = {
  pricing: { base_currency: "KES", amount: "500.00" },
  payment_method: "mobile_money",
  customer_email: "ada@shop.test",
  phone_number: "+254700000001",
};

/** Default payout destination. */
export const MOBILE_ACCOUNT = {
  type: "mobile_money",
  currency: "KES",
  phone_number: "+254700000001",
  provider: "SimbaPesa Sandbox",
};

/** Default data file; undefined keeps state in memory. */
export const stateOf: { data?: (() => string) | undefined } = {};

/** Options of a repaired config, as JSON: the suite runs against a sandbox that follows another service. */
export const REPAIRED: SandboxOptions = JSON.parse(process.env.SANDBOX_TEST_OPTIONS ?? "{}");

/** Opens a sandbox at START and closes it after the test. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const data = options.data ?? stateOf.data?.();
  const all = { clock: "manual", startTime: START, ...REPAIRED, ...options } as const;
  return closedAtEnd(await createSandbox(data === undefined ? all : { ...all, data }));
}

/** Opens a sandbox at START and returns a client with the default key. */
export async function openApi(options: SandboxOptions = {}): Promise<Api> {
  return new Api(await openSandbox(options));
}
