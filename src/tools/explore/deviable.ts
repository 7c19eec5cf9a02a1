/**
 * The interface between exploring and a service in test mode.
 *
 *   explore.ts: search.ts, kinds.ts, judge.ts  ── plans ──>  Deviable: sandbox/, or a proxy to a provider's test mode
 *                                              <─ traces ──
 *
 * The explorer decides how each run deviates, and judges its trace. It never sees how a run is carried out.
 */
import type { ChargeRule, FaultRule, WebhookRule } from "../../core/schema/scenario-rules.js";
import { UserError } from "../../core/schema/user-error.js";
import type { DeviationSet } from "./deviation-set.js";
import type { Oracle } from "./exploration.js";

/** A call by the app to the service, identified across runs by its position. */
export interface CallPlace {
  readonly operation: string;
  /** Number of earlier calls of that operation, including the flow's own. */
  readonly earlierCount: number;
  /** The call names the run's customer or one of their charges. */
  readonly isOwn: boolean;
}

/** A webhook of the run, identified across runs by its position. */
export interface WebhookPlace {
  readonly type: string;
  /** Number of earlier events of that type. */
  readonly earlierCount: number;
  /** 2 is the first retry; absent for the first attempt. */
  readonly attempt?: number;
}

/** A moment at which the app's scheduled work can run. */
export interface JobMoment {
  /** Sandbox milliseconds since the start of the run; absent: before the customer pays on the page. */
  readonly sinceMs?: number;
  /** The webhook sent at the same moment, and the number of the app's reads before it. */
  readonly concurrentWebhook?: { readonly place: WebhookPlace; readonly reads: number };
}

/** A change to one call, in the fields of a fault rule. */
export type CallChange = Pick<FaultRule, "drop" | "respond" | "hold" | "at_most" | "delay_answer" | "stale">;
/** A change to one webhook, in the fields of a webhook rule. */
export type WebhookChange = Omit<WebhookRule, "match" | "attempt" | "skip" | "times">;

/** Collects the deviations of one run from the flow. */
export interface RunPlan {
  deviateCall(place: CallPlace, change: CallChange): void;
  deviateWebhook(place: WebhookPlace, change: WebhookChange): void;
  /** Makes the customer's first call to the app this many times concurrently. */
  repeatFirstCall(times: number): void;
  /** Has the customer pay after the charge has expired. */
  payLate(): void;
  /** Has the customer pay another amount or currency than asked, on the timeline of the plain run. */
  payWrongMoney(paid: ChargeRule["paid"], timeline: ChargeRule["timeline"]): void;
  /** Has the customer cancel the payment page before paying it. */
  cancelThenPay(): void;
  /** Advances sandbox time while the flow waits: once `call` has arrived or, without `call`, once a charge exists. */
  moveTime(ms: number, call?: CallPlace): void;
  /**
   * Runs the app's scheduled work at a moment in the flow.
   *
   * @param isSaved the plan goes into a file, with which the app must lose the race on slower machines too
   */
  runJob(moment: JobMoment, isSaved: boolean): void;
}

/** A service in test mode, the app that calls it and the flow of one customer through both. */
export interface Deviable {
  /** Name of the flow; seeds the random choices. */
  readonly name: string;
  /** Prefix of error messages, such as the flow's file. */
  readonly source: string;
  /** The customer's first call to the app; whether payment is on a page of the service; the app's scheduled work. */
  readonly customer: {
    readonly press: string | undefined;
    readonly isOnPage: boolean;
    readonly hasJob?: boolean;
    /** Why scheduled work cannot run in the middle of the flow. */
    readonly jobReason?: string;
  };
  /** Carries out the flow without deviations: as the user wrote it, or to learn its expected end. */
  observePlain(purpose: "check" | "learn"): Promise<Trace>;
  /** Reason to carry out runs one at a time, if there is one; called after the plain runs. */
  isolationReason(): string | undefined;
  /** Notes on questions that the plain runs left open; called after the plain runs. */
  openQuestions(): readonly string[];
  /** The fields that the flow checks, and its blind spots; called after the plain runs. */
  flowCoverage(): FlowCoverage;
  /** @param isSaved the run confirms a failure and is saved, so a busy machine gets more time */
  planRun(schedule: DeviationSet, isSaved: boolean): RunPlan;
  /** Carries out plans concurrently. A brief run skips checks whose result follows from observed calls and charges. */
  observe(plans: readonly RunPlan[], detail: "brief" | "full"): Promise<readonly Trace[]>;
  /** Wall time in milliseconds so far, by part of a run. */
  profile(): Readonly<Record<string, number>>;
  /** Saves a file that reproduces the run; returns its path, or undefined where nothing is saved. */
  save(plan: RunPlan, description: string): string | undefined;
  close(): Promise<unknown>;
}

