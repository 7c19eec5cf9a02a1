import { countCompletedPayments, hasNewRefusals, openText } from "../judge.js";
import type { RunPlan } from "../run-plan.js";
import { isCheck, type RunFailure, type Trace } from "../run-record.js";
import { isReference } from "./end-keys.js";
import { Ends, type ObservedViews } from "./ends.js";
import { type ExpectedEnd, isWithin, withFewerPayouts } from "./expected-end.js";
import type { Baseline, LoadedRun } from "./facts.js";
import { incompleteFailure } from "./flow-run.js";
import { variantFailure } from "./flow-variant.js";
import { chargesOf } from "./money.js";
import { savedVariable, viewVariableName } from "./saved-variable.js";
import { generalPath } from "./views.js";

export interface CheckedRun extends LoadedRun {
  readonly trace: Trace;
}

/** Carries out runs of an app, and checks their ends. */
export interface EndDriver<Run extends CheckedRun> {
  /**
   * Compares the end of a run with `end`; returns the first failure.
   *
   * @param refused steps that are repeated before, by their indexes
   */
  readonly checkEnd: (
    plan: RunPlan,
    run: Run,
    end: ExpectedEnd,
    refused?: readonly number[],
  ) => Promise<RunFailure | undefined>;
  /** Saves the views of a run once they are steady. */
  readonly saveViews: (plan: RunPlan, run: Run) => Promise<void>;
  readonly carryOut: (plan: RunPlan) => Promise<Run>;
  readonly runPlain: () => Promise<Run>;
  /** Indexes of the steps that the app refused. */
  readonly refusedSteps: (run: Run) => readonly number[];
  /** The app goes on after its responses. */
  readonly isAsynchronous: () => boolean;
  /** Absent if the app cannot be killed. */
  readonly untilLeasesEnd?: (() => Promise<void>) | undefined;
}

/** The likeliest end of a run that has none of the ends that it may have, and how it differs. */
interface MissedEnd {
  readonly end: ExpectedEnd;
  readonly failure: RunFailure;
  /** The fields that differ from any of the ends. */
  readonly fields: readonly string[];
}

/** Compares the ends of runs with those that the app has shown. */
export class EndCheck<Run extends CheckedRun> {
  readonly ends: Ends;
  readonly #baseline: Baseline;
  readonly #plain: Trace["observed"];
  readonly #driver: EndDriver<Run>;
  /** A wait for the leases of a killed app did not help: it has none, or other faults. */
  #isWaitVain = false;

  constructor(flow: ObservedViews, baseline: Baseline, plain: Trace["observed"], driver: EndDriver<Run>) {
    this.ends = new Ends(flow, baseline);
    this.#baseline = baseline;
    this.#plain = plain;
    this.#driver = driver;
  }

