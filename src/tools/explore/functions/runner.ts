import { isAssertion } from "../../../core/delivery/in-process-receivers.js";
import { durationToMs } from "../../../core/schema/time.js";
import { UserError } from "../../../core/schema/user-error.js";
import { readNewestId } from "../../scenario/running/control-lists.js";
import type { ServiceAccess } from "../../scenario/steps/request.js";
import { endQuietly, LONG, type Race, type RunHost, stopsOf } from "../course.js";
import { JOB_DURATION, RunPlan } from "../run-plan.js";
import type { Baseline } from "../sandbox/facts.js";
import { hearingMs } from "../sandbox/second-try.js";
import { pressOfList } from "../sandbox/strangers.js";
import { call, mayRefuse, settled, statusOf } from "./acts.js";
import { type Driver, IdleError } from "./driver.js";
import type { ExploreContext, ExploreFlow } from "./flow.js";
import type { FunctionVariant } from "./function-variants.js";
import type { LocalSandbox } from "./local-sandbox.js";
import { Looks } from "./looks.js";
import { Others } from "./others.js";
import { RunState } from "./run-state.js";

interface FlowRunnerOptions {
  readonly name: string;
  readonly flow: ExploreFlow;
  readonly sandbox: LocalSandbox;
  readonly driver: Driver;
  readonly access: ServiceAccess;
}

/** Carries out runs of a flow that is a function of this process, one at a time. */
export class FlowRunner {
  readonly #options: FlowRunnerOptions;
  readonly #others: Others;
  readonly looks: Looks;
  /** Set once the plain runs have passed. */
  baseline: Baseline | undefined;
  variants: readonly FunctionVariant[] = [];
  /** Sandbox time from the end of the flow to the end of a run. */
  rest = LONG;

  constructor(options: FlowRunnerOptions) {
    this.#options = options;
    this.#others = new Others(options);
    this.looks = new Looks(options);
  }

  /** @param isBrief ends with the flow, without the work and the time that follow */
  async carryOut(plan: RunPlan | undefined, isBrief = false): Promise<RunState> {
    const { name, flow, sandbox, driver } = this.#options;
    await driver.until(call(() => flow.setup?.()));
    const id = sandbox.runIdOf(name);
    const variant = this.variants.find((one) => one === plan?.flowVariant);
    const run = new RunState(id, plan, sandbox.nowMs(), variant?.customerOf);
    if (variant?.first !== undefined) await this.#tryInVain(run, variant.first);
    sandbox.useRules(run.rules());
    const { timeAdvance } = plan ?? {};
    const stops = plan === undefined ? [] : stopsOf(this.#hostOf(run), plan, this.baseline!);
    driver.beginRun(stops, run.startMs, timeAdvance && durationToMs(timeAdvance.by));
    await this.#driveFlow(run);
    if (run.failure === undefined && plan !== undefined) await this.#actAfterFlow(run, plan);
    if (!driver.hasTimers)
      throw new UserError(`${name}: the flow replaces setTimeout: explore moves time, so use no fake timers`);
    if (isBrief) return run;
    if (run.failure === undefined) await this.quietEnd(run);
    if (run.failure === undefined) await this.looks.save(run);
    else await this.#drain();
    return run;
  }

  /** The customer of a run orders, and the payment fails. */
  async #tryInVain(run: RunState, { charge, failing }: NonNullable<FunctionVariant["first"]>): Promise<void> {
    const { sandbox, driver } = this.#options;
    const { customerMatch, payableMs } = this.baseline!;
    const plan = new RunPlan([], { customerMatch, variant: run.plan!.variant, pace: 1 });
    if (failing === "cancelled") plan.cancelledPage = 0;
    else plan.endPayment(failing, charge);
    const first = new RunState(run.variables.runId, plan, sandbox.nowMs());
    sandbox.useRules(first.rules());
    driver.beginRun([], first.startMs, undefined);
    await this.#driveFlow(first);
    await driver.advance(hearingMs(failing, payableMs));
    await this.tick(first);
    if (first.failure !== undefined) run.breakOff(first.error);
  }

