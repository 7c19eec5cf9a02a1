import type { Sandbox, SandboxOptions } from "../../src/index.js";
import { openSandbox } from "./api-client.js";

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the wire says
  readonly json: any;
}

export interface ChargeWish {
  readonly email?: string;
  readonly amount?: string;
  readonly scenario?: string;
  readonly key?: string;
  readonly metadata?: Record<string, string>;
}

type Send = (path: string, init: RequestInit) => Promise<Response>;

/** Speaks to a sandbox as a shop and its tests do: in this process, or over a port. */
export class Client {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  static of(sandbox: Sandbox): Client {
    return new Client((path, init) => sandbox.fetch(new Request(`http://sandbox${path}`, init)));
  }

  static at(url: string): Client {
    return new Client((path, init) => fetch(url + path, init));
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await this.#send(path, {
      method,
      headers: { authorization: "Bearer sk_test_sandbox", "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, headers: response.headers, json: JSON.parse(text) };
  }

  async quote({ amount = "100.00", key = "sk_test_sandbox" }: ChargeWish = {}): Promise<Answer> {
    const body = { pricing: { base_currency: "NGN", amount }, payment_method: "bank_transfer" };
    return this.call("POST", "/api/v1/payments/quotes", body, { authorization: `Bearer ${key}` });
  }

  /** A whitelabel checkout for a quote. */
  async checkout(quoteId: string, wish: ChargeWish = {}): Promise<Answer> {
    const { email = "ada@shop.test", amount = "100.00", key = "sk_test_sandbox", scenario, metadata } = wish;
    return this.call(
      "POST",
      "/api/v1/payments/whitelabel",
      {
        pricing: { base_currency: "NGN", amount },
        payment_method: "bank_transfer",
        bank_account_number: "0123456789",
        customer_email: email,
        quote_id: quoteId,
        ...(metadata === undefined ? {} : { metadata }),
      },
      {
        authorization: `Bearer ${key}`,
        ...(scenario === undefined ? {} : { "sandbox-scenario": scenario }),
      },
    );
  }

  /** A quote and its checkout; the charge's id. */
  async pay(wish: ChargeWish = {}): Promise<string> {
    const quote = await this.quote(wish);
    if (quote.status !== 200) throw new Error(quote.text);
    const checkout = await this.checkout(quote.json.quote_id, wish);
    if (checkout.status !== 200) throw new Error(checkout.text);
    return checkout.json.charge_id;
  }

  charge(chargeId: string, key = "sk_test_sandbox"): Promise<Answer> {
    return this.call("GET", `/api/v1/payments/charges/${chargeId}`, undefined, {
      authorization: `Bearer ${key}`,
    });
  }

  advance(body: object, query = ""): Promise<Answer> {
    return this.call("POST", `/_sandbox/clock/advance${query}`, body);
  }

  reset(body: object = {}, query = ""): Promise<Answer> {
    return this.call("POST", `/_sandbox/reset${query}`, body);
  }

  setClock(body: object, query = ""): Promise<Answer> {
    return this.call("PUT", `/_sandbox/clock${query}`, body);
  }

  clock(): Promise<Answer> {
    return this.call("GET", "/_sandbox/clock");
  }

  transition(chargeId: string, to: string): Promise<Answer> {
    return this.call("POST", `/_sandbox/charges/${chargeId}/transition`, { to });
  }
}

export interface Shop {
  readonly sandbox: Sandbox;
  readonly client: Client;
}

/** A sandbox of this test's own, at START, closed after it, and a shop that uses it. */
export async function openShop(options: SandboxOptions = {}): Promise<Shop> {
  const sandbox = await openSandbox(options);
  return { sandbox, client: Client.of(sandbox) };
}
