import { countCompletedPayments, hasNewRefusals, judgeTrace, openText } from "../judge.js";
import type { RunPlan } from "../run-plan.js";
import { incompleteFailure, isCheck, type RunFailure, type Trace } from "../run-record.js";
import { type CheckedRun, compareEnd } from "./end-comparison.js";
import { Ends } from "./ends.js";
import { type ExpectedEnd, isReference, isWithin, withFewerPayouts } from "./expected-end.js";
import type { Baseline } from "./facts.js";
import { variantFailure } from "./flow-variant.js";
import { chargesOf } from "./money.js";
import type { ObservedViews } from "./seen-views.js";
import { generalPath } from "./views.js";

export interface EndDriver<Run extends CheckedRun> {
  /** Saves the views of a run once they are steady, and reads its rows again; returns why it could not. */
  readonly look: (plan: RunPlan, run: Run) => Promise<RunFailure | undefined>;
  readonly checks: (plan: RunPlan, run: Run, end: ExpectedEnd) => Promise<RunFailure | undefined>;
  /** Says how the price in the app's views differs from what the customer was asked for. */
  readonly wrongPrice: (plan: RunPlan, run: Run) => string | undefined;
  readonly carryOut: (plan: RunPlan) => Promise<Run>;
  readonly runPlain: () => Promise<Run>;
  readonly hasRefused: (run: Run) => boolean;
  readonly repeatRefused: (plan: RunPlan, run: Run) => Promise<RunFailure | undefined>;
  /** The app goes on after its responses. */
  readonly isAsynchronous: () => boolean;
  /** Absent if the app cannot be killed. */
  readonly untilLeasesEnd?: (() => Promise<void>) | undefined;
}

interface MissedEnd {
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

  constructor(views: ObservedViews, baseline: Baseline, plain: Trace["observed"], driver: EndDriver<Run>) {
    this.ends = new Ends(views, baseline);
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
    const wrongPrice = this.#driver.wrongPrice(plan, run);
    const failure = variantFailure(plan.flowVariant, judged.trace, { ...shown, wrongPrice });
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
    const mayChange = failure !== undefined || this.#mayChange(plan);
    let missed = await (mayChange ? this.#missedLater(plan, run) : this.#missedEnd(plan, run));
    const freeFields = this.ends.free.length;
    const accused = plan.variant.isForNote === true ? [] : (missed?.fields ?? []);
    for (const unsure of this.ends.unsureEnds(plan, run, accused)) {
      await this.#learnAgain(unsure);
      // A withdrawal names no customer, so those of the further run would count as this run's.
      if (observed.withdrawals.length > 0) continue;
      missed = await this.#missedEnd(plan, run);
      if (missed === undefined) break;
    }
    missed = await this.#missedOnceRepeated(plan, run, missed);
    const isLeased = missed !== undefined && (await this.#waitForLeases(plan));
    if (isLeased) missed = await this.#missedLater(plan, run);
    this.#isWaitVain ||= isLeased && missed !== undefined;
    const begun = missed && begunText({ ...trace, failure: missed.failure });
    if (begun !== undefined)
      return { trace: { ...trace, failure: incompleteFailure(begun) }, isTouched: true };
    const hasPausedLonger = isLeased && missed === undefined;
    if (missed === undefined) this.ends.learn(plan, run);
    // With fields that were learned too late for this run, its repetition decides.
    const isLate =
      missed !== undefined && this.ends.free.length > freeFields && observed.withdrawals.length > 0;
    const checkAgain = async () => (isLate ? undefined : (await this.#missedLater(plan, run))?.failure);
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

  #mayChange(plan: RunPlan): boolean {
    return this.#driver.isAsynchronous() && isReference(plan);
  }

  async #missedLater(plan: RunPlan, run: Run): Promise<MissedEnd | undefined> {
    const failure = await this.#driver.look(plan, run);
    return failure === undefined ? this.#missedEnd(plan, run) : { failure, fields: [] };
  }

  async #missedEnd(plan: RunPlan, run: Run): Promise<MissedEnd | undefined> {
    const { checks } = this.#driver;
    const [first, ...others] = this.ends.candidatesOf(plan, run);
    const failureAt = (end: ExpectedEnd) =>
      compareEnd(run, plan, end, this.#baseline, () => checks(plan, run, end));
    const failure = await failureAt(first!);
    if (failure === undefined) return undefined;
    let missed = failure;
    const fields = new Set(fieldsOf(failure));
    for (const end of others) {
      const other = await failureAt(end);
      if (other === undefined) return undefined;
      for (const field of fieldsOf(other)) fields.add(field);
      // A run with the views of an end has another fault, such as a refused event.
      if (other.role === "manners" || other.role === "never") missed = other;
    }
    return { failure: missed, fields: [...fields] };
  }

  /** Makes the presses that the app refused again: they may depend on a payment that came after them. */
  async #missedOnceRepeated(plan: RunPlan, run: Run, missed?: MissedEnd): Promise<MissedEnd | undefined> {
    const { checks, hasRefused, look, repeatRefused } = this.#driver;
    if (missed === undefined || !hasRefused(run)) return missed;
    if (((await repeatRefused(plan, run)) ?? (await look(plan, run))) !== undefined) return missed;
    const end = withFewerPayouts(this.ends.candidatesOf(plan, run)[0]!);
    const failure = await compareEnd(run, plan, end, this.#baseline, () => checks(plan, run, end));
    return failure && missed;
  }

  /** Runs an end, or the flow as it is, once more, to learn which of its fields may differ. */
  async #learnAgain(plan: RunPlan | undefined): Promise<void> {
    if (plan === undefined) {
      const plain = await this.#driver.runPlain();
      if (plain.trace.failure === undefined) this.ends.learnPlain(plain);
      return;
    }
    const run = await this.#driver.carryOut(plan);
    if (this.#mayChange(plan)) await this.#driver.look(plan, run);
    this.ends.learn(plan, run);
  }
}

/** Describes an open payment, if the run lacks a completed one: scheduled work may have begun it at the very end. */
function begunText(trace: Trace): string | undefined {
  const verdict = judgeTrace(trace);
  const isLacking = verdict.outcome === "wrong" && verdict.oracle === "convergence";
  return isLacking && trace.failure?.role === "paid" ? openText(trace.observed) : undefined;
}

/** The fields of the app's views for which a check failed. */
function fieldsOf({ differences, role }: RunFailure): string[] {
  if (role !== "observe" && role !== "unlike" && role !== "never") return [];
  return differences.filter(({ path }) => path !== "status").map(({ path }) => generalPath(path));
}