  async #driveFlow(run: RunState): Promise<void> {
    const { flow, driver } = this.#options;
    try {
      await driver.until(call(() => flow.flow(this.#contextOf(run))));
    } catch (error) {
      run.error ??= error;
      // The flow describes a run in which nothing goes wrong. What else it expects, the views tell.
      if (run.plan === undefined) run.fail(isAssertion(error) ? "expect" : "drive", "the flow", error);
      else if (error instanceof IdleError) run.fail("drive", "the flow", error);
    }
  }

  #contextOf(run: RunState): ExploreContext {
    return {
      ...run.customer,
      press: async (label, act) =>
        (await this.#act(run, label, () => this.#press(run, label, act), true)) as never,
      pay: (choice) => this.#act(run, "pay", () => this.#pay(run, choice)),
      cancel: ({ checkout_id }) => this.#act(run, "cancel", () => this.#cancel(checkout_id)),
      advance: (by) => this.#act(run, "advance", () => this.#advance(run, durationToMs(by))),
    };
  }

  /** Carries out an act of the flow, and what others do after it. */
  async #act<Result>(
    run: RunState,
    name: string,
    act: () => Promise<Result>,
    isPress = false,
  ): Promise<Result> {
    const index = run.acts.push({ name, isPress }) - 1;
    try {
      return await act();
    } finally {
      await this.#others.actMeanwhile(run, index);
    }
  }

  /** What others do when the flow is over. The scheduled work may read the list between whose pages strangers pay. */
  async #actAfterFlow(run: RunState, plan: RunPlan): Promise<void> {
    const { strangers, foreignCharge } = plan;
    const { customerMatch } = this.baseline!;
    await this.#others.actMeanwhile(run);
    if (strangers !== undefined && pressOfList(plan, this.baseline!) === undefined)
      await this.#others.amongStrangers(run, strangers, this.baseline!, () => this.#options.flow.tick?.());
    if (foreignCharge !== undefined) await this.#others.payForeign(run, foreignCharge, customerMatch);
  }

