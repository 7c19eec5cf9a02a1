import { findMismatches } from "../../../core/domain/deep-match.js";
import type { ObservedRun } from "../deviable.js";
import { countCompletedPayments } from "../judge.js";
import {
  type Bodies,
  type Claims,
  paidLateClaims,
  partlyRefundedClaims,
  refundedClaims,
  type Shown,
  unpaidClaims,
} from "./claims.js";
import { endKeyOf, isReference, MEANWHILE, othersKeyOf, PRESSED, pressKeyOf } from "./end-keys.js";
import type { Flow } from "./flow.js";
import { MEANWHILE_STATUS } from "./meanwhile-steps.js";
import { chargesOf, hasBeenPaid, moneyOf, UNPAID } from "./money.js";
import type { Baseline, FreeField, LoadedRun, SandboxPlan } from "./sandbox-plan.js";
import { LOOK_MOMENTS, lookName, savedVariable, statusName, viewVariableName } from "./saved-variable.js";
import { countedIn } from "./strangers.js";
import { unpaidEndNotes } from "./unpaid-ends.js";
import {
  commonPart,
  expectationOf,
  fieldAt,
  fieldsIn,
  generalPath,
  isLess,
  PRESENT,
  sizeOf,
  withFewer,
  withoutRun,
} from "./views.js";

/*
 * The ends of an app. Each end runs once undisturbed; a disturbed run must end as the undisturbed run with the same money.
 */

export type Count = number | { readonly lte: number };

/** The end that a run must have. */
export interface ExpectedEnd {
  /** The undisturbed run that ended so. */
  readonly name: string;
  readonly completedCharges: Count;
  /** Undefined if the app makes no withdrawals. */
  readonly completedWithdrawals?: Count | undefined;
  /** Expected response of each view. */
  readonly views: readonly object[];
  /** A view that must not be as at another end, and why. */
  readonly unlike?: { readonly sentence: string; readonly view: number; readonly body: unknown } | undefined;
  /** The flow's own expectations hold, as they describe a plain run. */
  readonly isPlain?: boolean;
  /** Counts the payments of each of several orders, not of all. */
  readonly isByOrder?: boolean;
}

/** An end that the app has shown by itself. */
interface LearnedEnd {
  readonly plan: SandboxPlan;
  readonly name: string;
  readonly money: string;
  readonly completedCharges: number;
  readonly completedWithdrawals: number;
  readonly statuses: readonly unknown[];
  readonly bodies: Bodies;
  /** Statuses in which the charges ended, each once. */
  readonly charges: string;
  /** The app refused the step of others. */
  readonly isRefused: boolean;
  readonly runs: number;
}

/** Any response but a server error. */
const OPEN = { status: { lt: 500 } };
const PLAIN_NAME = "a plain run";

/** The views of an app, and the ends that the flow allows. */
export interface ObservedViews extends Pick<Flow, "allow"> {
  /** A view shows the run's one order: it ends alike if a second press places another. */
  readonly areOfOneOrder?: boolean;
  readonly observe: readonly { readonly ignore?: readonly string[] | undefined }[];
}

export class Ends {
  readonly #flow: ObservedViews;
  readonly #baseline: Baseline;
  readonly #learned = new Map<string, LearnedEnd>();
  /** The app before the customer pays, and while the payment is under way. */
  #waiting: readonly Bodies[] = [];
  /** Fields that are not compared, by `freeKey`. */
  readonly #free: Map<string, FreeField>;

  constructor(flow: ObservedViews, baseline: Baseline) {
    this.#flow = flow;
    this.#baseline = baseline;
    this.#free = new Map(baseline.free.map((one) => [freeKey(one.view, one.field), one]));
  }

