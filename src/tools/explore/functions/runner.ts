import { isAssertion } from "../../../core/delivery/in-process-receivers.js";
import { isJsonObject } from "../../../core/schema/json-objects.js";
import { SandboxError } from "../../../core/schema/refusals.js";
import { durationToMs } from "../../../core/schema/time.js";
import { UserError } from "../../../core/schema/user-error.js";
import { readNewestId } from "../../scenario/running/control-lists.js";
import type { ServiceAccess } from "../../scenario/steps/request.js";
import { Acts } from "../acts.js";
import { endQuietly, LONG, newestCharge, type Race, type RunHost, stopsOf } from "../course.js";
import { JOB_DURATION, RunPlan } from "../run-plan.js";
import type { Baseline } from "../sandbox/facts.js";
import type { Failing } from "../sandbox/flow-variant.js";
import { customerEmail } from "../sandbox/money.js";
import { filledValue, MEANWHILE_STATUS } from "../sandbox/saved-variable.js";
import { failPayment } from "../sandbox/second-try.js";
import { call, mayRefuse, settled, statusOf } from "./acts.js";
import { type Driver, IdleError } from "./driver.js";
import type { ExploreContext, ExploreFlow } from "./flow.js";
import type { FunctionVariant } from "./function-variants.js";
import type { LocalSandbox } from "./local-sandbox.js";
import { Looks } from "./looks.js";
import { idsIn, RunState } from "./run-state.js";

interface FlowRunnerOptions {
  readonly name: string;
  readonly flow: ExploreFlow;
  readonly sandbox: LocalSandbox;
  readonly driver: Driver;
  readonly access: ServiceAccess;
}

/** Thrown by the first act that a run leaves out. */
class FlowEnd extends Error {}

/** Status of an act of others that throws an error without one. */
const REFUSED = 409;

export class FlowRunner {
  readonly #options: FlowRunnerOptions;
  readonly looks: Looks;
  /** Set once the plain runs have passed. */
  baseline: Baseline | undefined;
  variants: readonly FunctionVariant[] = [];
  /** Sandbox time from the end of the flow to the end of a run. */
  rest = LONG;
  /** Index of a press → the fields of its result that all plain runs have. */
  readonly #results = new Map<number, readonly string[]>();
  /** Number of acts of the flow in a plain run. */
  #acts = 0;

  constructor(options: FlowRunnerOptions) {
    this.#options = options;
    this.looks = new Looks(options);
  }

