import { decimalsOf, percentOf } from "../../../core/domain/money.js";
import type { ChargeRule, FaultRule, WebhookRule } from "../../../core/schema/scenario-rules.js";
import { durationToMs, formatDuration } from "../../../core/schema/time.js";
import type { LoadedScenario } from "../../scenario/files.js";
import type {
  CallChange,
  CallOccurrence,
  JobMoment,
  ObservedCharge,
  ObservedRun,
  PaymentEnd,
  RunPlan,
  RunVariant,
  StrangersAtList,
  WebhookChange,
  WebhookOccurrence,
} from "../deviable.js";
import type { DeviationSet } from "../deviation-set.js";
import { formatWholeSeconds } from "../effects.js";
import type { UncomparedField } from "../exploration.js";
import type { FlowVariant } from "./flow-variant.js";

/** The id of a run, and what its steps have saved. */
export type RunVariables = Pick<LoadedScenario, "runId" | "scope">;

/** A run that was carried out. */
export interface LoadedRun {
  readonly observed: ObservedRun;
  readonly loaded: RunVariables;
}

/** Fields of the step `pay`. */
export interface Payment extends Readonly<ObservedCharge["base"]> {
  readonly method?: string;
  readonly to_currency?: string;
}

/** Facts of the plain runs by which a run with strangers is made and judged. */
export interface ListBaseline {
  readonly payment: Payment;
  /** Number of completed charges of all customers of a run. */
  readonly completed: number;
  /** For each press of the customer, the number of reads of the list before it and after it. */
  readonly reads: readonly (readonly [from: number, to: number])[];
}

/** Selects the payments of an order, and has the number of completed ones in a plain run. */
export interface OrderPayments {
  readonly match: Readonly<Record<string, unknown>>;
  readonly completed: number;
}

/** The end of two plain runs. */
export interface PlainEnd {
  /** Number of completed charges that `chargeMatch` selects. */
  readonly completedCharges: number;
  /** Number of completed withdrawals; absent if the app makes none. */
  readonly completedWithdrawals?: number;
  /** Body of each view of the app, without the run's id. */
  readonly bodies: readonly unknown[];
}

export interface FreeField extends UncomparedField {
  /** Index among the views. */
  readonly view: number;
}

type CallMatch = Readonly<Record<string, unknown>>;

/** Selects the app's calls at which a press can be held. */
interface PressMatches {
  /** The first call; absent if `last` matches it too. */
  readonly first?: CallMatch;
  /** The last write, else the last call. */
  readonly last: CallMatch;
}

/** A payment of the flow on a page of the service. */
export interface PageOfFlow {
  /** Selects its charge, and others only if it has nothing of its own. */
  readonly match: NonNullable<ChargeRule["match"]>;
  /** The charge is selected by `customerMatch` too. */
  readonly isOwn: boolean;
  /** Path of the app to which the paid page leads; undefined if it has an id that the flow does not know. */
  readonly returnPath: string | undefined;
}

/** Facts about the flow and the app, learned from two plain runs. */
export interface Baseline {
  /** Selects the run's customer: `qa+${run.id}@shop.test`. Empty if the email does not contain the run id. */
  readonly customerMatch: { readonly customer_email?: string };
  /** Selects the run's charges by customer, or by the metadata in `orderCharges` if `customerMatch` is empty. */
  readonly chargeMatch: Readonly<Record<string, unknown>>;
  readonly plain: PlainEnd;
  /** Sandbox time from the first charge to its expiry, in milliseconds; 0 without a charge. */
  readonly payableMs: number;
  /** Fields of the views that differ between two plain runs. */
  readonly free: readonly FreeField[];
  /** Selects the charges of an order by metadata that holds a variable of the flow, such as the order's id. */
  readonly orderCharges?: OrderPayments;
  /** Selects the withdrawals of an order by such metadata or by their reference. */
  readonly orderWithdrawals?: OrderPayments;
  /** Types of events that the app refuses in a plain run. */
  readonly refusedTypes: readonly string[];
  /** Select calls of the app during each press of the customer; undefined if the app makes no call then. */
  readonly pressMatches: readonly (PressMatches | undefined)[];
  /** Selects the app's reads of the customer's charges. */
  readonly readMatch: Readonly<Record<string, unknown>>;
  /** Present if a charge is paid. */
  readonly list?: ListBaseline | undefined;
  /** The flow's payments on pages. */
  readonly pages: readonly PageOfFlow[];
}

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

export interface SandboxPlanOptions {
  readonly customerMatch: Baseline["customerMatch"];
  readonly pages?: Baseline["pages"];
  readonly variant: RunVariant;
  /** Result of `paceOf`, by which holds and response delays are multiplied. */
  readonly pace: number;
  readonly variants?: readonly FlowVariant[];
  /** True if time stands still after each webhook until the app is quiet. A hold may then last longer. */
  readonly isWaiting?: boolean;
}