  /** The fields that are not compared, without those that the flow ignores. */
  get free(): FreeField[] {
    return [...this.#free.values()];
  }

  /** The end that a run with the plan must have, as far as the plan tells. */
  expectedOf(plan: SandboxPlan): ExpectedEnd {
    return this.#allowing(plan, this.#expectedOf(plan));
  }

  /** The ends that a finished run may have, the likeliest first. */
  candidatesOf(plan: SandboxPlan, run: LoadedRun): ExpectedEnd[] {
    return this.#candidatesOf(plan, run).map((end) => this.#allowing(plan, end));
  }

  /** Replaces what the end has in the fields that the flow allows to end otherwise. */
  #allowing({ set }: SandboxPlan, end: ExpectedEnd): ExpectedEnd {
    const allowed = set.flatMap(({ kind }) => Object.entries(this.#flow.allow[kind] ?? {}));
    if (allowed.length === 0) return end;
    const views = end.views.map((view, index) => {
      const { body, ...rest } = view as { readonly body?: unknown };
      const shown = this.#baseline.plain.bodies[index];
      const meant = allowed
        .map(([field, value]) => ({ path: field.split("."), value }))
        .filter(({ path }) => fieldAt(shown, path) !== undefined);
      const others = body === undefined ? [] : fieldsIn(body);
      const kept = others.filter(({ path }) => meant.every((one) => one.path.join(".") !== path.join(".")));
      const fields = [...kept.filter(({ path }) => path.length > 0), ...meant];
      return meant.length === 0 ? view : { ...rest, body: expectationOf(fields) };
    });
    return { ...end, views, unlike: undefined, isPlain: false };
  }

  #expectedOf(plan: SandboxPlan): ExpectedEnd {
    const key = endKeyOf(plan);
    if (key === undefined || key.startsWith(PRESSED) || key.startsWith(MEANWHILE))
      return this.#plainEnd(plan);
    const known = isReference(plan) ? undefined : this.#learned.get(key);
    return known === undefined ? this.#openEnd(plan) : this.#endOf(known);
  }

  #candidatesOf(plan: SandboxPlan, run: LoadedRun): ExpectedEnd[] {
    const expected = this.#expectedOf(plan);
    const key = endKeyOf(plan);
    const early = wasRefundedFirst(run.observed);
    if (key === undefined) {
      const presses = this.#withMoneyOf(plan, run).filter((one) => pressKeyOf(one.plan) === pressKeyOf(plan));
      const all = [expected, ...presses.map((one) => this.#endOf(one)), ...this.#endsWithOthers(plan)];
      return early ? [...all, ...all.map((one) => this.#undelivered(one))] : all;
    }
    // The app decides how such a step ends an order that is done; only its money is known.
    if (key.startsWith(MEANWHILE)) return [expected, this.#openEnd(plan)];
    if (key.startsWith(PRESSED)) {
      const { charges, withdrawals } = run.observed;
      const plain = this.#baseline.plain;
      const isMore =
        (this.#baseline.orderCharges !== undefined &&
          countCompletedPayments(charges) > Number(plain.completedCharges)) ||
        countCompletedPayments(withdrawals) > Number(plain.completedWithdrawals ?? 0);
      return isMore && this.#flow.areOfOneOrder !== true
        ? [expected, { ...expected, views: this.#flow.observe.map(() => OPEN), isPlain: false }]
        : [expected];
    }
    const known = isReference(plan) ? undefined : this.#learned.get(key);
    if (known === undefined) return [this.#claimedEnd(plan, run)];
    const same = this.#withMoneyOf(plan, run).filter((one) => one !== known);
    const others = same.map((one) => this.#endOf(one));
    // An app that hears of a late payment before the expiry takes it for one in time.
    if (plan.isPaidLate) others.push({ ...this.#plainEnd(plan), isPlain: false });
    // No undisturbed run says what an app shows for a further attempt that ends unpaid as none of its own did.
    const isUnknown = ![known, ...same].some((one) => this.#hasEndedAs(one, plan, run));
    const all = [expected, ...others, ...(isUnknown ? [this.#claimedEnd(plan, run)] : [])];
    return early ? [...all, ...all.map((one) => this.#undelivered(one))] : all;
  }

  /**
   * The ends that a step of others allows beside the plain one. A step that changes or refuses an order that is done decides
   * on the order, as a cancellation does; one that changes nothing there, such as an edited price, may not change it earlier.
   */
  #endsWithOthers(plan: SandboxPlan): ExpectedEnd[] {
    const known = plan.others && this.#learned.get(othersKeyOf(plan.others.step));
    if (known === undefined) return [];
    const { completedCharges, completedWithdrawals = 0, bodies } = this.#baseline.plain;
    const shown = (all: Bodies) => JSON.stringify(all.map((body, index) => this.#compared(body, index)));
    const isSame =
      known.completedCharges === completedCharges &&
      known.completedWithdrawals === completedWithdrawals &&
      shown(known.bodies) === shown(bodies);
    return isSame && !known.isRefused ? [] : [this.#endOf(known), this.#openEnd(plan)];
  }

  #withMoneyOf(plan: SandboxPlan, run: LoadedRun): LearnedEnd[] {
    const money = moneyOf(plan, run, this.#baseline);
    return [...this.#learned.values()].filter((one) => one.money === money && one.plan.others === undefined);
  }

  #hasEndedAs({ money, charges }: LearnedEnd, plan: SandboxPlan, run: LoadedRun): boolean {
    if (money !== moneyOf(plan, run, this.#baseline)) return false;
    return money !== UNPAID || charges === this.#chargeEndsOf(run);
  }

  #chargeEndsOf(run: LoadedRun): string {
    return [...new Set(chargesOf(run, this.#baseline).map(({ status }) => status))].sort().join(", ");
  }

  /** Keeps the end of a run that only ends otherwise, and that has broken no claim. */
  learn(plan: SandboxPlan, run: LoadedRun): void {
    const key = endKeyOf(plan);
    if (key === undefined || !isReference(plan)) return;
    const { loaded, observed } = run;
    const bodies = this.#bodiesIn(run, viewVariableName);
    if (bodies === undefined) return;
    if (plan.end === "expired")
      this.#waiting = LOOK_MOMENTS.flatMap((moment) => {
        const looked = this.#flow.observe.map((_, index) => savedVariable(loaded, lookName(moment, index)));
        const isKnown = looked.some((body) => body !== undefined);
        return isKnown ? [looked.map((body) => withoutRun(body, loaded.runId))] : [];
      });
    const known = this.#learned.get(key);
    for (const [index, body] of (known?.bodies ?? []).entries())
      commonPart(body, bodies[index], this.#isFree(index), (field) =>
        this.#setFree(index, field, "differs between equal runs"),
      );
    this.#learned.set(key, {
      plan,
      name: `${plan.set.map(({ kind }) => kind).join(" and ")} alone`,
      money: moneyOf(plan, run, this.#baseline),
      completedCharges: countCompletedPayments(chargesOf(run, this.#baseline)),
      completedWithdrawals: countCompletedPayments(observed.withdrawals),
      statuses: bodies.map((_, index) => savedVariable(loaded, statusName(index))),
      bodies,
      charges: this.#chargeEndsOf(run),
      isRefused: Number(savedVariable(loaded, MEANWHILE_STATUS)) >= 400,
      runs: (known?.runs ?? 0) + 1,
    });
    this.#learnJournals();
  }

  /** Describes how the ends in which nothing is paid disagree. */
  unpaidNotes(): string[] {
    const unpaid = [...this.#learned.values()].filter(
      ({ money, plan }) => money === UNPAID && plan.others === undefined,
    );
    const compared = this.#baseline.plain.bodies.map((body, index) => this.#compared(body, index));
    return unpaidEndNotes(compared, unpaid);
  }

  #setFree(view: number, field: string, reason: string): void {
    this.#free.set(freeKey(view, field), { view, field, reason });
  }

  /** Plans of the ends that the run may have, and of which only one run is known. */
  unsurePlans(plan: SandboxPlan, run: LoadedRun): SandboxPlan[] {
    if (isReference(plan)) return [];
    const key = endKeyOf(plan);
    const known = key === undefined ? undefined : this.#learned.get(key);
    return [...new Set([...(known === undefined ? [] : [known]), ...this.#withMoneyOf(plan, run)])]
      .filter((one) => one.runs === 1 && (key !== undefined || pressKeyOf(one.plan) === pressKeyOf(plan)))
      .map((one) => one.plan);
  }

  /** Frees the fields that grow even if nothing is paid, such as a history or a version. */
  #learnJournals(): void {
    const [before] = this.#waiting;
    const unpaid = [...this.#learned.values()].filter(({ money }) => money === UNPAID);
    if (before === undefined || unpaid.length < 2) return;
    for (const [index, view] of this.#baseline.plain.bodies.entries())
      for (const { path, value } of fieldsIn(view)) {
        const sizeIn = (bodies: Bodies) => sizeOf(fieldAt(bodies[index], path));
        const isGrowing = [sizeOf(value), ...unpaid.map(({ bodies }) => sizeIn(bodies))].every(
          (size) => size > sizeIn(before),
        );
        if (isGrowing) this.#setFree(index, path.join("."), "grows with every event");
      }
  }

  #isFree(index: number) {
    const { ignore = [] } = this.#flow.observe[index]!;
    return (path: string) => ignore.includes(path) || this.#free.has(freeKey(index, path));
  }

  #compared(body: unknown, index: number): unknown {
    return commonPart(body, body, this.#isFree(index)) ?? PRESENT;
  }

  #plainEnd(plan: SandboxPlan): ExpectedEnd {
    const { completedCharges, completedWithdrawals, bodies } = this.#baseline.plain;
    const { strangers } = plan;
    const { completed = 1 } = this.#baseline.list ?? {};
    const times = (completed + (strangers?.strangers ?? 0)) / completed;
    return {
      name: PLAIN_NAME,
      completedCharges,
      completedWithdrawals,
      views: bodies.map((view, index) => {
        const body = this.#compared(view, index);
        return { body: strangers === undefined ? body : (countedIn(body, times) ?? PRESENT) };
      }),
      isPlain: true,
      isByOrder: plan.isPressedTwice && !this.#knowsAgain(plan),
    };
  }

  /** Returns true for one press twice at once if the same press once more is known: the end is as of once or of again. */
  #knowsAgain(plan: SandboxPlan): boolean {
    const key = pressKeyOf(plan);
    return plan.pressedTwice.size === 1 && plan.pressedAgain.size === 0 && this.#learned.has(key!);
  }

  #endOf({ name, completedCharges, completedWithdrawals, statuses, bodies }: LearnedEnd): ExpectedEnd {
    return {
      name,
      completedCharges,
      completedWithdrawals:
        this.#baseline.plain.completedWithdrawals === undefined ? undefined : completedWithdrawals,
      views: bodies.map((body, index) => ({
        ...(Number(statuses[index]) >= 400 ? { status: statuses[index] } : {}),
        body: this.#compared(body, index),
      })),
    };
  }

  /** An end of which only the money is known. */
  #openEnd({ isPaidLate }: SandboxPlan): ExpectedEnd {
    const { completedCharges, completedWithdrawals } = this.#baseline.plain;
    const most = Number(completedWithdrawals) + (isPaidLate ? 1 : 0);
    return {
      name: PLAIN_NAME,
      completedCharges: { lte: Number(completedCharges) },
      completedWithdrawals: completedWithdrawals === undefined ? undefined : { lte: most },
      views: this.#flow.observe.map(() => OPEN),
    };
  }

  /** The end of a run for which no other run vouches, as far as it is the same in every app. */
  #claimedEnd(plan: SandboxPlan, run: LoadedRun): ExpectedEnd {
    const open = this.#openEnd(plan);
    const seen = this.#bodiesIn(run, viewVariableName);
    if (seen === undefined) return open;
    const { views, unlike } = this.#claimsOn(plan, run.observed, seen);
    const stated = (unlike?.views ?? [])
      .map((body, index) => ({ body, index }))
      .filter(({ body }) => body !== undefined);
    const isMet = ({ body, index }: { body: unknown; index: number }) =>
      findMismatches(body, seen[index], "").length === 0;
    const alike = stated.find((one) => !isMet(one)) ?? stated[0];
    return {
      ...open,
      views: views.map((body, index) => ({ ...OPEN, body: withPresent(body, seen[index]) })),
      unlike: alike && { sentence: unlike!.sentence, view: alike.index, body: { not: alike.body } },
    };
  }

  #claimsOn(plan: SandboxPlan, observed: ObservedRun, seen: Bodies): Claims {
    const { plain } = this.#baseline;
    const bodies = plain.bodies.map((body, index) => this.#compared(body, index));
    const [charge] = observed.charges;
    const shown: Shown = { plain: bodies, waiting: this.#waiting, price: charge?.base.amount };
    const mayWait = isLess(seen, bodies);
    const endAt = (key: string) => {
      const bodies = this.#learned.get(key)?.bodies;
      const compared = bodies?.map((body, index) => this.#compared(body, index));
      return JSON.stringify(compared) === JSON.stringify(shown.plain) ? undefined : compared;
    };
    // The views also have what the customer has paid of several payments.
    if (plan.isUnpaid && observed.charges.some(hasBeenPaid)) return { views: bodies.map(() => PRESENT) };
    if (plan.isUnpaid) return unpaidClaims(shown, mayWait);
    if (plan.end === "refunded") return refundedClaims(shown, mayWait);
    if (plan.end === "partly_refunded") return partlyRefundedClaims(shown, endAt("refunded"));
    return paidLateClaims(shown, endAt("expired"), this.#isReturned(observed));
  }

  /** Returns true if the app returned a payment, by a payout or by a refund. */
  #isReturned({ charges, withdrawals }: ObservedRun): boolean {
    const paidOut = countCompletedPayments(withdrawals);
    return (
      charges.some(({ status }) => status === "REFUNDED") ||
      paidOut > Number(this.#baseline.plain.completedWithdrawals ?? 0)
    );
  }

  /** An app that hears of a payment after its refund need not deliver: each field may be as before the payment. */
  #undelivered(end: ExpectedEnd): ExpectedEnd {
    const views = end.views.map((view, index) => {
      const { body, ...rest } = view as { readonly body?: unknown };
      const fields = fieldsIn(body ?? PRESENT).map(({ path, value }) => {
        const earlier = this.#waiting.map((bodies) => fieldAt(bodies[index], path));
        const known = earlier.filter((one) => one !== undefined);
        return { path, value: known.length === 0 ? withFewer(value) : { in: [withFewer(value), ...known] } };
      });
      return { ...rest, body: expectationOf(fields) };
    });
    return { ...end, views, isPlain: false };
  }

  #bodiesIn({ loaded }: LoadedRun, nameOf: (index: number) => string): unknown[] | undefined {
    const saved = this.#flow.observe.map((_, index) => savedVariable(loaded, nameOf(index)));
    if (saved.includes(undefined)) return undefined;
    return saved.map((body) => withoutRun(body, loaded.runId));
  }
}

/** Leaves out the fields that the body lacks: nothing is shown there. */
function withPresent(expected: unknown, seen: unknown): unknown {
  const present = fieldsIn(expected).filter(
    ({ path }) => path.length === 0 || fieldAt(seen, path) !== undefined,
  );
  return expectationOf(present) ?? PRESENT;
}

/** Names a field of a view in all runs. */
function freeKey(view: number, path: string): string {
  return `${view} ${generalPath(path)}`;
}

/** Returns true if a charge was refunded before the app had accepted the webhook of its payment. */
function wasRefundedFirst({ charges, deliveries }: ObservedRun): boolean {
  return charges.some(({ id, history }) => {
    const refundedMs = history.find(({ status }) => status === "REFUNDED")?.atMs;
    const paid = deliveries.filter(({ object_id, type }) => object_id === id && type === "charge.completed");
    const accepted = paid
      .flatMap(({ attempts }) => attempts)
      .filter(({ status }) => status !== null && status < 300);
    return refundedMs !== undefined && paid.length > 0 && accepted.every(({ atMs }) => atMs >= refundedMs);
  });
}
