import type { ControlClient } from "../control-client.js";
import { UserError } from "../schema/user-error.js";
import { EMAIL, orderRequest } from "./observation.js";
import { ask } from "./post.js";
import type { SampleEvent } from "./samples.js";
import type { CheckOptions } from "./session.js";
import type { EyeOptions } from "./sight.js";

/** A charge of a running sandbox that has been paid, and its events, which the sandbox itself sends to nobody. */
export interface RealCharge extends ChargeRecord {
  readonly events: Readonly<Record<Told, SampleEvent>>;
}

const LIFE = ["AWAITING_PAYMENT", "PROCESSING", "COMPLETED"] as const;
type Told = (typeof LIFE)[number];

const SCENARIO = "check-webhook";
const DESCRIPTION =
  "Charges that check-webhook makes: they stand still, and it delivers their events itself.";

/** What the control API answers of a charge, as far as it is looked at. */
interface ChargeRecord {
  readonly charge_id: string;
  readonly checkout_id: string;
  readonly amount: string;
  readonly settlement_amount: string;
  readonly metadata: Readonly<Record<string, string>>;
}

const LIMITED = "the sandbox refused calls with 429, so nothing found counts: start it with --rate-limit off";

interface EventRecord {
  readonly event_id: string;
  readonly payload: { readonly data: { readonly status: string } };
}

/** Makes charges at a running sandbox, as its customers would or by the app's own orders, and has them paid. */
export class RealCharges {
  readonly #options: CheckOptions;
  readonly #eyes: EyeOptions;
  readonly #key: string;
  readonly #refusedBefore: number;
  #made = 0;

  private constructor(options: CheckOptions, eyes: EyeOptions, key: string, refusedBefore: number) {
    this.#options = options;
    this.#eyes = eyes;
    this.#key = key;
    this.#refusedBefore = refusedBefore;
  }

  static async open(options: CheckOptions, eyes: EyeOptions): Promise<RealCharges> {
    const { sandbox, order } = eyes;
    const { api_key } = await sandbox.call<{ api_key: string }>("GET", "/_sandbox");
    const match = order?.includes(EMAIL) ? { customer_email: emailOf(options.seed, "*") } : {};
    await sandbox.call("PUT", `/_sandbox/scenarios/${SCENARIO}`, {
      description: DESCRIPTION,
      charges: [{ match, timeline: [] }],
      webhooks: [{ match, drop: true }],
    });
    // The app asks for no scenario by name.
    if (order !== undefined) await sandbox.call("POST", `/_sandbox/scenarios/${SCENARIO}/activate`);
    return new RealCharges(options, eyes, api_key, await refusedCalls(sandbox));
  }

  /** A new charge that has been paid; of the doctor's own making with those keys in its metadata. */
  async make(metadataKeys: readonly string[]): Promise<RealCharge> {
    const name = `check-${this.#options.seed}-${++this.#made}`;
    const metadata = Object.fromEntries(["order_id", ...metadataKeys].map((key) => [key, name]));
    const { order, sandbox } = this.#eyes;
    const id = order === undefined ? await this.#checkout(metadata) : await this.#ordered(order);
    let charge: ChargeRecord | undefined;
    for (const to of LIFE)
      charge = await sandbox.call<ChargeRecord>("POST", `/_sandbox/charges/${id}/transition`, { to });
    const { items } = await sandbox.call<{ items: EventRecord[] }>("GET", `/_sandbox/events?charge_id=${id}`);
    const events = LIFE.map((status) => {
      const { event_id, payload } = items.find((one) => one.payload.data.status === status)!;
      return [status, { id: event_id, body: JSON.stringify(payload) }];
    });
    return { ...charge!, events: Object.fromEntries(events) };
  }

  /** What the app asks about a charge is answered with 500 meanwhile. */
  async whileUnreadable<Result>({ charge_id }: RealCharge, work: () => Promise<Result>): Promise<Result> {
    const { fault_id } = await this.#eyes.sandbox.call<{ fault_id: string }>("POST", "/_sandbox/faults", {
      match: { path: `*/${charge_id}` },
      respond: { status: 500 },
      times: 1_000,
    });
    try {
      return await work();
    } finally {
      await this.#eyes.sandbox.call("DELETE", `/_sandbox/faults/${fault_id}`);
    }
  }

  /** Throws when the sandbox refused calls for their number: an app that fails then fails for no fault of its own. */
  async refuseLimited(): Promise<void> {
    if ((await refusedCalls(this.#eyes.sandbox)) > this.#refusedBefore) throw new UserError(LIMITED);
  }

  async close(): Promise<void> {
    await this.#eyes.sandbox.call("DELETE", `/_sandbox/scenarios/${SCENARIO}`);
  }

  async #checkout(metadata: Record<string, string>): Promise<string> {
    const response = await this.#eyes.sandbox.send(
      "POST",
      "/api/v1/payments/checkouts",
      {
        pricing: { base_currency: "USD", amount: "25.00" },
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
    if (response.status === 429) throw new UserError(LIMITED);
    if (!response.ok)
      throw new UserError(`--observe needs charges, and the sandbox made none: ${response.status} ${text}`);
    return JSON.parse(text).charge_id;
  }

  /** Has the app make an order, and finds the charge it made for that. */
  async #ordered(order: string): Promise<string> {
    const { seed, timeoutMs, wall, url: receiver } = this.#options;
    const email = emailOf(seed, String(this.#made));
    const query = order.includes(EMAIL) ? `&customer_email=${encodeURIComponent(email)}` : "";
    const before = await this.#newest(query);
    const { url, body } = orderRequest(order, receiver, email);
    const type = body.startsWith("{") ? "application/json" : "application/x-www-form-urlencoded";
    const request = { sent: "an order", attempt: 1, eventId: "", headers: { "content-type": type }, body };
    const answer = await ask(url, request, timeoutMs, wall);
    const said = `POST ${url} answered ${answer.status ?? answer.error} ${answer.body}`.trim();
    if (answer.status === null || answer.status >= 400) throw new UserError(`--order: ${said}`);
    const newest = await this.#newest(query);
    if (newest !== undefined && newest !== before) return newest;
    throw new UserError(`--order: ${said}, and no charge was made at the sandbox`);
  }

  async #newest(query: string): Promise<string | undefined> {
    const { items } = await this.#eyes.sandbox.call<{ items: ChargeRecord[] }>(
      "GET",
      `/_sandbox/charges?limit=1${query}`,
    );
    return items[0]?.charge_id;
  }
}

async function refusedCalls(sandbox: ControlClient): Promise<number> {
  return (await sandbox.call<{ total: number }>("GET", "/_sandbox/requests?status=429&limit=1")).total;
}

function emailOf(seed: string, number: string): string {
  return `check-webhook-${seed}-${number}@shop.test`;
}