/** Collects the deviations of one run as rules and changes of a scenario file. */
export class SandboxPlan implements RunPlan {
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
  /** Amount of a partial refund. */
  refundedPart: string | undefined;
  /** Sandbox time from the start to a moment between expiry and late payment; undefined if the charge is paid in time. */
  unpaidSinceMs: number | undefined;
  isWrongMoney = false;
  timeAdvance: { readonly by: string; readonly call: CallOccurrence | undefined } | undefined;
  readonly jobs: JobMoment[] = [];
  /** Steps of the flow that are scheduled work and run twice, counted from 0. */
  readonly doubledJobs = new Set<number>();
  /** A step of others, and the act of the flow that it follows; undefined for the end of the flow. */
  others: { readonly step: number; readonly after: number | undefined } | undefined;
  flowVariant: FlowVariant | undefined;
  /** Moment at which the app is killed. */
  killMoment: CallOccurrence | WebhookOccurrence | undefined;
  readonly variant: RunVariant;
  readonly pace: number;
  /** The run does not wait for the app to repeat a failed call. Repeats are looked for in later runs. */
  isWatched = false;
  readonly #hasLongHolds: boolean;
  readonly #customerMatch: Baseline["customerMatch"];
  readonly #variants: readonly FlowVariant[];
  readonly #pages: Baseline["pages"];

  constructor(set: DeviationSet, options: SandboxPlanOptions) {
    const { customerMatch, pages = [], variant, variants = [], isWaiting = false, pace } = options;
    this.set = set;
    this.#variants = variants;
    this.variant = variant;
    this.pace = pace;
    this.#hasLongHolds = variant.isPatient || isWaiting;
    this.#customerMatch = customerMatch;
    this.#pages = pages;
  }

  deviateCall({ operation, earlierCount, isOwn }: CallOccurrence, change: CallChange): void {
    const match = { operation, ...(isOwn ? this.#customerMatch : {}) };
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
      ...(type.includes("withdrawal") ? {} : this.#customerMatch),
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

  pressTwice(press: number): void {
    this.pressedTwice.add(press);
  }

  pressAgain(press: number): void {
    this.pressedAgain.add(press);
  }

  get isPressedTwice(): boolean {
    return this.pressedTwice.size + this.pressedAgain.size > 0;
  }

  ruleCharge(rule: Omit<ChargeRule, "match">): void {
    this.charges.push({ match: this.#customerMatch, ...rule });
  }

  holdInRace({ operation, earlierCount, isOwn }: CallOccurrence): void {
    if (this.variant.side === "together") return;
    this.raceHolds.push({
      match: { operation, ...(isOwn ? this.#customerMatch : {}) },
      hold: "webhook",
      at_most: this.raceHeld,
      delay_answer: RACE_MARGIN,
      skip: earlierCount,
      times: 1,
      per: "request",
    });
  }

  /** Maximum wall time for which one side of a race is held. */
  get raceHeld(): string {
    const { single, larger } = RACE_HELD_MS;
    return formatDuration(this.set.length === 1 ? single : larger * this.pace);
  }

  payLate(expirySinceMs: number): void {
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

  cancelThenPay(page: number): void {
    this.cancelledPage = page;
  }

  endPayment(end: PaymentEnd, { amount, timeline }: ObservedCharge): void {
    this.end = end;
    if (end === "partly_refunded") {
      this.refundedPart = percentOf(amount, "50", decimalsOf(amount));
      return;
    }
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

  payForeign(charge: ObservedCharge): void {
    this.endPayment("expired", charge);
    this.foreignCharge = charge;
  }

  payAsStrangers(list: StrangersAtList): void {
    this.strangers = list;
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

  moveTime(ms: number, call?: CallOccurrence): void {
    this.timeAdvance = { by: formatWholeSeconds(ms), call };
  }

  /** Delays the webhook until the scheduled work can begin. */
  runJob(moment: JobMoment): void {
    this.jobs.push(moment);
    const webhook = "concurrent" in moment ? moment.concurrent?.webhook : undefined;
    if (webhook !== undefined) this.deviateWebhook(webhook, { delay: JOB_DURATION });
  }

  doubleJob(step: number): void {
    this.doubledJobs.add(step);
  }

  actMeanwhile(step: number, after: number | undefined): void {
    this.others = { step, after };
  }

  varyFlow(variant: number): void {
    this.flowVariant = this.#variants[variant];
  }

  killApp(moment: CallOccurrence | WebhookOccurrence): void {
    this.killMoment = moment;
    // On the first side no response arrives, even if the app is faster than the kill.
    if ("type" in moment && this.variant.side === "first")
      this.deviateWebhook(moment, { response_lost: true });
  }

  /** The rules of the run. A call that one rule matches does not count for the `skip` of later rules. */
  get rules(): Pick<SandboxPlan, "charges" | "webhooks" | "faults"> {
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
