import type { ControlClient } from "../../control-client.js";
import { UserError } from "../../core/schema/user-error.js";
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

/** Where the sandbox tells of a charge while the app's call is held: its being taken ends the hold. */
const MAILBOX = "check-webhook";
const LOOK_EVERY_MS = 25;
/** An app may not take webhooks while its own call is held: it then answers the order when they have been given up. */
const PATIENCE = 3;

const LIMITED =
  "the sandbox rejected calls with 429, so the findings do not count: start it with --rate-limit off";

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
      webhooks: [{ match: { ...match, url: `mailbox:${MAILBOX}` } }, { match, drop: true }],
    });
    // The app asks for no scenario by name.
    if (order !== undefined) await sandbox.call("POST", `/_sandbox/scenarios/${SCENARIO}/activate`);
    return new RealCharges(options, eyes, api_key, await refusedCalls(sandbox));
  }

  /** A new charge that has been paid; of the doctor's own making with those keys in its metadata. */
  async make(metadataKeys: readonly string[]): Promise<RealCharge> {
    const name = `check-${this.#options.seed}-${++this.#made}`;
    const metadata = Object.fromEntries(["order_id", ...metadataKeys].map((key) => [key, name]));
    const { order } = this.#eyes;
    return this.#paid(order === undefined ? await this.#checkout(metadata) : await this.#ordered(order));
  }

  /**
   * Has the app order, and works with the charge, paid, before the app has been answered which one it is; undefined
   * where the app makes no charges.
   */
  async whileHeld<Result>(
    work: (charge: RealCharge) => Promise<Result>,
  ): Promise<{ charge: RealCharge; result: Result } | undefined> {
    const { order, sandbox } = this.#eyes;
    if (order === undefined) return undefined;
    this.#made++;
    const { webhook_id } = await sandbox.call<{ webhook_id: string }>("POST", "/_sandbox/webhook-endpoints", {
      mailbox: MAILBOX,
    });
    const { query, match } = this.#customerOf(order);
    const { fault_id } = await sandbox.call<{ fault_id: string }>("POST", "/_sandbox/faults", {
      match: { operation: ["createWhitelabel", "createCheckout"], ...match },
      hold: "webhook",
      times: 1,
    });
    try {
      const before = await this.#newest(query);
      let isAnswered = false;
      const patienceMs = PATIENCE * this.#options.timeoutMs;
      const ordered = this.#ordered(order, patienceMs).finally(() => {
        isAnswered = true;
      });
      const meanwhile = async () => {
        let id = before;
        while (id === before && !isAnswered) {
          await new Promise<void>((resolve) => this.#options.wall.after(LOOK_EVERY_MS, resolve, true));
          id = await this.#newest(query);
        }
        const charge = await this.#paid(id === undefined || id === before ? await ordered : id);
        const result = await work(charge);
        await this.#letGo();
        return { charge, result };
      };
      const [done] = await Promise.all([meanwhile(), ordered]);
      return done;
    } finally {
      await sandbox.call("DELETE", `/_sandbox/faults/${fault_id}`);
      await sandbox.call("DELETE", `/_sandbox/webhook-endpoints/${webhook_id}`);
    }
  }

  /** Ends the hold: a webhook of the charge has been answered. */
  async #letGo(): Promise<void> {
    const path = `/_sandbox/mailboxes/${MAILBOX}`;
    const { items } = await this.#eyes.sandbox.call<{ items: { delivery_id: string }[] }>(
      "POST",
      `${path}/take`,
      {},
    );
    for (const { delivery_id } of items)
      await this.#eyes.sandbox.call("POST", `${path}/${delivery_id}/ack`, { status: 200 });
  }

  async #paid(id: string): Promise<RealCharge> {
    const { sandbox } = this.#eyes;
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
      throw new UserError(
        `--observe needs charges, and the sandbox created none: ${response.status} ${text}`,
      );
    return JSON.parse(text).charge_id;
  }

  /** Has the app make an order, and finds the charge it made for that. */
  async #ordered(order: string, timeoutMs = this.#options.timeoutMs): Promise<string> {
    const { wall, url: receiver } = this.#options;
    const { email, query } = this.#customerOf(order);
    const before = await this.#newest(query);
    const { url, body } = orderRequest(order, receiver, email);
    const type = body.startsWith("{") ? "application/json" : "application/x-www-form-urlencoded";
    const request = { sent: "an order", attempt: 1, eventId: "", headers: { "content-type": type }, body };
    const answer = await ask(url, request, timeoutMs, wall);
    const said = `POST ${url} answered ${answer.status ?? answer.error} ${answer.body}`.trim();
    if (answer.status === null || answer.status >= 400) throw new UserError(`--order: ${said}`);
    const newest = await this.#newest(query);
    if (newest !== undefined && newest !== before) return newest;
    throw new UserError(`--order: ${said}, and no charge was created in the sandbox`);
  }

  /** Whoever the order of the charge that is being made is for, and how its charges are asked for and its calls told apart. */
  #customerOf(order: string) {
    const email = emailOf(this.#options.seed, String(this.#made));
    return order.includes(EMAIL)
      ? { email, query: `&customer_email=${encodeURIComponent(email)}`, match: { customer_email: email } }
      : { email, query: "", match: {} };
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
