import { expect } from "vitest";
import type { Sandbox } from "../../../src/library/sandbox.js";
import { Api, okBody } from "../../support/api-client.js";
import { joinTags } from "../../support/markup.js";
import { lacking, textOf } from "./dashboard.js";

export interface Checkout {
  readonly checkout_id: string;
  readonly charge_id: string;
}

export async function createCheckout(
  sandbox: Sandbox,
  wish: Record<string, unknown> = {},
  key = sandbox.apiKey,
): Promise<Checkout> {
  const body = { pricing: { base_currency: "USD", amount: "25.00" }, ...wish };
  return okBody(await new Api(sandbox, key).post<Checkout>("/api/v1/payments/checkouts", body));
}

/** Requests a checkout page in process. */
export class CheckoutPage {
  readonly sandbox: Sandbox;
  readonly checkout: Checkout;
  readonly path: string;

  constructor(sandbox: Sandbox, checkout: Checkout) {
    this.sandbox = sandbox;
    this.checkout = checkout;
    this.path = `/checkout/${checkout.checkout_id}`;
  }

  static async create(sandbox: Sandbox, wish?: Record<string, unknown>, key?: string): Promise<CheckoutPage> {
    return new CheckoutPage(sandbox, await createCheckout(sandbox, wish, key));
  }

  get(rest = "") {
    return this.#request(rest, {});
  }

  post(action: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
    const body = new URLSearchParams(fields).toString();
    return this.send(action, body, { "content-type": "application/x-www-form-urlencoded", ...headers });
  }

  send(action: string, body: string, headers: Record<string, string>) {
    return this.#request(`/${action}`, { method: "POST", body, headers });
  }

  /** `location` is absolute. */
  async #request(rest: string, init: RequestInit) {
    const url = `http://sandbox${this.path}${rest}`;
    const response = await this.sandbox.fetch(new Request(url, init));
    const { status, headers } = response;
    const to = headers.get("location");
    const location = to === null ? null : new URL(to, url).href;
    return { status, headers, text: joinTags(await response.text()), location };
  }

  get charge() {
    const charges = new Map(this.sandbox.snapshot().collections.charges);
    return charges.get(this.checkout.charge_id)!;
  }
}

/** Expects a page with the status and all words; returns its HTML. */
export async function expectPage(
  answer: ReturnType<CheckoutPage["get"]>,
  expected: number,
  ...words: string[]
): Promise<string> {
  const { status, text } = await answer;
  expect([status, lacking(textOf(text), words)]).toEqual([expected, []]);
  return text;
}

export async function expectRedirect(answer: ReturnType<CheckoutPage["get"]>, to: string | null) {
  const { status, location } = await answer;
  expect([status, location]).toEqual([303, to]);
}
