import type { ChargeRule, FaultRule, WebhookRule } from "../../core/schema/scenario-rules.js";
import { durationToMs, formatDuration } from "../../core/schema/time.js";
import type { DeviationSet } from "./deviation-set.js";
import {
  type CallChange,
  type CallOccurrence,
  holdsNothing,
  type JobMoment,
  type ObservedCharge,
  type PaymentEnd,
  type RunVariant,
  type StrangersAtList,
  type WebhookChange,
  type WebhookOccurrence,
} from "./run-record.js";
import type { Baseline } from "./sandbox/facts.js";
import type { FlowVariant } from "./sandbox/flow-variant.js";

/** The customer chooses a payment method, and does not pay. */
const UNPAID_TIMELINE: ChargeRule["timeline"] = [{ after: "1s", to: "AWAITING_PAYMENT" }];
/** Sandbox time from a payment to its refund: after the flow's steps and the work that follows a payment. */
const REFUNDED_AFTER = "2h";
/** Sandbox time from a charge's expiry to its late payment. */
const LATE_BY = "10m";
/** Sandbox time that passes while the scheduled work runs, and delay of a webhook that arrives meanwhile. */
export const JOB_DURATION = "1s";
/**
 * Maximum wall time for which one side of a race is held. An app with a lock needs all of it, so larger sets, of which
 * there are many, get less.
 */
const RACE_HELD_MS = { single: 1_000, larger: 150 } as const;
/** Wall time for which a response stays held once the other side is done, for an app that responds before it works. */
const RACE_MARGIN = "30ms";

function isHeldRead({ hold, delay_answer }: CallChange): boolean {
  return hold === "webhook" && delay_answer !== undefined;
}

/** Maximum wall time of a held response if the app is prompt. The limit for a slower app is multiplied by `pace`. */
const PROMPT_HELD_MS = 2_000;

export interface RunPlanOptions {
  readonly customerMatch: Baseline["customerMatch"];
  /** Default: `customerMatch`. */
  readonly ownMatch?: Baseline["ownMatch"];
  readonly pages?: Baseline["pages"];
  readonly variant: RunVariant;
  /** Result of `paceOf`, by which holds and response delays are multiplied. */
  readonly pace: number;
  /** True if time stands still after each webhook until the app is quiet. A hold may then last longer. */
  readonly isWaiting?: boolean;
}

/** Collects the deviations of one run as rules and changes of a scenario file. */
export class RunPlan {
  readonly set: DeviationSet;
  readonly charges: ChargeRule[] = [];
  readonly webhooks: WebhookRule[] = [];
  readonly faults: FaultRule[] = [];
  /** Rules that hold one side of a race, and break nothing. They come after `faults`, which must match first. */
  readonly raceHolds: FaultRule[] = [];
  /** Presses of the customer that are repeated before, or after, the response, counted from 0. */
  readonly pressedTwice = new Set<number>();
  readonly pressedAgain = new Set<number>();
  /** Page that the customer cancels, counted from 0 among the flow's payments on pages. */
  cancelledPage: number | undefined;
  /** Page after which the customer opens `success_url` without having paid, counted like `cancelledPage`. */
  returnedPage: number | undefined;
  end: PaymentEnd | undefined;
  strangers: StrangersAtList | undefined;
  /** The customer's charge that another shop's customer pays for. */
  foreignCharge: ObservedCharge | undefined;
  /** Sandbox time from the start to a moment between expiry and late payment; undefined if the charge is paid in time. */
  unpaidSinceMs: number | undefined;
  /** Sandbox time from the flow's end by which each late payment has come; undefined if the charge is paid in time. */
  paidLateByMs: number | undefined;
  isWrongMoney = false;
  timeAdvance: { readonly by: string; readonly call: CallOccurrence | undefined } | undefined;
  readonly jobs: JobMoment[] = [];
  /** Steps of the flow that are scheduled work and run twice, counted from 0. */
  readonly doubledJobs = new Set<number>();
  /** A step of others, and the act of the flow that it follows; undefined for the end of the flow. */
  others: { readonly step: number; readonly after: number | undefined } | undefined;
  flowVariant: FlowVariant | undefined;
  killMoment: CallOccurrence | WebhookOccurrence | undefined;
  readonly variant: RunVariant;
  readonly pace: number;
  /** The run does not wait for the app to repeat a failed call. Repeats are looked for in later runs. */
  isWatched = false;
  readonly #hasLongHolds: boolean;
  readonly #customerMatch: Baseline["customerMatch"];
  readonly #ownMatch: Baseline["ownMatch"];
  readonly #pages: Baseline["pages"];