/** A part of the flow that checks nothing of the app, by its place in the file. */
export interface BlindSpot {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Thrown if parts of a flow check nothing of the app, because an exploration without findings would prove nothing. */
export class BlindSpotError extends UserError {
  constructor(
    source: string,
    readonly spots: readonly BlindSpot[],
  ) {
    super(spots.map(({ message }) => `${source}: ${message}`).join("\n"), 2, "LOOKS_AT_NOTHING");
  }
}

export interface FlowCoverage {
  /** Dotted paths of the fields of the app's responses that are compared or checked. */
  readonly fields: readonly string[];
  readonly spots: readonly BlindSpot[];
}

/** The outcome of one run. */
export interface Trace {
  readonly observed: ObservedRun;
  /** The first check that failed; absent where the run passed. */
  readonly failure?: RunFailure | undefined;
  /** At least one call to the app succeeded. */
  readonly hasReachedApp: boolean;
}

/** Purpose of a step: to drive the run, or to check it. */
export type StepRole =
  | "reset"
  | "drive"
  | "tail"
  | "rest"
  | "paid"
  | "paid_out"
  | "not_delivered"
  | "observe"
  | "manners"
  | Oracle;

export interface RunFailure {
  /** The run could not be carried out to its end, so its checks say nothing. */
  readonly isIncomplete: boolean;
  /** Why the run could not be carried out. */
  readonly error?: string | undefined;
  readonly role: StepRole | undefined;
  /** Title of the step; absent where no step failed. */
  readonly title?: string | undefined;
  readonly message: string;
  /** The step was a call to the app. */
  readonly isCallToApp: boolean;
  /** How a call without a response ended. */
  readonly ending?: "unreachable" | "timeout" | "broken" | undefined;
  /** Response body of a failed call. */
  readonly body?: unknown;
  /** Values that differ, by dotted path. */
  readonly differences: readonly {
    readonly path: string;
    readonly expected: unknown;
    readonly got?: unknown;
  }[];
}

/** The calls, deliveries, charges and withdrawals of one run, each in order of arrival. */
export interface ObservedRun {
  /** Sandbox time at the start; absent where the flow has no scheduled work. */
  readonly startMs?: number;
  readonly calls: readonly ObservedCall[];
  readonly deliveries: readonly ObservedDelivery[];
  readonly charges: readonly ObservedCharge[];
  readonly withdrawals: readonly ObservedPayment[];
}

export interface ObservedCall extends Pick<CallPlace, "operation" | "isOwn"> {
  readonly method: string;
  /** Status of the response; null without a response. */
  readonly status: number | null;
  readonly atMs: number;
  /** Made by the flow's own steps, not by the app. */
  readonly isByFlow: boolean;
  readonly idempotencyKey?: string | undefined;
  /** A deviation applied to the call. */
  readonly isDeviated: boolean;
  /** Id of the charge or withdrawal that the call created. */
  readonly createdId: string | undefined;
  /** Id of the charge or withdrawal that the call read. */
  readonly readId: string | undefined;
}

export interface ObservedDelivery {
  /** Id of the charge or withdrawal. */
  readonly object_id: string;
  readonly event_id: string;
  readonly type: string;
  readonly attempts: readonly {
    /** Status of the app's response; null without a response. */
    readonly status: number | null;
    readonly atMs: number;
    /** Wall time until the app's response, in milliseconds. */
    readonly durationMs: number;
    /** A deviation discarded the attempt or its response. */
    readonly isLost: boolean;
  }[];
  /** Error of an attempt that the app left without a response. */
  readonly unanswered?: string;
  readonly atMs: number;
}

/** A charge or a withdrawal. */
export interface ObservedPayment {
  readonly id: string;
  readonly status: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly history: readonly { readonly status: string; readonly atMs: number }[];
  /** The timeline advances without an action of the customer or of the flow. */
  readonly isAutomatic: boolean;
  readonly createdMs: number;
  readonly endedMs: number;
}

export interface ObservedCharge extends ObservedPayment {
  readonly currency: string;
  /** The statuses planned for the charge. */
  readonly timeline: ChargeRule["timeline"];
  readonly email: string;
}
