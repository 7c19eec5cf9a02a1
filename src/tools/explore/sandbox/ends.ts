import { countCompletedPayments } from "../judge.js";
import type { RunPlan } from "../run-plan.js";
import { claimedViews, OPEN } from "./claimed-views.js";
import { type Bodies, unpaidEndNotes } from "./claims.js";
import {
  type ExpectedEnd,
  endKeyOf,
  isReference,
  MEANWHILE,
  othersKeyOf,
  PRESSED,
  pressKeyOf,
  withFewerPayouts,
} from "./expected-end.js";
import type { Baseline, FreeField, LoadedRun, Sums } from "./facts.js";
import { FreeFields } from "./free-fields.js";
import { journalsOf } from "./journals.js";
import { chargesOf, chargesShownBy, moneyOf, sumsOf, UNPAID, wasRefundedFirst } from "./money.js";
import { MEANWHILE_STATUS, savedVariable, statusName } from "./saved-variable.js";
import { type ListedView, type ObservedViews, ofUnpaidOrders, seenIn, waitingIn } from "./seen-views.js";
import {
  commonPart,
  countedIn,
  type Freedom,
  type FreedomOf,
  fieldAt,
  isThere,
  onSamePaths,
  PRESENT,
  pathOf,
  undeliveredViews,
  withAllowed,
  withLists,
  withoutPresence,
} from "./views.js";

/*
 * The ends of an app. Each end runs once undisturbed; a disturbed run must end as the undisturbed run with the same money.
 */

/** An end that the app has shown by itself. */
interface LearnedEnd {
  readonly plan: RunPlan;
  readonly name: string;
  readonly money: string;
  readonly completedCharges: number;
  readonly completedWithdrawals: number;
  readonly sums: Sums;
  readonly statuses: readonly unknown[];
  readonly bodies: Bodies;
  /** The bodies without those of orders that were paid. */
  readonly unpaid: Bodies;
  /** Statuses in which the charges ended, each once. */
  readonly charges: string;
  /** The app refused the step of others. */
  readonly isRefused: boolean;
}

const PLAIN_NAME = "a plain run";

export class Ends {
  readonly #flow: ObservedViews;
  readonly #baseline: Baseline;
  readonly #learned = new Map<string, LearnedEnd>();
  /** The app before the customer pays, and while the payment is under way. */
  #waiting: readonly Bodies[] = [];
  readonly #free: FreeFields;
  /** Differing fields for which an end has run again, each with the name of the end. */
  readonly #confirmed = new Set<string>();

  constructor(flow: ObservedViews, baseline: Baseline) {
    this.#flow = flow;
    this.#baseline = baseline;
    this.#free = new FreeFields(flow.observe, baseline.free);
    this.#free.addTimes(baseline.plain.bodies);
  }

  /** Fields whose value is not compared. */
  get free(): FreeField[] {
    return this.#free.all;
  }

  /** Fields of which nothing is compared: not even an unpaid order lacks them. */
  get uncompared(): FreeField[] {
    const { unpaid } = this.shown();
    const isLacking = ({ view, field }: FreeField) =>
      unpaid.some(({ [view]: body }) => body !== undefined && !isThere(fieldAt(body, pathOf(field))));
    return this.free.filter((one) => one.freedom === "all" || !isLacking(one));
  }

  /** No end has yet shown whether an unpaid order lacks a field whose value is not compared. */
  get mayCompareMore(): boolean {
    return this.shown().unpaid.length === 0 && this.free.some(({ freedom }) => freedom === "value");
  }

  /** The end that a run with the plan must have, as far as the plan tells. */
  expectedOf(plan: RunPlan): ExpectedEnd {
    return this.#allowing(plan, this.#expectedOf(plan));
  }