  constructor(set: DeviationSet, options: RunPlanOptions) {
    const { customerMatch, ownMatch = customerMatch, pages = [], variant, isWaiting = false, pace } = options;
    this.set = set;
    this.variant = variant;
    this.pace = pace;
    this.#hasLongHolds = variant.isPatient || isWaiting;
    this.#customerMatch = customerMatch;
    this.#ownMatch = ownMatch;
    this.#pages = pages;
  }

  deviateCall({ operation, earlierCount, isOwn }: CallOccurrence, change: CallChange): void {
    const match = { operation, ...(isOwn ? this.#ownMatch : {}) };
    this.faults.push({ match, ...this.#atPace(change), skip: earlierCount, times: 1, per: "request" });
  }

  /** Scales the limit of a hold by the app's pace, because a slow app responds later to the next webhook. */
  #atPace(change: CallChange): CallChange {
    if (change.at_most === undefined) return change;
    const maxMs = durationToMs(change.at_most);
    if (isHeldRead(change)) return { ...change, at_most: formatDuration(maxMs * this.pace) };
    return this.#hasLongHolds
      ? change
      : { ...change, at_most: formatDuration(Math.min(maxMs, PROMPT_HELD_MS * this.pace)) };
  }

  /** True if a read is held until the next webhook. After a long quiet period, the webhook would come too late. */
  get holdsRead(): boolean {
    return this.faults.some(isHeldRead);
  }

  deviateWebhook({ type, earlierCount, attempt, url }: WebhookOccurrence, change: WebhookChange): void {
    const match = {
      type,
      // A withdrawal names no customer.
      ...(type.includes("withdrawal") ? {} : this.#ownMatch),
      ...(url === undefined ? {} : { url }),
    };
    const position = attempt === undefined ? {} : { attempt };
    this.webhooks.push({
      match,
      ...position,
      ...change,
      ...(earlierCount === 0 ? {} : { skip: earlierCount }),
      times: 1,
    });
  }

  get isPressedTwice(): boolean {
    return this.pressedTwice.size + this.pressedAgain.size > 0;
  }

  ruleCharge(rule: Omit<ChargeRule, "match">): void {
    this.charges.push({ match: this.#customerMatch, ...rule });
  }

  holdInRace({ operation, earlierCount, isOwn }: CallOccurrence): void {
    if (holdsNothing(this.variant.side)) return;
    this.raceHolds.push({
      match: { operation, ...(isOwn ? this.#ownMatch : {}) },
      hold: "webhook",
      at_most: this.raceHeld,
      delay_answer: RACE_MARGIN,
      skip: earlierCount,
      times: 1,
      per: "request",
    });
  }

  get raceHeld(): string {
    const { single, larger } = RACE_HELD_MS;
    return formatDuration(this.set.length === 1 ? single : larger * this.pace);
  }

  payLate(expirySinceMs: number, payableMs: number): void {
    this.paidLateByMs = payableMs + durationToMs(LATE_BY);
    this.unpaidSinceMs = expirySinceMs + durationToMs(LATE_BY) / 2;
    this.charges.push({
      match: this.#customerMatch,
      timeline: [...UNPAID_TIMELINE, { after_expiry: LATE_BY, to: "COMPLETED" }],
    });
  }

  payWrongMoney(paid: ChargeRule["paid"], timeline: ChargeRule["timeline"]): void {
    this.isWrongMoney = true;
    this.charges.push({ match: this.#customerMatch, paid, timeline });
  }

  endPayment(end: PaymentEnd, { timeline }: ObservedCharge): void {
    this.end = end;
    if (end === "partly_refunded") return;
    const index = timeline.findIndex(({ to }) => to === "COMPLETED");
    const before = index === -1 ? timeline : timeline.slice(0, index);
    const paid = timeline[index] ?? { after: "1s", to: "COMPLETED" };
    const ends = {
      declined: [...before, { ...paid, to: "FAILED" as const, reason: "declined" }],
      expired: UNPAID_TIMELINE,
      refunded: [...timeline, { after: REFUNDED_AFTER, to: "REFUNDED" as const }],
    };
    this.charges.push({ match: this.#customerMatch, timeline: ends[end] });
  }

  returnUnpaid(page: number): void {
    this.returnedPage = page;
    if (this.variant.side === "second") return;
    this.charges.push({
      match: this.#pages[page]?.match ?? this.#customerMatch,
      timeline: [...UNPAID_TIMELINE, { after: "1s", to: "FAILED", reason: "declined" }],
    });
  }

  get isPaidLate(): boolean {
    return this.unpaidSinceMs !== undefined;
  }

  /** True if the customer's charges are never paid. */
  get isUnpaid(): boolean {
    const { cancelledPage, returnedPage, end } = this;
    return (cancelledPage ?? returnedPage) !== undefined || end === "declined" || end === "expired";
  }

  /** Delays the webhook until the scheduled work can begin. */
  runJob(moment: JobMoment): void {
    this.jobs.push(moment);
    const webhook = "concurrent" in moment ? moment.concurrent?.webhook : undefined;
    if (webhook !== undefined) this.deviateWebhook(webhook, { delay: JOB_DURATION });
  }

  killApp(moment: CallOccurrence | WebhookOccurrence): void {
    this.killMoment = moment;
    // On the first side no response arrives, even if the app is faster than the kill.
    if ("type" in moment && this.variant.side === "first")
      this.deviateWebhook(moment, { response_lost: true });
  }

  /** The rules of the run. A call that one rule matches does not count for the `skip` of later rules. */
  get rules(): Pick<RunPlan, "charges" | "webhooks" | "faults"> {
    const { charges, webhooks, faults, raceHolds } = this;
    return {
      charges,
      webhooks: [...webhooks].sort(bySkip),
      faults: [...[...faults].sort(bySkip), ...raceHolds],
    };
  }

  /** Operations of the calls that deviations make to fail, which the app may repeat after a pause. */
  get failingOperations(): string[] {
    const failing = this.faults.filter(({ drop, respond }) => (drop ?? respond) !== undefined);
    return [...new Set(failing.map(({ match }) => String(match?.operation)))];
  }

  /** True if the payment of the run ends otherwise than in a plain run. */
  get changesPayment(): boolean {
    return this.isUnpaid || this.isPaidLate || this.end !== undefined || this.isWrongMoney;
  }

  /** True if the payment is complete in time, whatever follows. */
  get isPaidFirst(): boolean {
    return !this.isUnpaid && !this.isPaidLate && !this.isWrongMoney;
  }

  /** Webhooks come late, so an app may refuse meanwhile what depends on a payment. */
  get isHeardLate(): boolean {
    return this.webhooks.some(({ delay, swap }) => delay !== undefined || swap === true);
  }

  /** Milliseconds by which webhooks come late; 0 if they only let another go first. */
  get heardLateMs(): number {
    return Math.max(0, ...this.webhooks.map(({ delay = "0s" }) => durationToMs(delay)));
  }

  /** True if deviations cause errors, so that error responses of the app to webhooks are excused. */
  get excusesErrors(): boolean {
    return (
      this.killMoment !== undefined ||
      this.faults.length > 0 ||
      this.webhooks.some(({ response_lost }) => response_lost === true)
    );
  }
}

function bySkip(one: FaultRule | WebhookRule, other: FaultRule | WebhookRule): number {
  return (other.skip ?? 0) - (one.skip ?? 0);
}
