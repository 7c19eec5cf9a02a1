import type { Sandbox } from "../../../src/sandbox.js";
import { Api, okBody } from "../../support/api-client.js";

export interface Checkout {
  readonly checkout_id: string;
  readonly checkout_url: string;
  readonly charge_id: string;
}

/** Creates a standard checkout as a shop would. */
export async function createCheckout(
  sandbox: Sandbox,
  wish: Record<string, unknown> = {},
  key = sandbox.apiKey,
): Promise<Checkout> {
  const body = { pricing: { base_currency: "USD", amount: "25.00" }, ...wish };
  return okBody(await new Api(sandbox, key).post<Checkout>("/api/v1/payments/checkouts", body));
}

/** The page of a checkout, in this process. */
export class CheckoutPage {
  readonly #sandbox: Sandbox;
  readonly checkout: Checkout;
  readonly path: string;

  constructor(sandbox: Sandbox, checkout: Checkout) {
    this.#sandbox = sandbox;
    this.checkout = checkout;
    this.path = `/checkout/${checkout.checkout_id}`;
  }

  static async create(sandbox: Sandbox, wish?: Record<string, unknown>, key?: string): Promise<CheckoutPage> {
    return new CheckoutPage(sandbox, await createCheckout(sandbox, wish, key));
  }

  async get(rest = ""): Promise<Answer> {
    return this.#answer(rest, {});
  }

  async post(
    action: string,
    fields: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.send(action, new URLSearchParams(fields).toString(), {
      "content-type": "application/x-www-form-urlencoded",
      ...headers,
    });
  }

  async send(action: string, body: string, headers: Record<string, string>): Promise<Answer> {
    return this.#answer(`/${action}`, { method: "POST", body, headers });
  }

  async #answer(rest: string, init: RequestInit): Promise<Answer> {
    const url = `http://sandbox${this.path}${rest}`;
    const response = await this.#sandbox.fetch(new Request(url, init));
    const location = response.headers.get("location");
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: location === null ? null : new URL(location, url).href,
    };
  }

  get charge() {
    const charges = new Map(this.#sandbox.snapshot().collections.charges);
    return charges.get(this.checkout.charge_id)!;
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Where it leads, made absolute as a browser does. */
  readonly location: string | null;
}
