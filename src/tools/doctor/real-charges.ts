import type { ControlClient } from "../../core/client/control-client.js";
import { iso } from "../../core/schema/time.js";
import { UserError } from "../../core/schema/user-error.js";
import { buildOrderRequest, EMAIL_PLACEHOLDER } from "./check-options.js";
import type { ObservationOptions, ResolvedCheckOptions } from "./probe-session.js";
import type { SampleEvent } from "./samples.js";
import { sendRequest } from "./send-request.js";

/** A paid charge of a running sandbox, with its events, which check-webhook delivers instead of the sandbox. */
export interface RealCharge extends ChargeRecord {
  readonly events: Readonly<Record<LifeStatus, SampleEvent>>;
}

export interface UnpaidCharge extends ChargeRecord {
  readonly paidData: ChargeData;
}

const LIFE = ["AWAITING_PAYMENT", "PROCESSING", "COMPLETED"] as const;
type LifeStatus = (typeof LIFE)[number];

const SCENARIO = "check-webhook";
const DESCRIPTION =
  "Charges that check-webhook makes: they stand still, and it delivers their events itself.";

export interface ChargeRecord {
  readonly charge_id: string;
  readonly checkout_id: string;
  readonly amount: string;
  readonly settlement_amount: string;
  readonly kind: "whitelabel" | "hosted";
  readonly metadata: Readonly<Record<string, string>>;
}

/** Mailbox for webhooks while a fault holds the call that creates a charge. Acknowledging a webhook ends the hold. */
const MAILBOX = "check-webhook";
const POLL_MS = 25;
/** How long an app may take to create the charge of an order after its response. */
const CHARGE_TIMEOUT_MS = 5_000;
/** Timeout of an order, as a multiple of the webhook timeout: webhooks may time out while the order's call is held. */
const ORDER_TIMEOUTS = 3;

const SUMMARY_CHARS = 200;

const LIMITED =
  "the sandbox rejected calls with 429, so the findings do not count: start it with --rate-limit off";

interface EventRecord {
  readonly event_id: string;
  readonly payload: { readonly data: ChargeData };
}

interface ChargeData {
  readonly status: string;
  readonly status_history: readonly object[];
}

/** Creates and pays charges in a running sandbox, directly or by orders in the app. */
export class RealCharges {
  readonly #options: ResolvedCheckOptions;
  readonly #observation: ObservationOptions;
  readonly #key: string;
  readonly #initialRefusals: number;
  #count = 0;

  private constructor(
    options: ResolvedCheckOptions,
    observation: ObservationOptions,
    key: string,
    initialRefusals: number,
  ) {
    this.#options = options;
    this.#observation = observation;
    this.#key = key;
    this.#initialRefusals = initialRefusals;
  }

  static async open(options: ResolvedCheckOptions, observation: ObservationOptions): Promise<RealCharges> {
    const { sandbox, order } = observation;
    const { api_key } = await sandbox.run<{ api_key: string }>("getSandbox");
    const match = order?.includes(EMAIL_PLACEHOLDER) ? { customer_email: emailOf(options.seed, "*") } : {};
    await sandbox.run("putScenario", {
      name: SCENARIO,
      description: DESCRIPTION,
      charges: [{ match, timeline: [] }],
      webhooks: [{ match: { ...match, url: `mailbox:${MAILBOX}` } }, { match, drop: true }],
    });
    // The app's own calls name no scenario, so the scenario must be active.
    if (order !== undefined) await sandbox.run("activateScenario", { name: SCENARIO });
    return new RealCharges(options, observation, api_key, await countRefusals(sandbox));
  }

  /** Creates and pays a charge. `metadataKeys` apply only without the option `order`. */
  async createPaid(metadataKeys: readonly string[]): Promise<RealCharge> {
    return this.#pay(await this.#create(metadataKeys));
  }

  /** Creates a charge, as `createPaid` does. */
  async createUnpaid(metadataKeys: readonly string[]): Promise<UnpaidCharge> {
    const { charge, items } = await this.#transition(await this.#create(metadataKeys), ["AWAITING_PAYMENT"]);
    const { data } = items[0]!.payload;
    const at = iso(this.#options.wall.nowMs());
    const paid = { status: "COMPLETED", settled_at: at };
    const status_history = [...data.status_history, { status: paid.status, at }];
    return { ...charge, paidData: { ...data, ...paid, status_history } };
  }

  async #create(metadataKeys: readonly string[]): Promise<string> {
    const name = `check-${this.#options.seed}-${++this.#count}`;
    const metadata = Object.fromEntries(["order_id", ...metadataKeys].map((key) => [key, name]));
    const { order } = this.#observation;
    return order === undefined ? this.#createCharge(metadata) : this.#placeOrder(order);
  }

  /**
   * Runs `work` with the paid charge of a new order while the app's call is held; undefined without `order`. Resolves
   * with `hosted` if the app creates a hosted checkout, which has no payment before the app has its URL.
   */
  async whileHeld<Result>(
    work: (charge: RealCharge) => Promise<Result>,
  ): Promise<{ charge: RealCharge; result: Result } | "hosted" | undefined> {
    const { order, sandbox } = this.#observation;
    if (order === undefined) return undefined;
    this.#count++;
    const { webhook_id } = await sandbox.run<{ webhook_id: string }>("createWebhookEndpoint", {
      mailbox: MAILBOX,
    });
    const { match } = this.#customerOf(order);
    const { fault_id } = await sandbox.run<{ fault_id: string }>("createFault", {
      match: { operation: "createWhitelabel", ...match },
      hold: "webhook",
      times: 1,
    });
    try {
      const before = await this.#newest(match);
      let isOrdered = false;
      const orderTimeoutMs = ORDER_TIMEOUTS * this.#options.timeoutMs;
      const ordered = this.#placeOrder(order, orderTimeoutMs).finally(() => {
        isOrdered = true;
      });
      const payWhileHeld = async () => {
        let id = before;
        while (id === before && !isOrdered) {
          await new Promise<void>((resolve) => this.#options.wall.after(POLL_MS, resolve, true));
          id = await this.#newest(match);
        }
        const created = id === undefined || id === before ? await ordered : id;
        if ((await this.#read(created)).kind === "hosted") return "hosted";
        const charge = await this.#pay(created);
        const result = await work(charge);
        await this.#releaseCall();
        return { charge, result };
      };
      const [done] = await Promise.all([payWhileHeld(), ordered]);
      return done;
    } finally {
      await sandbox.run("deleteFault", { fault_id });
      await sandbox.run("deleteWebhookEndpoint", { webhook_id });
    }
  }

  #read(charge_id: string): Promise<ChargeRecord> {
    return this.#observation.sandbox.run("getCharge", { charge_id });
  }

