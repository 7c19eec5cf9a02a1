import { durationToMs } from "../../../core/schema/time.js";
import type { Client } from "../../scenario/running/client.js";
import type { LogRow } from "../../scenario/running/control-lists.js";
import { JOB_INTERVAL, LONG } from "../course.js";
import type { RunRules } from "../functions/local-sandbox.js";
import { isSameEmail, type ReadRows } from "../sandbox/observation.js";
import {
  LIFE_FAILURES,
  type LifeAct,
  type LifeFailure,
  MAX_ORDERS,
  nextActs,
  type OpenOrder,
  type PaymentAct,
} from "./acts.js";
import { type Fields, fieldsOf, type LifeOrder, type LifeView } from "./fields.js";

/** Charges do nothing by themselves: the acts of a life decide. */
export const CHARGES: NonNullable<RunRules["charges"]> = [
  { timeline: [{ after: "1s", to: "AWAITING_PAYMENT" }] },
];

/** An app in which lives are carried out, and the time that passes for it. */
export interface LifeHost {
  readonly hasJob: boolean;
  /** The app can be asked to pay an order that it has already. */
  readonly hasAttempt: boolean;
  readonly client: Client;
  readonly rowsSince: ReadRows;
  /** The newest charge that lives know. */
  newestCharge: string | undefined;
  /** The flow allows what an order shows that is refunded. */
  readonly allowsRefund?: boolean;
  /** Fields of the views that are not compared, with what is below them. */
  readonly free: readonly string[];
  /** @param orders number of orders that the life may have */
  begin(orders: number): Promise<void>;
  /** Names an order that the app does not know yet, of the customer with the e-mail address, or of a new one. */
  newOrder(email?: string): LifeOrder;
  /** Places the order in the app, or goes to pay it, in at most so many tries. Returns false if the app refuses all. */
  press(act: "order" | "attempt", order: LifeOrder, tries: number): Promise<boolean>;
  /** Waits for work of the sandbox that the app has a part in. */
  until<Result>(work: Promise<Result>): Promise<Result>;
  /** Does both at the same moment: the app's first call in `one` has its response when `other` is done. */
  together(one: () => Promise<unknown>, other: () => Promise<unknown>): Promise<unknown>;
  advance(by: string): Promise<void>;
  useRules(rules: RunRules): unknown;
  /** Runs the scheduled work of the app. */
  tick(): Promise<void>;
  look(order: LifeOrder): Promise<LifeView[]>;
}

/** The end of an order. */
export interface OrderEnd extends OpenOrder {
  /** Number of its charges that were refunded. */
  readonly refunded: number;
  /** The app has paid out since its first charge. */
  readonly isPaidBack: boolean;
  readonly fields: Fields;
}

/** A life that was carried out. */
export interface LifeEnd {
  /** The acts that could be carried out. */
  readonly acts: readonly LifeAct[];
  /** The ends of its orders, by their number. */
  readonly orders: ReadonlyMap<number, OrderEnd>;
}

/** The state of an order in a life. Its charges are ids, the oldest first. */
interface LivingOrder extends LifeOrder {
  readonly customer: number;
  readonly charges: string[];
  readonly paid: Set<string>;
  readonly refunded: Set<string>;
}

const STATUS_OF: Readonly<Record<PaymentAct, string>> = {
  pay: "COMPLETED",
  decline: "FAILED",
  cancel: "CANCELLED",
  refund: "REFUNDED",
};

/** Sets the rules for lives, and for the failure if there is one. */
export async function useLifeRules(host: LifeHost, failure?: LifeFailure): Promise<void> {
  await host.useRules({ charges: CHARGES, ...(failure === undefined ? {} : LIFE_FAILURES[failure]) });
}

/** Carries out the acts that are possible. A number draws the next act. */
export async function live(host: LifeHost, acts: readonly (LifeAct | number)[]): Promise<LifeEnd> {
  const orders = acts.map((act) =>
    typeof act === "object" && act.do === "order" ? act.order + 1 : MAX_ORDERS,
  );
  await host.begin(Math.max(...orders));
  return new Life(host).carryOut(acts);
}

class Life {
  readonly #host: LifeHost;
  readonly #orders = new Map<number, LivingOrder>();
  readonly #acts: LifeAct[] = [];
  /** Sandbox time of the life so far, and of each charge's expiry. */
  #nowMs = 0;
  readonly #expiryMs = new Map<string, number>();
  #failure: LifeFailure | undefined;
  #isPressRefused = false;

  constructor(host: LifeHost) {
    this.#host = host;
  }