  async #cancel(checkout_id: string): Promise<void> {
    const { driver, access } = this.#options;
    await driver.until(access.client.callOrFail("cancelCheckout", { checkout_id }));
  }

  async #advance(run: RunState, ms: number): Promise<void> {
    run.longestAdvanceMs = Math.max(run.longestAdvanceMs, ms);
    await this.looks.saveAround(run, "before");
    await this.#options.driver.advance(ms);
    const { payableMs = 0 } = this.baseline ?? {};
    if (ms < payableMs) await this.looks.saveAround(run, "during");
  }

  // ---- Acts of the customer ----

  async #press(run: RunState, label: string, act: () => unknown): Promise<unknown> {
    const { client } = this.#options.access;
    const press = run.presses.push(label) - 1;
    const newestCall = () => (run.plan === undefined ? readNewestId(client, "requests") : undefined);
    const before = await newestCall();
    try {
      const result = await this.#pressAsPlanned(run, press, act);
      run.saveResult(press, result);
      run.pressMarks.push([before, await newestCall()]);
      return result;
    } catch (error) {
      run.refused.set(press, act);
      if (run.plan?.flowVariant !== undefined) run.refuse(label, error, statusOf(error));
      else if (run.plan !== undefined && !mayRefuse(run, error)) run.fail("drive", label, error);
      throw error;
    }
  }

  async #pressAsPlanned(run: RunState, press: number, act: () => unknown): Promise<unknown> {
    const { plan } = run;
    const { driver } = this.#options;
    if (plan?.pressedTwice.has(press)) return driver.alone(() => this.#pressTwice(run, press, act));
    if (plan?.strangers !== undefined && pressOfList(plan, this.baseline!) === press) {
      await this.#others.amongStrangers(run, plan.strangers, this.baseline!, act);
      return this.#try(run, act);
    }
    const result = await this.#try(run, act);
    if (plan?.pressedAgain.has(press)) await settled(driver.until(call(act)));
    return result;
  }

  /**
   * A call of one press is held until the other press is done. The flow goes on with the first, on the side `second` with
   * the other.
   */
  async #pressTwice(run: RunState, press: number, act: () => unknown): Promise<unknown> {
    const { driver } = this.#options;
    const { side } = run.plan!.variant;
    const matches = this.baseline?.pressMatches[press];
    const release = this.#holdUnlessTogether(run, matches?.[side === "early" ? "first" : "last"]);
    const held = call(act);
    held.catch(() => {});
    if (side === "second") await driver.whenStill();
    const other = call(act);
    // A lock of the app may have the other press wait for the held one.
    await settled(driver.until(other, release));
    release();
    const [one, two] = side === "second" ? [other, held] : [held, other];
    try {
      return await driver.until(one);
    } catch {
      return await this.#try(run, act);
    } finally {
      await settled(driver.until(two));
    }
  }

  /** Holds the next call that matches, unless the two sides of the run's race meet without a hold. */
  #holdUnlessTogether(run: RunState, match: Baseline["readMatch"] | undefined): () => boolean {
    if (match === undefined || run.plan!.variant.side === "together") return () => false;
    return this.#options.sandbox.hold(run.filled(match));
  }

  async #pay(
    run: RunState,
    { checkout_id, payment_method = "card", ...choice }: Parameters<ExploreContext["pay"]>[0],
  ) {
    const { driver, access } = this.#options;
    const page = run.pages++;
    const pay = () =>
      driver.until(access.client.callOrFail("payCheckout", { checkout_id, payment_method, ...choice }));
    await this.looks.saveAround(run, "before");
    if (run.plan?.returnedPage === page) return this.#returnUnpaid(run, run.plan, checkout_id, pay);
    if (run.plan?.jobs.some((job) => "page" in job && job.page === page)) await this.tick(run);
    if (run.plan?.cancelledPage !== page) return void (await pay());
    await this.#cancel(checkout_id);
    await settled(pay());
  }

  /** The customer opens `success_url` while the page is open, fails to pay or cancels, and opens it again. */
  async #returnUnpaid(
    run: RunState,
    { variant }: RunPlan,
    checkout_id: string,
    pay: () => Promise<unknown>,
  ): Promise<void> {
    const { driver, access, flow } = this.#options;
    const { client } = access;
    const checkout = { operation: "createCheckout", limit: 1 };
    const { items } = (await client.callOrFail("listRequests", checkout)) as {
      readonly items: readonly { readonly request_body: { readonly success_url: string } }[];
    };
    const open = async () => {
      try {
        await this.#try(run, () => flow.open!(items[0]!.request_body.success_url));
      } catch (error) {
        if (!mayRefuse(run, error)) run.fail("drive", "open", error);
      }
    };
    await open();
    if (variant.side === "first") {
      const { charge_id } = (await pay()) as { readonly charge_id: string };
      await driver.until(client.callOrFail("advanceCharge", { charge_id, until: "FAILED" }));
    } else await this.#cancel(checkout_id);
    await open();
  }

  /** Repeats what fails, as often as something deviates. */
  async #try<Result>(run: RunState, act: () => Result): Promise<Awaited<Result>> {
    for (let tried = 1; ; tried++)
      try {
        return await this.#options.driver.until(call(act));
      } catch (error) {
        if (tried >= run.tries) throw error;
      }
  }

  /** Repeats the presses that the app refused, and lets the run end again. */
  async repeatRefused(run: RunState): Promise<void> {
    for (const act of run.refused.values()) await settled(this.#try(run, act));
    await this.quietEnd(run);
  }

  // ---- Time ----

  async tick(run: RunState): Promise<void> {
    const { tick } = this.#options.flow;
    if (tick !== undefined) await this.#try(run, tick);
  }

  /** The app of this process as the host of a run. */
  #hostOf(run: RunState): RunHost {
    const { driver, sandbox, flow } = this.#options;
    return {
      hasJob: flow.tick !== undefined,
      advance: async (byMs) => {
        const fromMs = sandbox.nowMs();
        await driver.advance(byMs);
        return { fromMs, toMs: sandbox.nowMs() };
      },
      tick: () => this.tick(run),
      job: () => call(() => flow.tick?.()),
      arrive: () => sandbox.advanceTo(sandbox.nowMs() + durationToMs(JOB_DURATION)),
      look: () => this.looks.look(run),
      race: (race) => driver.alone(() => this.#race(run, race)),
      refund: (amount) => this.#refundPart(run, amount),
      endDeviations: async () => {
        const { charges } = run.rules();
        sandbox.useRules(charges === undefined ? {} : { charges });
      },
    };
  }

  async #race(run: RunState, { match, held, other, afterwards }: Race): Promise<void> {
    const { driver, sandbox } = this.#options;
    const release = match === undefined ? () => false : sandbox.hold(run.filled(match));
    const first = call(held);
    first.catch(() => {});
    if (match !== undefined) await driver.whenStill();
    await settled(driver.until(other(), release));
    release();
    await settled(driver.until(first));
    if (afterwards !== undefined) await driver.until(afterwards());
  }

  /** Lets the run end, and what it has begun with it. */
  async quietEnd(run: RunState): Promise<void> {
    try {
      await endQuietly(this.#hostOf(run), run.plan, this.rest, run.moments);
      await this.#options.driver.whenStill();
    } catch (error) {
      run.fail("tail", error instanceof IdleError ? "the end" : "tick", error);
    }
  }

  /** Half of the customer's newest payment goes back. */
  async #refundPart(run: RunState, amount: string): Promise<void> {
    const { driver, access } = this.#options;
    const { client } = access;
    const { customer_email } = run.filled(this.baseline!.customerMatch);
    const customer = customer_email === undefined ? {} : { customer_email };
    const filter = { status: "COMPLETED", limit: 1, ...customer };
    const { items } = (await client.callOrFail("listCharges", filter)) as {
      readonly items: readonly { readonly charge_id: string }[];
    };
    for (const { charge_id } of items)
      await driver.until(client.callOrFail("refundPart", { charge_id, amount }));
  }

  /** Lets what a failed run has begun come to its end, before the next run. */
  async #drain(): Promise<void> {
    const { driver, sandbox } = this.#options;
    sandbox.useRules({});
    await settled(driver.advance(durationToMs(this.rest)));
  }
}
