import type { Sandbox, SandboxOptions } from "../../src/library/index.js";
import { openSandbox } from "./api-client.js";
import { type Answer, Caller, inProcess, overPort, type Transport } from "./caller.js";

export interface ChargeWish {
  readonly email?: string;
  readonly amount?: string;
  readonly scenario?: string;
  readonly key?: string;
  readonly metadata?: Record<string, string>;
}

/** Calls a sandbox as a shop and its tests do. */
export class Client extends Caller {
  constructor(transport: Transport, key = "sk_test_sandbox") {
    super(transport, key);
  }

  static of(sandbox: Sandbox): Client {
    return new Client(inProcess(sandbox));
  }

  static at(url: string): Client {
    return new Client(overPort(url));
  }

  /** Returns a client of the namespace. */
  in(namespace: string | undefined): Client {
    if (namespace === undefined) return this;
    return new Client((path, init) => {
      const headers = new Headers(init.headers);
      headers.set("sandbox-namespace", namespace);
      return this.transport(path, { ...init, headers });
    });
  }

  async quote({ amount = "100.00", key = "sk_test_sandbox" }: ChargeWish = {}): Promise<Answer<unknown>> {
    const body = { pricing: { base_currency: "NGN", amount }, payment_method: "bank_transfer" };
    return this.ask("POST /api/v1/payments/quotes", body, { authorization: `Bearer ${key}` });
  }

  async checkout(quoteId: string, wish: ChargeWish = {}): Promise<Answer<unknown>> {
    const { email = "ada@shop.test", amount = "100.00", key = "sk_test_sandbox", scenario, metadata } = wish;
    return this.ask(
      "POST /api/v1/payments/whitelabel",
      {
        pricing: { base_currency: "NGN", amount },
        payment_method: "bank_transfer",
        bank_account_number: "0123456789",
        customer_email: email,
        quote_id: quoteId,
        ...(metadata === undefined ? {} : { metadata }),
      },
      { authorization: `Bearer ${key}`, ...(scenario === undefined ? {} : { "sandbox-scenario": scenario }) },
    );
  }

  async pay(wish: ChargeWish = {}): Promise<string> {
    const quote = await this.quote(wish);
    if (quote.status !== 200) throw new Error(quote.text);
    const checkout = await this.checkout(quote.json.quote_id, wish);
    if (checkout.status !== 200) throw new Error(checkout.text);
    return checkout.json.charge_id;
  }

  async withdraw(payout: {
    readonly currency: string;
    readonly amount: string;
    readonly reference?: string;
  }) {
    const { currency } = payout;
    const wallet = { type: "mobile_money", currency, phone_number: "+254700000001", provider: "M" };
    const { json: destination } = await this.ask("POST /api/v1/payouts/destinations", wallet);
    const order = { destination_id: destination.destination_id, ...payout };
    const made = await this.ask("POST /api/v1/payouts/withdrawals", order);
    if (made.status !== 200) throw new Error(made.text);
    return made.json;
  }

  charge(chargeId: string, key = "sk_test_sandbox"): Promise<Answer<unknown>> {
    return this.get(`/api/v1/payments/charges/${chargeId}`, { authorization: `Bearer ${key}` });
  }

  transition(chargeId: string, to: string): Promise<Answer<unknown>> {
    return this.ask(`POST /_sandbox/charges/${chargeId}/transition`, { to });
  }
}

export interface Shop {
  readonly sandbox: Sandbox;
  readonly client: Client;
}

/** Opens a sandbox at START with a shop that uses it. */
export async function openShop(options: SandboxOptions = {}): Promise<Shop> {
  const sandbox = await openSandbox(options);
  return { sandbox, client: Client.of(sandbox) };
}
