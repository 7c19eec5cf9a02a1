import type { ChargeStatus } from "../../core/schema/common.js";
import { makePayment } from "../scenario/steps/customer.js";
import { HOUR_MS, inTurn, newestCharge, type RunHost } from "./course.js";
import type { RunPlan } from "./run-plan.js";
import { holdsNothing } from "./run-record.js";
import type { Baseline } from "./sandbox/facts.js";
import { LIST_OPERATION } from "./sandbox/observation.js";
import { paymentLike } from "./sandbox/payment-steps.js";
import type { LookMoment } from "./sandbox/saved-variable.js";

/** A press of the customer, each time without repeats. */
interface Press {
  readonly once: () => Promise<unknown>;
  /** The same press, whose result the flow does not use. */
  readonly again: () => Promise<unknown>;
}

/** A payment of the customer on a page of the service, or elsewhere. */
interface Payment {
  /** @param until status of a charge that is not paid; undefined if it is paid */
  readonly pay: (until: ChargeStatus | undefined) => Promise<unknown>;
  readonly cancel: () => Promise<unknown>;
  /** Cancels the page in one tab, and pays it in another. */
  readonly cancelThenPay: () => Promise<unknown>;
  readonly open: () => Promise<unknown>;
  /** The plan's rules concern the charge. */
  readonly isRuled: boolean;
}

const STRANGER = "stranger@shop.test";

/** The acts of a flow in a run with the deviations of a plan: of the customer, and of others. */
export class Acts {
  readonly host: RunHost;
  /** The customer has ordered, and can pay. */
  hasBegun = false;
  /** The customer has paid, or let time pass, since. */
  hasPaid = false;
  readonly #plan: RunPlan;
  readonly #baseline: Baseline | undefined;
  /** The customer had done nothing before her last press. */
  #isFirstPress = true;
  readonly #looked = new Set<LookMoment>();

  /** @param baseline undefined before the plain runs, whose plan has no deviations */
  constructor(host: RunHost, plan: RunPlan, baseline: Baseline | undefined) {
    this.host = host;
    this.#plan = plan;
    this.#baseline = baseline;
  }

  /** The customer goes on with the response to the held press, or, if `side` is `second`, to the other press. */
  async press(press: number, { once, again }: Press): Promise<void> {
    const { host } = this;
    const { strangers, pressedTwice, pressedAgain, variant } = this.#plan;
    const { side } = variant;
    this.#isFirstPress = !this.hasBegun;
    this.hasBegun = true;
    if (strangers !== undefined && press === this.#pressOfList) {
      await this.amongStrangers(once);
      await host.settle(again);
    } else if (pressedTwice.has(press)) {
      const matches = this.#baseline?.pressMatches[press];
      const match = holdsNothing(side) ? undefined : matches?.[side === "early" ? "first" : "last"];
      await host.race({ match, ...inTurn(side, once, again) });
    } else {
      await host.repeat(once);
      if (pressedAgain.has(press)) await host.settle(again);
    }
  }

  /**
   * The customer whom the app refuses waits until it has heard of her payment, and its scheduled work has run. Resolves
   * with false if she does not: she has yet to pay, or the end of a payment decides what the app refuses.
   */
  async waitForNews(): Promise<boolean> {
    const { changesPayment, isPaidFirst, isHeardLate, flowVariant, heardLateMs } = this.#plan;
    const mayWait = this.hasPaid || this.#isFirstPress;
    const isDecided = changesPayment && !(isPaidFirst && isHeardLate);
    if (!mayWait || isDecided || flowVariant !== undefined) return false;
    await this.host.pause(heardLateMs || HOUR_MS);
    await this.host.tick();
    return true;
  }

  /** The app may not have heard of the payment on which an act depends: it may refuse in its own words. */
  get isUnheard(): boolean {
    return this.hasPaid && this.#plan.isHeardLate;
  }

  /** @param page counts the flow's payments on pages from 0; -1 for a payment elsewhere */
  async pay(page: number, { pay, cancel, cancelThenPay, open, isRuled }: Payment): Promise<void> {
    const { jobs, returnedPage, cancelledPage, variant } = this.#plan;
    await this.#beginPaying();
    if (jobs.some((job) => "page" in job && job.page === page)) await this.host.tick();
    if (page === returnedPage) {
      await open();
      await (variant.side === "first" ? pay("FAILED") : cancel());
      await open();
    } else if (page === cancelledPage) await cancelThenPay();
    else await pay(isRuled ? this.#unpaidUntil : undefined);
  }

  /** Status until which a run waits for a charge that is not paid in time; undefined if the charge is paid. */
  get #unpaidUntil(): ChargeStatus | undefined {
    const { isPaidLate, end } = this.#plan;
    if (end === "declined") return "FAILED";
    return isPaidLate || end === "expired" ? "AWAITING_PAYMENT" : undefined;
  }

  /** @param ms Infinity if it is not known */
  async advance(ms: number, pass: () => Promise<unknown>): Promise<void> {
    await this.#beginPaying();
    await pass();
    if (this.hasPaid && ms < (this.#baseline?.payableMs ?? 0)) await this.#look("during");
  }

  async #beginPaying(): Promise<void> {
    this.hasPaid ||= this.hasBegun;
    if (this.hasPaid) await this.#look("before");
  }

  async #look(moment: LookMoment): Promise<void> {
    if (this.#plan.end !== "expired" || this.#looked.has(moment)) return;
    this.#looked.add(moment);
    await this.host.lookAt(moment);
  }

  // ---- Others ----

  /** @param readsList an act of the flow has read the list between whose pages strangers pay */
  async afterFlow(readsList = false): Promise<void> {
    const { foreignCharge } = this.#plan;
    if (this.isListReadByJob && !readsList) await this.amongStrangers(this.host.job);
    if (foreignCharge === undefined) return;
    // Another shop's customer pays the same price, with the metadata of the customer's newest charge.
    const metadata = (await newestCharge(this.host))?.metadata;
    await this.#payFor("other@shop.test", { ...paymentLike(foreignCharge), metadata });
  }

  /** The scheduled work reads the list between whose pages strangers pay, not a press. */
  get isListReadByJob(): boolean {
    return this.#plan.strangers !== undefined && this.#pressOfList === -1;
  }

  get #pressOfList(): number {
    const { earlierCount = 0 } = this.#plan.strangers ?? {};
    const reads = this.#baseline?.list?.reads ?? [];
    return reads.findIndex(([from, to]) => from <= earlierCount && earlierCount < to);
  }

  /**
   * Strangers pay while the app reads the list of payins: between two of its pages, or before it. An app that counts all
   * payments counts theirs, another does not; neither may count one twice, or miss one.
   */
  async amongStrangers(read: () => Promise<unknown>): Promise<void> {
    const { host } = this;
    const { strangers, areBetween } = this.#plan.strangers!;
    const { list } = this.#baseline!;
    if (list === undefined) return void (await host.settle(read));
    const pay = () => this.#payFor(STRANGER, list.payment);
    const match = { operation: LIST_OPERATION };
    if (areBetween) return void (await host.race({ match, held: read, other: pay }));
    for (let count = 0; count < strangers; count++) await pay();
    await host.settle(read);
  }

  async #payFor(customer_email: string, payment: Omit<Parameters<typeof makePayment>[1], "customer_email">) {
    await this.host.others((access) => makePayment(access, { ...payment, customer_email }));
  }
}
