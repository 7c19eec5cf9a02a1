import { makePayment } from "../../scenario/steps/customer.js";
import type { ServiceAccess } from "../../scenario/steps/request.js";
import type { ObservedCharge, StrangersAtList } from "../run-record.js";
import type { Baseline } from "../sandbox/facts.js";
import { MEANWHILE_STATUS } from "../sandbox/meanwhile-steps.js";
import { LIST_OPERATION } from "../sandbox/observation.js";
import { paymentLike } from "../sandbox/payment-steps.js";
import { call, settled, statusOf } from "./acts.js";
import { type Driver, IdleError } from "./driver.js";
import type { ExploreFlow } from "./flow.js";
import type { LocalSandbox } from "./local-sandbox.js";
import type { RunState } from "./run-state.js";

const STRANGER = "stranger@shop.test";
/** Status of an act of others that throws an error without one. */
const REFUSED = 409;

interface OthersOptions {
  readonly flow: ExploreFlow;
  readonly sandbox: LocalSandbox;
  readonly driver: Driver;
  readonly access: ServiceAccess;
}

/** What others than the customer do in a run: strangers, another shop, and the flow's `meanwhile`. */
export class Others {
  readonly #options: OthersOptions;

  constructor(options: OthersOptions) {
    this.#options = options;
  }

  /** Strangers pay while the app reads the list of payins: between two of its pages, or before it. */
  async amongStrangers(
    run: RunState,
    { areBetween, strangers }: StrangersAtList,
    { list }: Baseline,
    read: () => unknown,
  ): Promise<void> {
    const { driver, sandbox } = this.#options;
    const payment = { ...list!.payment, customer_email: STRANGER };
    if (!areBetween) {
      for (let count = 0; count < strangers; count++) await this.#pay(run, payment);
      return settled(driver.until(call(read)));
    }
    await driver.alone(async () => {
      const release = sandbox.hold({ operation: LIST_OPERATION });
      const reading = call(read);
      reading.catch(() => {});
      await driver.whenStill();
      await this.#pay(run, payment, release);
      release();
      await settled(driver.until(reading));
    });
  }

  /** Another shop's customer pays the same price, with the metadata of the customer's newest charge. */
  async payForeign(
    run: RunState,
    charge: ObservedCharge,
    customer: Baseline["customerMatch"],
  ): Promise<void> {
    const { items } = (await this.#options.access.client.callOrFail("listCharges", {
      limit: 1,
      ...run.filled(customer),
    })) as { readonly items: readonly { readonly metadata: Record<string, string> }[] };
    const metadata = items[0]?.metadata;
    await this.#pay(run, { ...paymentLike(charge), customer_email: "other@shop.test", metadata });
  }

  async #pay(
    run: RunState,
    payment: Parameters<typeof makePayment>[1],
    onStuck?: () => boolean,
  ): Promise<void> {
    const { driver, access } = this.#options;
    try {
      await driver.until(makePayment(access, payment), onStuck);
    } catch (error) {
      run.breakOff(error);
    }
  }

  /** Carries out the step of others that the plan puts after an act of the flow, or at the end of the flow. */
  async actMeanwhile(run: RunState, after?: number): Promise<void> {
    const { meanwhile = {} } = this.#options.flow;
    const { others } = run.plan ?? {};
    if (others === undefined || others.after !== after) return;
    const [name, act] = Object.entries(meanwhile)[others.step]!;
    let status = 200;
    try {
      await this.#options.driver.until(call(() => act(run.customer)));
    } catch (error) {
      status = statusOf(error) ?? REFUSED;
      if (error instanceof IdleError || status >= 500) run.fail("drive", name, error);
    }
    run.variables.scope.save(MEANWHILE_STATUS, status);
  }
}