  /** The ends that a finished run may have, the likeliest first. */
  candidatesOf(plan: RunPlan, run: LoadedRun): ExpectedEnd[] {
    const all = this.seenIn(run);
    const seen = all && this.#compared(all);
    const freedomOf = (view: number) => this.#free.freedomOf(view);
    return this.#candidatesOf(plan, run)
      .map((end) => this.#allowing(plan, end))
      .map((end) => (seen === undefined ? end : { ...end, views: onSamePaths(end.views, seen, freedomOf) }));
  }

  readonly listed: ListedView = (body, view, runId) => withLists(body, this.#free.freedomOf(view), runId);

  /** Views of a run, without its id, as they are compared; undefined if they were not seen. */
  seenIn(run: LoadedRun): Bodies | undefined {
    return seenIn(this.#flow, run, this.listed);
  }

  #allowing({ set }: RunPlan, given: ExpectedEnd): ExpectedEnd {
    const end = { ...given, listed: this.listed };
    const allowed = set.flatMap(({ kind }) => Object.entries(this.#flow.allow[kind] ?? {}));
    if (allowed.length === 0) return end;
    const views = withAllowed(end.views, allowed, this.#baseline.plain.bodies);
    return { ...end, views, unlike: undefined, isPlain: false };
  }

  #expectedOf(plan: RunPlan): ExpectedEnd {
    if (plan.flowVariant !== undefined) return this.#variantEnd(plan);
    const key = endKeyOf(plan);
    if (plan.isWrongMoney) return this.#openEnd(plan);
    if (key === undefined || key.startsWith(PRESSED) || key.startsWith(MEANWHILE))
      return this.#plainEnd(plan);
    const known = isReference(plan) ? undefined : this.#learned.get(key);
    return known === undefined ? this.#openEnd(plan) : this.#endOf(known);
  }

  #candidatesOf(plan: RunPlan, run: LoadedRun): ExpectedEnd[] {
    const expected = this.#expectedOf(plan);
    if (plan.flowVariant !== undefined) return [expected];
    const key = endKeyOf(plan);
    const early = wasRefundedFirst(run.observed);
    if (plan.isWrongMoney) return [this.#claimedEnd(plan, run)];
    if (key === undefined) {
      const presses = this.#withMoneyOf(plan, run).filter((one) => pressKeyOf(one.plan) === pressKeyOf(plan));
      const others = [...presses.map((one) => this.#endOf(one)), ...this.#endsWithOthers(plan)];
      // A copy of the service's record has a time of settlement only afterwards.
      const isLate = plan.set.some(({ kind }) => kind === "settled_late");
      const settled = isLate ? [{ ...expected, views: withoutPresence(expected.views) }] : [];
      const all = [expected, ...settled, ...others];
      return early ? [...all, ...all.map((one) => this.#undelivered(one, run))] : all;
    }
    // The app decides how such a step ends an order that is done; only its money is known.
    if (key.startsWith(MEANWHILE)) return [expected, this.#openEnd(plan)];
    if (key.startsWith(PRESSED)) {
      const charges = chargesOf(run, this.#baseline);
      const plain = this.#baseline.plain;
      const isMore =
        (this.#baseline.orderCharges !== undefined &&
          countCompletedPayments(charges) > Number(plain.completedCharges)) ||
        countCompletedPayments(run.observed.withdrawals) > Number(plain.completedWithdrawals ?? 0);
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
    return early ? [...all, ...all.map((one) => this.#undelivered(one, run))] : all;
  }

  /**
   * The ends that a step of others allows beside the plain one. A step that changes or refuses an order that is done decides
   * on the order, as a cancellation does; one that changes nothing there, such as an edited price, may not change it earlier.
   */
  #endsWithOthers(plan: RunPlan): ExpectedEnd[] {
    const known = plan.others && this.#learned.get(othersKeyOf(plan.others.step));
    if (known === undefined) return [];
    const { completedCharges, completedWithdrawals = 0, bodies } = this.#baseline.plain;
    const shown = (all: Bodies) => JSON.stringify(this.#compared(all));
    const isSame =
      known.completedCharges === completedCharges &&
      known.completedWithdrawals === completedWithdrawals &&
      shown(known.bodies) === shown(bodies);
    return isSame && !known.isRefused ? [] : [this.#endOf(known), this.#openEnd(plan)];
  }

  #withMoneyOf(plan: RunPlan, run: LoadedRun): LearnedEnd[] {
    const money = moneyOf(plan, run, this.#baseline);
    return [...this.#learned.values()].filter((one) => one.money === money && one.plan.others === undefined);
  }

  #hasEndedAs({ money, charges }: LearnedEnd, plan: RunPlan, run: LoadedRun): boolean {
    if (money !== moneyOf(plan, run, this.#baseline)) return false;
    return money !== UNPAID || charges === this.#chargeEndsOf(run);
  }

  #chargeEndsOf(run: LoadedRun): string {
    return [...new Set(chargesOf(run, this.#baseline).map(({ status }) => status))].sort().join(", ");
  }

  /** Keeps the end of a run that only ends otherwise, and that has broken no claim. */
  learn(plan: RunPlan, run: LoadedRun): void {
    const key = endKeyOf(plan);
    if (key === undefined || !isReference(plan)) return;
    const { loaded, observed } = run;
    const bodies = this.seenIn(run);
    if (bodies === undefined) return;
    this.#free.addTimes(bodies);
    const known = this.#learned.get(key);
    if (known !== undefined) this.#freeDifferences(known.bodies, bodies);
    this.#learned.set(key, {
      plan,
      name: `${plan.set.map(({ kind }) => kind).join(" and ")} alone`,
      money: moneyOf(plan, run, this.#baseline),
      completedCharges: countCompletedPayments(chargesOf(run, this.#baseline)),
      completedWithdrawals: countCompletedPayments(observed.withdrawals),
      sums: sumsOf(run, this.#baseline),
      statuses: bodies.map((_, index) => savedVariable(loaded, statusName(index))),
      bodies,
      unpaid: ofUnpaidOrders(this.#flow, run, bodies),
      charges: this.#chargeEndsOf(run),
      isRefused: Number(savedVariable(loaded, MEANWHILE_STATUS)) >= 400,
    });
    this.#learnJournals();
  }

  unpaidNotes(): string[] {
    const ends = this.#unpaidEnds.filter(({ plan }) => plan.others === undefined);
    const shown = ends.map(({ name, unpaid }) => ({ name, bodies: unpaid }));
    return unpaidEndNotes(this.#compared(this.#baseline.plain.bodies, "value"), shown);
  }

  /** Learns from another plain run which fields may differ. A run with other money is none. */
  learnPlain(run: LoadedRun): void {
    const { completedCharges, bodies: known } = this.#baseline.plain;
    const bodies = this.seenIn(run);
    if (bodies !== undefined && countCompletedPayments(chargesOf(run, this.#baseline)) === completedCharges)
      this.#freeDifferences(known, bodies);
  }

  #freeDifferences(known: Bodies, bodies: Bodies): void {
    for (const [index, body] of known.entries())
      commonPart(body, bodies[index], this.#free.freedomOf(index), (field, freedom) =>
        this.#free.add(index, field, freedom, "differs between equal runs"),
      );
  }

  /**
   * Lists the ends that the run may have and that have not run again for the fields that differ: the plan of each, or
   * undefined for a plain run. A field that nothing disturbs may change with time.
   */
  unsureEnds(plan: RunPlan, run: LoadedRun, fields: readonly string[]): (RunPlan | undefined)[] {
    const key = endKeyOf(plan);
    const isAsPlain = [PRESSED, MEANWHILE].some((prefix) => key?.startsWith(prefix) ?? true);
    const known = key === undefined ? undefined : this.#learned.get(key);
    const likely = [...(known === undefined ? [] : [known]), ...this.#withMoneyOf(plan, run)];
    const learned = isReference(plan)
      ? []
      : likely.filter((one) => key !== undefined || pressKeyOf(one.plan) === pressKeyOf(plan));
    // A count over all payments keeps those of strangers: a further plain run would differ by them.
    const isPlain = plan.strangers === undefined && (isAsPlain || plan.isPaidLate);
    const plain = isPlain ? [{ name: PLAIN_NAME, plan: undefined }] : [];
    return [...plain, ...new Set(learned)].flatMap((end) => {
      const asked = fields.map((field) => `${end.name}: ${field}`).filter((one) => !this.#confirmed.has(one));
      for (const one of asked) this.#confirmed.add(one);
      return asked.length === 0 ? [] : [end.plan];
    });
  }

  /** @param judged views of a further unpaid end, not learned yet */
  #learnJournals(judged: readonly Bodies[] = []): void {
    const [before, during] = this.#waiting;
    if (before === undefined) return;
    const plain = this.#baseline.plain.bodies;
    const unpaid = this.#unpaidEnds.map((end) => end.unpaid);
    const growth = { plain, values: this.#compared(plain, "value"), before, during, unpaid, judged };
    for (const { view, path, freedom } of journalsOf(this.#flow, growth))
      this.#free.add(view, path.join("."), freedom, "grows with every event");
  }

  /** The compared parts of views, without the fields of a freedom of which a part is compared. */
  #compared(bodies: Bodies, without?: Freedom): Bodies {
    return bodies.map((body, index) => {
      const freedomOf = this.#free.freedomOf(index);
      return comparedPart(body, (path) => {
        const freedom = freedomOf(path);
        return freedom !== undefined && freedom === without ? "all" : freedom;
      });
    });
  }

  get #unpaidEnds(): LearnedEnd[] {
    return [...this.#learned.values()].filter(({ money }) => money === UNPAID);
  }

  #plainEnd(plan: RunPlan): ExpectedEnd {
    const { completedCharges, completedWithdrawals, sums, bodies, statuses } = this.#baseline.plain;
    const { strangers } = plan;
    const { completed = 1 } = this.#baseline.list ?? {};
    const times = (completed + (strangers?.strangers ?? 0)) / completed;
    return {
      name: PLAIN_NAME,
      completedCharges,
      completedWithdrawals,
      sums,
      views: this.#compared(bodies).map((body, index) => {
        const counted = strangers === undefined ? body : (countedIn(body, times) ?? PRESENT);
        return { ...errorStatus(statuses[index]), body: counted };
      }),
      isPlain: true,
      isByOrder: plan.isPressedTwice && !this.#knowsAgain(plan),
    };
  }

  #variantEnd(plan: RunPlan): ExpectedEnd {
    const { plain, unpaid } = this.shown();
    const end = this.#plainEnd(plan);
    const views = end.views.map((view, index) => ({
      ...view,
      body: plan.flowVariant!.expectedOf(plain[index], unpaid[0]?.[index]),
    }));
    return { ...end, views, isPlain: false };
  }

  /** Compared values of the views of a plain run, and the views of a customer who has not paid, at each end first. */
  shown(): { readonly plain: Bodies; readonly unpaid: readonly Bodies[] } {
    return {
      plain: this.#compared(this.#baseline.plain.bodies, "value"),
      unpaid: [...this.#unpaidEnds.map(({ bodies }) => bodies), ...this.#waiting],
    };
  }

  /** Returns true for one press twice at once if the same press once more is known: the end is as of once or of again. */
  #knowsAgain(plan: RunPlan): boolean {
    const key = pressKeyOf(plan);
    return plan.pressedTwice.size === 1 && plan.pressedAgain.size === 0 && this.#learned.has(key!);
  }

  #endOf(end: LearnedEnd): ExpectedEnd {
    const { name, completedCharges, completedWithdrawals, sums, statuses, bodies } = end;
    return {
      name,
      completedCharges,
      completedWithdrawals:
        this.#baseline.plain.completedWithdrawals === undefined ? undefined : completedWithdrawals,
      sums,
      views: this.#compared(bodies).map((body, index) => ({ ...errorStatus(statuses[index]), body })),
    };
  }

  /** An end of which only the money is known. */
  #openEnd({ isPaidLate }: RunPlan): ExpectedEnd {
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
  #claimedEnd(plan: RunPlan, run: LoadedRun): ExpectedEnd {
    const open = this.#withUnpaidPayouts(this.#openEnd(plan), plan, run);
    const seen = this.seenIn(run);
    if (seen === undefined) return open;
    if (plan.end === "expired" && isReference(plan)) this.#waiting = waitingIn(this.#flow, run, this.listed);
    if (plan.isUnpaid && isReference(plan)) this.#learnJournals([ofUnpaidOrders(this.#flow, run, seen)]);
    const claimed = this.#claimedPart(plan);
    const endAt = (key: string) => claimed(this.#learned.get(key)?.bodies ?? []);
    const isKnown = (index: number) => this.#waiting.some((bodies) => bodies[index] !== undefined);
    const shown = {
      plain: claimed(this.#baseline.plain.bodies),
      waiting: this.#waiting,
      models: this.#free.modelsOf(isKnown),
      price: run.observed.charges[0]?.base.amount,
      unpaid: this.#unpaidEnds.map(({ unpaid }) => this.#compared(unpaid)),
      refunded: endAt("refunded"),
      expired: endAt("expired"),
      seen: claimed(seen),
    };
    const orders = this.#flow.observe.map((view) => chargesShownBy(view, run));
    return { ...open, ...claimedViews(plan, run, this.#baseline, { shown, seen, orders }) };
  }

  /** Allows an end without a payment no more payouts than the one with the fewest has. */
  #withUnpaidPayouts(end: ExpectedEnd, plan: RunPlan, run: LoadedRun): ExpectedEnd {
    if (!plan.isUnpaid || moneyOf(plan, run, this.#baseline) !== UNPAID) return end;
    const [fewest] = this.#unpaidEnds.sort(
      (one, other) => one.completedWithdrawals - other.completedWithdrawals,
    );
    if (fewest === undefined || end.completedWithdrawals === undefined) return end;
    return { ...end, name: fewest.name, completedWithdrawals: { lte: fewest.completedWithdrawals } };
  }

  /**
   * Selects what claims are about. A paid order has its own way to an end: a journal of ends tells only an unpaid one. It
   * tells of late money too, in a view that is as in a plain run otherwise.
   */
  #claimedPart({ isUnpaid, isWrongMoney, isPaidLate }: RunPlan): (bodies: Bodies) => Bodies {
    if (isUnpaid || isWrongMoney) return (bodies) => this.#compared(bodies);
    const told = (bodies: Bodies) => this.#compared(bodies, "way");
    const textsOf = (bodies: Bodies = []) => told(bodies).map((body) => JSON.stringify(body));
    const paid = textsOf(this.#baseline.plain.bodies);
    const expired = textsOf(this.#learned.get("expired")?.bodies);
    return (bodies) => {
      const whole = this.#compared(bodies);
      const isSame = (index: number) => isPaidLate && expired[index] === paid[index];
      return told(bodies).map((body, index) => (isSame(index) ? whole[index] : body));
    };
  }

  #undelivered(end: ExpectedEnd, run: LoadedRun): ExpectedEnd {
    const views = undeliveredViews(end.views, this.#waiting, this.seenIn(run));
    return { ...withFewerPayouts(end), views, isPlain: false };
  }
}

/** The part of a view that is compared, which may be null. */
function comparedPart(body: unknown, freedomOf: FreedomOf): unknown {
  const part = commonPart(body, body, freedomOf);
  return part === undefined ? PRESENT : part;
}

/** Expects the status of a response that is an error. */
function errorStatus(status: unknown): { readonly status?: unknown } {
  return Number(status) >= 400 ? { status } : {};
}