  async carryOut(acts: readonly (LifeAct | number)[]): Promise<LifeEnd> {
    const host = this.#host;
    for (const next of acts) for (const act of this.#actsOf(next)) await this.#do(act);
    if (this.#failure !== undefined) await useLifeRules(host);
    for (const by of host.hasJob ? [JOB_INTERVAL, LONG, JOB_INTERVAL] : [LONG]) {
      await host.advance(by);
      await host.tick();
    }
    // An app that asks the service when it is looked at learns of one order at a time.
    if (this.#orders.size > 1) for (const order of this.#orders.values()) await host.look(order);
    await this.#findCharges();
    const ends = new Map<number, OrderEnd>();
    for (const [number, order] of this.#orders) ends.set(number, await this.#endOf(order));
    return { acts: this.#acts, orders: ends };
  }

  #actsOf(next: LifeAct | number): LifeAct[] {
    if (typeof next !== "number") return [next];
    const orders = [...this.#orders.values()].map(openOrder);
    const all = nextActs(orders, this.#host.hasAttempt, this.#failure !== undefined);
    return all[next % all.length]!;
  }

  async #do(act: LifeAct): Promise<void> {
    if (!this.#isPossible(act)) return;
    this.#acts.push(act);
    await this.#carryOut(act);
    // An app may create a charge some time after its press.
    const isWaiting = [...this.#orders.values()].some(({ charges }) => charges.length === 0);
    const isPress = act.do === "order" || act.do === "attempt" || act.do === "at_once";
    if (isPress || (act.do === "wait" && isWaiting)) await this.#findCharges(act);
  }

  get #failsCalls(): boolean {
    return this.#failure !== undefined && "faults" in LIFE_FAILURES[this.#failure];
  }

  #isPossible(act: LifeAct): boolean {
    if (act.do === "order") return !this.#orders.has(act.order);
    if (act.do === "at_once") return !this.#failsCalls && act.acts.every((one) => this.#isPossible(one));
    if (act.do === "wait" || act.do === "fail") return true;
    const { charges, paid } = this.#orders.get(act.order) ?? {};
    return act.do === "attempt"
      ? charges !== undefined
      : ((act.do === "refund" ? paid?.size : charges?.length) ?? 0) > 0;
  }

  async #carryOut(act: LifeAct): Promise<unknown> {
    const host = this.#host;
    if (act.do === "wait") {
      this.#nowMs += durationToMs(act.by);
      return host.advance(act.by);
    }
    if (act.do === "fail") return useLifeRules(host, (this.#failure = act.kind));
    if (act.do === "at_once") {
      const [one, other] = act.acts.map((each) => () => this.#carryOut(each));
      return host.together(one!, other!);
    }
    if (act.do === "order") {
      const { customer } = act;
      const known = [...this.#orders.values()].find((one) => one.customer === customer);
      this.#orders.set(act.order, {
        ...host.newOrder(known?.email),
        customer,
        charges: [],
        paid: new Set(),
        refunded: new Set(),
      });
    }
    const order = this.#orders.get(act.order)!;
    if (act.do === "order" || act.do === "attempt") {
      this.#isPressRefused = !(await host.press(act.do, order, this.#failsCalls ? 2 : 1));
      return;
    }
    const of = act.do === "refund" ? [...order.paid] : order.charges;
    return host.until(this.#move(of.at(act.isFirst ? 0 : -1)!, act.do, order));
  }

  /** Moves a charge. One that has expired is left: no page of it is open. The service refuses others that have ended. */
  async #move(charge_id: string, act: PaymentAct, { paid, refunded }: LivingOrder): Promise<void> {
    if (act !== "refund" && this.#nowMs >= this.#expiryMs.get(charge_id)!) return;
    const { status } = await this.#host.client.control("transitionCharge", { charge_id, to: STATUS_OF[act] });
    if (status >= 300) return;
    if (act === "pay") paid.add(charge_id);
    if (act === "refund" && paid.delete(charge_id)) refunded.add(charge_id);
  }

  /** Gives each new charge to its order: the one that it names, else that of the act, else the customer's only one. */
  async #findCharges(act?: LifeAct): Promise<void> {
    const host = this.#host;
    const creates = act?.do === "attempt" || act?.do === "at_once" || !host.hasAttempt;
    const rows = await host.rowsSince("charges", host.newestCharge, creates ? 1 : 0);
    for (const [newer, row] of [...rows.entries()].reverse()) {
      host.newestCharge = String(row.charge_id);
      // A checkout whose response was lost cannot be paid: its address never reached the app.
      const isUnheard =
        this.#failure === "response_lost" && row.kind === "hosted" && (newer > 0 || this.#isPressRefused);
      if (!isUnheard) this.#ownerOf(row, act)?.charges.push(host.newestCharge);
      const lifeMs = Date.parse(String(row.expires_at)) - Date.parse(String(row.created_at));
      this.#expiryMs.set(host.newestCharge, this.#nowMs + lifeMs);
    }
  }

  #ownerOf({ metadata, customer_email }: LogRow, act: LifeAct | undefined): LivingOrder | undefined {
    const all = [...this.#orders.values()];
    // An address has the id of the customer's first order.
    const text = all.reduce((rest, { email }) => rest.replaceAll(email, ""), JSON.stringify(metadata));
    const ofCustomer = all.filter(({ email }) => isSameEmail(email, String(customer_email)));
    return (
      all.find(({ id }) => text.includes(id)) ??
      (act?.do === "order" || act?.do === "attempt" ? this.#orders.get(act.order) : undefined) ??
      (ofCustomer.length === 1 ? ofCustomer[0] : undefined)
    );
  }

  /** Nothing but the acts of the life pays or refunds a charge, so its charges need not be read. */
  async #endOf(order: LivingOrder): Promise<OrderEnd> {
    const fields = fieldsOf(await this.#host.look(order), order);
    const isPaidBack = order.paid.size > 1 && (await this.#hasPaidOutSince(order.charges[0]!));
    return { ...openOrder(order), refunded: order.refunded.size, isPaidBack, fields };
  }

  /** Returns true if the app has paid out since it created the charge. */
  async #hasPaidOutSince(charge_id: string): Promise<boolean> {
    const { client } = this.#host;
    const charge = (await client.callOrFail("getCharge", { charge_id })) as LogRow;
    const { items } = (await client.callOrFail("listControlWithdrawals", { limit: 1 })) as {
      items: LogRow[];
    };
    return items[0] !== undefined && String(items[0].created_at) >= String(charge.created_at);
  }
}

function openOrder({ customer, charges, paid }: LivingOrder): OpenOrder {
  return { customer, charges: charges.length, paid: paid.size };
}