  /**
   * @param isBrief returns the result of the flow alone; failures after it are ignored, as the next run shows them
   * @param endsAfter number of acts after which the flow ends
   */
  async carryOut(plan: RunPlan | undefined, isBrief = false, endsAfter = Infinity): Promise<RunState> {
    const { name, flow, sandbox, driver } = this.#options;
    await driver.whenFree();
    if (flow.setup !== undefined) await driver.until(call(() => flow.setup?.()));
    const id = sandbox.runIdOf(name);
    this.looks.begin(id);
    const variant = this.variants.find((one) => one === plan?.flowVariant);
    const run = new RunState(id, plan, sandbox.nowMs(), variant?.customerOf);
    run.endsAfter = endsAfter;
    if (variant?.failing !== undefined) await this.#tryInVain(run, variant.failing);
    sandbox.useRules(run.rules());
    const { timeAdvance } = plan ?? {};
    const stops = plan === undefined ? [] : stopsOf(this.#hostOf(run), plan, this.baseline!);
    driver.beginRun(stops, run.startMs, timeAdvance && durationToMs(timeAdvance.by));
    await this.#driveFlow(run);
    if (!driver.hasTimers)
      throw new UserError(`${name}: the flow replaces setTimeout: explore moves time, so use no fake timers`);
    if (run.failure === undefined && !isBrief) await this.quietEnd(run);
    if (run.failure === undefined && !isBrief) await this.looks.save(run);
    else await this.#drain(run);
    return run;
  }

  /** The customer of a run orders, and the payment fails. */
  async #tryInVain(run: RunState, failing: Failing): Promise<void> {
    const { sandbox, driver } = this.#options;
    const { customerMatch, payableMs } = this.baseline!;
    const plan = new RunPlan([], { customerMatch, variant: run.plan!.variant, pace: 1 });
    if (failing === "cancelled") plan.cancelledPage = 0;
    const first = new RunState(run.variables.runId, plan, sandbox.nowMs());
    first.endsUnpaid = true;
    driver.beginRun([], first.startMs, undefined);
    sandbox.useRules({});
    await this.#driveFlow(first);
    const ended = failPayment(this.#hostOf(first), failing, payableMs);
    await ended.catch((error: unknown) => first.breakOff(error));
    if (first.failure !== undefined) run.breakOff(first.error);
  }

  async #driveFlow(run: RunState): Promise<void> {
    const { flow, driver } = this.#options;
    const { plan = PLAIN } = run;
    const acts = new Acts(this.#hostOf(run), plan, this.baseline);
    try {
      await driver.until(call(() => flow.flow!(this.#contextOf(run, acts))));
    } catch (error) {
      if (error instanceof FlowEnd) return;
      run.error ??= error;
      run.hasEndedEarly = run.refused.size === 0 && run.acts.length < this.#acts;
      // The flow describes a run in which nothing goes wrong. What else it expects, the views tell.
      if (run.plan?.changesPayment === false && error instanceof SandboxError) run.breakOff(error);
      if (run.plan === undefined) run.fail(isAssertion(error) ? "expect" : "drive", "the flow", error);
      else if (error instanceof IdleError) run.fail("drive", "the flow", error);
    }
    if (plan === PLAIN) this.#acts = run.acts.length;
    if (run.failure !== undefined) return;
    await this.#actMeanwhile(run);
    await acts.afterFlow().catch((error: unknown) => run.breakOff(error));
  }

  #contextOf(run: RunState, acts: Acts): ExploreContext {
    const act = async <Result>(name: string, work: () => Promise<Result>, isPress = false) => {
      if (run.acts.length >= run.endsAfter) throw new FlowEnd();
      const index = run.acts.push({ name, isPress }) - 1;
      return work().finally(() => this.#actMeanwhile(run, index));
    };
    return {
      ...run.customer,
      press: (label, work) => act(label, () => this.#press(run, acts, label, work), true) as never,
      pay: (choice) =>
        act("pay", () =>
          this.#pay(run, acts, choice).catch((error: unknown) => {
            // The service refuses, not the app: its customer may come back later.
            if (run.plan !== undefined && !run.plan.changesPayment) run.breakOff(error);
            throw error;
          }),
        ),
      cancel: ({ checkout_id }) => act("cancel", () => this.#cancel(checkout_id)),
      advance: (by) => act("advance", () => this.#advance(run, acts, durationToMs(by))),
    };
  }

  /** Carries out the step of others that the plan puts after an act of the flow, or at the end of the flow. */
  async #actMeanwhile(run: RunState, after?: number): Promise<void> {
    const { others } = run.plan ?? {};
    if (others === undefined || others.after !== after) return;
    const [name, act] = Object.entries(this.#options.flow.meanwhile ?? {})[others.step]!;
    let status = 200;
    try {
      await this.#options.driver.until(call(() => act(run.customer)));
    } catch (error) {
      status = statusOf(error) ?? REFUSED;
      if (error instanceof IdleError || status >= 500) run.fail("drive", name, error);
    }
    run.variables.scope.save(MEANWHILE_STATUS, status);
  }

  async #press(run: RunState, acts: Acts, label: string, act: () => unknown): Promise<unknown> {
    const { client } = this.#options.access;
    const press = run.presses.push(label) - 1;
    const newestCall = () => (run.plan === undefined ? readNewestId(client, "requests") : undefined);
    const before = await newestCall();
    let done: { readonly result: unknown } | undefined;
    const once = async () => {
      done = { result: await act() };
    };
    const pressAsPlanned = async () => {
      await acts.press(press, { once, again: () => call(act) });
      if (done === undefined) await this.#try(run, once);
    };
    try {
      await pressAsPlanned().catch(async (error: unknown) => {
        const isRefused = run.plan !== undefined && mayRefuse(run.plan, acts.hasPaid, error);
        if (!isRefused || !(await acts.waitForNews())) throw error;
        await this.#try(run, once);
      });
      if (this.#lacksResult(run, press, done!.result) && (await acts.waitForNews()))
        await settled(this.#try(run, once));
      const { result } = done!;
      run.saveResult(press, result);
      if (acts.isUnheard) run.unheard.push(act);
      run.pressMarks.push([before, await newestCall()]);
      return result;
    } catch (error) {
      run.refused.set(press, act);
      if (run.plan?.flowVariant !== undefined) run.refuse(label, error, statusOf(error));
      else if (run.plan !== undefined && !mayRefuse(run.plan, acts.hasPaid, error))
        run.fail("drive", label, error);
      throw error;
    }
  }

  /** Returns true if a press returned nothing of what it returns in a plain run: an app may refuse without an error. */
  #lacksResult({ plan }: RunState, press: number, result: unknown): boolean {
    const own = tellingFieldsIn(result);
    const known = this.#results.get(press) ?? own;
    const common = known.filter((field) => own.includes(field));
    if (plan === undefined) this.#results.set(press, common);
    return plan !== undefined && known.length > 0 && common.length === 0;
  }

  #pay(
    run: RunState,
    acts: Acts,
    { checkout_id, payment_method = "card", ...choice }: Parameters<ExploreContext["pay"]>[0],
  ): Promise<void> {
    const { driver, access, flow } = this.#options;
    const { client } = access;
    const pay = async (until?: string) => {
      const payment = { checkout_id, payment_method, ...choice };
      const { charge_id } = (await driver.until(client.callOrFail("payCheckout", payment))) as {
        readonly charge_id: string;
      };
      if (until === "FAILED") await driver.until(client.callOrFail("advanceCharge", { charge_id, until }));
    };
    return acts.pay(run.pages++, {
      pay,
      cancel: () => this.#cancel(checkout_id),
      cancelThenPay: async () => {
        await this.#cancel(checkout_id);
        await settled(pay());
      },
      open: async () => {
        const checkout = { operation: "createCheckout", limit: 1 };
        const { items } = (await client.callOrFail("listRequests", checkout)) as {
          readonly items: readonly { readonly request_body: { readonly success_url: string } }[];
        };
        try {
          await this.#try(run, () => flow.open!(items[0]!.request_body.success_url));
        } catch (error) {
          if (!mayRefuse(run.plan!, acts.hasPaid, error)) run.fail("drive", "open", error);
        }
      },
      // A charge ends by its rules as time passes.
      isRuled: false,
    });
  }

  async #cancel(checkout_id: string): Promise<void> {
    const { driver, access } = this.#options;
    await driver.until(access.client.callOrFail("cancelCheckout", { checkout_id }));
  }

  async #advance(run: RunState, acts: Acts, ms: number): Promise<void> {
    if (run.endsUnpaid && (await newestCharge(acts.host)) !== undefined) throw new FlowEnd();
    run.longestAdvanceMs = Math.max(run.longestAdvanceMs, ms);
    await acts.advance(ms, () => this.#options.driver.advance(ms));
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
    for (const act of [...run.refused.values(), ...run.unheard]) await settled(this.#try(run, act));
    await this.quietEnd(run);
  }

  async tick(run: RunState): Promise<void> {
    const { tick } = this.#options.flow;
    if (tick !== undefined) await this.#try(run, tick);
  }

  /** The app of this process as the host of a run. */
  #hostOf(run: RunState): RunHost {
    const { driver, sandbox, flow, access } = this.#options;
    return {
      hasJob: flow.tick !== undefined,
      email: this.baseline && customerEmail(this.baseline, run.variables.runId),
      advance: async (byMs) => {
        const fromMs = sandbox.nowMs();
        await driver.advance(byMs);
        return { fromMs, toMs: sandbox.nowMs() };
      },
      tick: () => this.tick(run),
      job: () => call(() => flow.tick?.()),
      pause: (ms) => driver.advance(ms),
      arrive: () => sandbox.advanceTo(sandbox.nowMs() + durationToMs(JOB_DURATION)),
      look: () => this.looks.look(run),
      lookAt: (moment) => this.looks.saveAt(run, moment),
      race: (race) => driver.alone(() => this.#race(run, race)),
      repeat: (press) => this.#try(run, press),
      settle: (press) => settled(driver.until(call(press))),
      others: (act) =>
        driver.until(act(access)).catch((error: unknown) => {
          run.breakOff(error);
          throw error;
        }),
      endDeviations: async () => {
        const { charges } = run.rules();
        sandbox.useRules(charges === undefined ? {} : { charges });
      },
    };
  }

  async #race(run: RunState, { match, held, other, afterwards }: Race): Promise<void> {
    const { driver, sandbox } = this.#options;
    const release = match === undefined ? () => false : sandbox.hold(filledValue(match, run.variables));
    const first = call(held);
    first.catch(() => {});
    if (match !== undefined) await driver.whenStill();
    await settled(driver.until(other(), release));
    release();
    await settled(driver.until(first));
    if (afterwards !== undefined) await driver.until(afterwards());
  }

  async quietEnd(run: RunState): Promise<void> {
    try {
      await endQuietly(this.#hostOf(run), run.plan, this.rest, run.moments);
      await this.#options.driver.whenStill();
    } catch (error) {
      run.fail("tail", error instanceof IdleError ? "the end" : "tick", error);
    }
  }

  /** Runs the job and lets time pass for what the run has begun, so that the next run does not count it. */
  async #drain(run: RunState): Promise<void> {
    const { driver, sandbox } = this.#options;
    sandbox.useRules({});
    await driver.whenFree();
    await settled(endQuietly(this.#hostOf(run), undefined, this.rest));
  }
}

/** The ids in a result, or else its true fields, or "" for another result that is something. */
function tellingFieldsIn(result: unknown): string[] {
  if (!isJsonObject(result)) return result ? [""] : [];
  const ids = idsIn(result).map(([field]) => field);
  return ids.length > 0 ? ids : Object.keys(result).filter((field) => result[field] === true);
}

const PLAIN = new RunPlan([], { customerMatch: {}, variant: { side: "first", isPatient: false }, pace: 1 });