  /** Makes all checks, unless the run plainly ended right. `isTouched`: the checks have carried out steps. */
  async judge(plan: RunPlan, run: Run): Promise<{ trace: Trace; isTouched?: true }> {
    const judged = await this.#judge(plan, run);
    if (plan.flowVariant === undefined) return judged;
    const { plain, unpaid } = this.ends.shown();
    const seen = this.ends.seenIn(run);
    const shown = { plain, unpaid, seen, plainCharges: this.#plain.charges, runId: run.loaded.runId };
    const failure = variantFailure(plan.flowVariant, judged.trace, shown);
    return { ...judged, trace: { ...judged.trace, failure } };
  }

  async #judge(plan: RunPlan, run: Run): Promise<{ trace: Trace; isTouched?: true }> {
    const { trace, observed } = run;
    const { failure } = trace;
    const isEnd = failure === undefined || isCheck(failure.role);
    if (!isEnd || failure?.isIncomplete === true) return { trace };
    const isRight = failure === undefined && this.#hasMoneyOf(this.ends.expectedOf(plan), run);
    const hasClaims = isReference(plan) || plan.isWrongMoney;
    if (isRight && !hasClaims && !hasNewRefusals(observed, this.#plain)) return { trace };
    const open = openText(observed, this.#plain);
    if (open !== undefined) return { trace: { ...trace, failure: incompleteFailure(open) } };
    await this.#lookUntilSteady(plan, run);
    let missed = await this.#missedEnd(plan, run);
    const freeFields = this.ends.free.length;
    for (const unsure of missed === undefined ? [] : this.ends.unsureEnds(plan, run, missed.fields)) {
      await this.#learnAgain(unsure);
      // A withdrawal names no customer, so those of the further run would count as this run's.
      if (observed.withdrawals.length > 0) continue;
      missed = await this.#missedEnd(plan, run);
      if (missed === undefined) break;
    }
    const isLeased = missed !== undefined && (await this.#waitForLeases(plan));
    if (isLeased) missed = await this.#missedEnd(plan, run);
    this.#isWaitVain ||= isLeased && missed !== undefined;
    const hasPausedLonger = isLeased && missed === undefined;
    if (missed === undefined) this.ends.learn(plan, run);
    // With fields that were learned too late for this run, its repetition decides.
    const isLate =
      missed !== undefined && this.ends.free.length > freeFields && observed.withdrawals.length > 0;
    const checkAgain = async () => (isLate ? undefined : (await this.#missedEnd(plan, run))?.failure);
    return { trace: { ...trace, failure: missed?.failure, checkAgain, hasPausedLonger }, isTouched: true };
  }

  /** Waits before a killed app that works after its responses is accused for good. Returns true if it waited. */
  async #waitForLeases({ killMoment, variant }: RunPlan): Promise<boolean> {
    const { isAsynchronous, untilLeasesEnd } = this.#driver;
    const canWait = untilLeasesEnd !== undefined && isAsynchronous() && !this.#isWaitVain;
    if (!canWait || killMoment === undefined || !variant.isPatient) return false;
    await untilLeasesEnd();
    return true;
  }

  #hasMoneyOf({ completedCharges, completedWithdrawals }: ExpectedEnd, run: Run): boolean {
    const paid = countCompletedPayments(chargesOf(run, this.#baseline));
    const paidOut = countCompletedPayments(run.observed.withdrawals);
    return isWithin(paid, completedCharges) && isWithin(paidOut, completedWithdrawals ?? 0);
  }

  /** Saves the views of a run that ends otherwise, and waits for an app that goes on after its responses. */
  async #lookUntilSteady(plan: RunPlan, run: Run): Promise<void> {
    const isSaved = savedVariable(run.loaded, viewVariableName(0)) !== undefined;
    if (isSaved && !(this.#driver.isAsynchronous() && isReference(plan))) return;
    await this.#driver.saveViews(plan, run);
  }

  async #missedEnd(plan: RunPlan, run: Run): Promise<MissedEnd | undefined> {
    const { checkEnd, refusedSteps } = this.#driver;
    const [first, ...others] = this.ends.candidatesOf(plan, run);
    const failureAt = (end: ExpectedEnd, refused?: readonly number[]) => checkEnd(plan, run, end, refused);
    const failure = await failureAt(first!);
    if (failure === undefined) return undefined;
    const refused = refusedSteps(run);
    // A payout may depend on a payment that came after the app was asked for it.
    if (refused.length > 0 && (await failureAt(withFewerPayouts(first!), refused)) === undefined)
      return undefined;
    let missed = { end: first!, failure };
    const fields = new Set(fieldsOf(failure));
    for (const end of others) {
      const other = await failureAt(end);
      if (other === undefined) return undefined;
      for (const field of fieldsOf(other)) fields.add(field);
      // A run with the views of an end has another fault, such as a refused event.
      if (other.role === "manners" || other.role === "never") missed = { end, failure: other };
    }
    return { ...missed, fields: [...fields] };
  }

  /** Runs an end, or the flow as it is, once more, to learn which of its fields may differ. */
  async #learnAgain(plan: RunPlan | undefined): Promise<void> {
    if (plan === undefined) {
      const plain = await this.#driver.runPlain();
      if (plain.trace.failure === undefined) this.ends.learnPlain(plain);
      return;
    }
    const run = await this.#driver.carryOut(plan);
    await this.#lookUntilSteady(plan, run);
    this.ends.learn(plan, run);
  }
}

/** The fields of the app's views for which a check failed. */
function fieldsOf({ differences, role }: RunFailure): string[] {
  if (role !== "observe" && role !== "unlike" && role !== "never") return [];
  return differences.filter(({ path }) => path !== "status").map(({ path }) => generalPath(path));
}