  /** Ends the hold by acknowledging a webhook of the charge. */
  async #releaseCall(): Promise<void> {
    const { sandbox } = this.#observation;
    const name = MAILBOX;
    const { items } = await sandbox.run<{ items: { delivery_id: string }[] }>("takeFromMailbox", { name });
    for (const { delivery_id } of items)
      await sandbox.run("acknowledgeDelivery", { name, delivery_id, status: 200 });
  }

  async #transition(charge_id: string, statuses: readonly LifeStatus[]) {
    const { sandbox } = this.#observation;
    let charge: ChargeRecord | undefined;
    for (const to of statuses)
      charge = await sandbox.run<ChargeRecord>("transitionCharge", { charge_id, to });
    const { items } = await sandbox.run<{ items: EventRecord[] }>("listEvents", { charge_id });
    return { charge: charge!, items };
  }

  async #pay(charge_id: string): Promise<RealCharge> {
    const { charge, items } = await this.#transition(charge_id, LIFE);
    const events = LIFE.map((status) => {
      const { event_id, payload } = items.find((event) => event.payload.data.status === status)!;
      return [status, { id: event_id, body: JSON.stringify(payload) }];
    });
    return { ...charge, events: Object.fromEntries(events) };
  }

  /** Runs `work` while the app's reads of a charge fail with 500. */
  async whileUnreadable<Result>({ charge_id }: RealCharge, work: () => Promise<Result>): Promise<Result> {
    const { sandbox } = this.#observation;
    const { fault_id } = await sandbox.run<{ fault_id: string }>("createFault", {
      match: { path: `*/${charge_id}` },
      respond: { status: 500 },
      times: 1_000,
    });
    try {
      return await work();
    } finally {
      await sandbox.run("deleteFault", { fault_id });
    }
  }

  /** Throws if the sandbox refused calls with 429, because the app's failures are then no faults of its own. */
  async throwIfLimited(): Promise<void> {
    if ((await countRefusals(this.#observation.sandbox)) > this.#initialRefusals)
      throw new UserError(LIMITED);
  }

  async close(): Promise<void> {
    await this.#observation.sandbox.run("deleteScenario", { name: SCENARIO });
  }

  async #createCharge(metadata: Record<string, string>): Promise<string> {
    const response = await this.#observation.sandbox.send(
      "POST",
      "/api/v1/payments/checkouts",
      {
        pricing: { base_currency: "USD", amount: "19.99" },
        customer_email: "check-webhook@shop.test",
        customer_name: "Ada Obi",
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

  /** Places an order in the app; returns the id of its charge. */
  async #placeOrder(order: string, timeoutMs = this.#options.timeoutMs): Promise<string> {
    const { wall, url: receiver } = this.#options;
    const { email, match } = this.#customerOf(order);
    const before = await this.#newest(match);
    const { method, url, body } = buildOrderRequest(order, receiver, email);
    const type = body.startsWith("{") ? "application/json" : "application/x-www-form-urlencoded";
    const headers: Record<string, string> = body === "" ? {} : { "content-type": type };
    const request = { method, sent: "an order", attempt: 1, eventId: "", headers, body };
    const answer = await sendRequest(url, request, timeoutMs, wall);
    const text = answer.body.slice(0, SUMMARY_CHARS);
    const summary = `${method} ${url} answered ${answer.status ?? answer.error} ${text}`.trim();
    if (answer.status === null || answer.status >= 400) throw new UserError(`--order: ${summary}`);
    const endMs = wall.nowMs() + CHARGE_TIMEOUT_MS;
    for (;;) {
      const newest = await this.#newest(match);
      if (newest !== undefined && newest !== before) return newest;
      if (wall.nowMs() > endMs)
        throw new UserError(
          `--order: ${summary}, and no charge was created in the sandbox within ${CHARGE_TIMEOUT_MS / 1_000} s`,
        );
      await new Promise<void>((resolve) => wall.after(POLL_MS, resolve, true));
    }
  }

  /** The customer of the current order, with the fields that select the customer's charges. */
  #customerOf(order: string) {
    const email = emailOf(this.#options.seed, String(this.#count));
    return { email, match: order.includes(EMAIL_PLACEHOLDER) ? { customer_email: email } : {} };
  }

  async #newest(match: object): Promise<string | undefined> {
    const { sandbox } = this.#observation;
    const { items } = await sandbox.run<{ items: ChargeRecord[] }>("listCharges", { limit: 1, ...match });
    return items[0]?.charge_id;
  }
}

async function countRefusals(sandbox: ControlClient): Promise<number> {
  return (await sandbox.run<{ total: number }>("listRequests", { status: 429, limit: 1 })).total;
}

function emailOf(seed: string, number: string): string {
  return `check-webhook-${seed}-${number}@shop.test`;
}
