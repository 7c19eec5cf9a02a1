import type { ControlClient } from "../control-client.js";
import { UserError } from "../schema/user-error.js";
import type { SampleEvent } from "./samples.js";

/** A charge of a running sandbox that has been paid, and its events, which the sandbox itself sends to nobody. */
export interface RealCharge {
  readonly charge_id: string;
  readonly checkout_id: string;
  readonly amount: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly events: Readonly<Record<Told, SampleEvent>>;
}

const LIFE = ["AWAITING_PAYMENT", "PROCESSING", "COMPLETED"] as const;
type Told = (typeof LIFE)[number];

/** What the customer is asked for, before fees. */
export const PRICE = "25.00";
const SCENARIO = "check-webhook";
const RULES = {
  description: "Charges that check-webhook makes: they stand still, and it delivers their events itself.",
  charges: [{ timeline: [] }],
  webhooks: [{ drop: true }],
};

interface EventRecord {
  readonly event_id: string;
  readonly payload: { readonly data: { readonly status: string } };
}

/** Makes charges at a running sandbox as its customers would, and brings them to their end. */
export class RealCharges {
  readonly #sandbox: ControlClient;
  readonly #key: string;
  readonly #seed: string;
  #made = 0;

  private constructor(sandbox: ControlClient, key: string, seed: string) {
    this.#sandbox = sandbox;
    this.#key = key;
    this.#seed = seed;
  }

  static async open(sandbox: ControlClient, seed: string): Promise<RealCharges> {
    const { api_key } = await sandbox.call<{ api_key: string }>("GET", "/_sandbox");
    await sandbox.call("PUT", `/_sandbox/scenarios/${SCENARIO}`, RULES);
    return new RealCharges(sandbox, api_key, seed);
  }

  async make(metadataKeys: readonly string[]): Promise<RealCharge> {
    const name = `check-${this.#seed}-${++this.#made}`;
    const metadata = Object.fromEntries(["order_id", ...metadataKeys].map((key) => [key, name]));
    const checkout = await this.#checkout(metadata);
    const path = `/_sandbox/charges/${checkout.charge_id}`;
    let charge = { amount: "" };
    for (const to of LIFE) charge = await this.#sandbox.call("POST", `${path}/transition`, { to });
    const { items } = await this.#sandbox.call<{ items: EventRecord[] }>(
      "GET",
      `/_sandbox/events?charge_id=${checkout.charge_id}`,
    );
    const events = LIFE.map((status) => {
      const { event_id: id, payload } = items.find((one) => one.payload.data.status === status)!;
      return [status, { id, body: JSON.stringify(payload) }];
    });
    return { ...checkout, amount: charge.amount, metadata, events: Object.fromEntries(events) };
  }

  /** What the app asks about a charge is answered with 500 meanwhile. */
  async whileUnreadable<Result>({ charge_id }: RealCharge, work: () => Promise<Result>): Promise<Result> {
    const { fault_id } = await this.#sandbox.call<{ fault_id: string }>("POST", "/_sandbox/faults", {
      match: { path: `*/${charge_id}` },
      respond: { status: 500 },
      times: 1_000,
    });
    try {
      return await work();
    } finally {
      await this.#sandbox.call("DELETE", `/_sandbox/faults/${fault_id}`);
    }
  }

  async close(): Promise<void> {
    await this.#sandbox.call("DELETE", `/_sandbox/scenarios/${SCENARIO}`);
  }

  async #checkout(metadata: Record<string, string>): Promise<{ charge_id: string; checkout_id: string }> {
    const response = await this.#sandbox.send(
      "POST",
      "/api/v1/payments/checkouts",
      {
        pricing: { base_currency: "USD", amount: PRICE },
        customer_email: "check-webhook@shop.test",
        metadata,
      },
      undefined,
      {
        authorization: `Bearer ${this.#key}`,
        "sandbox-scenario": SCENARIO,
        "sandbox-runner": SCENARIO,
      },
    );
    const text = await response.text();
    if (!response.ok)
      throw new UserError(`--observe needs charges, and the sandbox made none: ${response.status} ${text}`);
    const { charge_id, checkout_id } = JSON.parse(text);
    return { charge_id, checkout_id };
  }
}
