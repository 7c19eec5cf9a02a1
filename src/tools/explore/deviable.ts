/**
 * The interface between exploring and a service in test mode.
 *
 *   explore.ts: search.ts, kinds.ts, judge.ts  ── plans ──>  Deviable: sandbox/, or a proxy before a provider's test mode
 *                                              <─ traces ──
 *
 * The explorer decides which runs deviate in what, and judges the traces of them. It never sees how a run is carried out.
 */
import type { FaultRule, WebhookRule } from "../../core/schema/scenario-rules.js";
import type { Oracle } from "./exploration.js";
import type { Schedule } from "./schedule.js";

/** A call by the app to the service, identified across runs by its position. */
export interface CallPlace {
  readonly operation: string;
  /** Number of earlier calls of that operation, including the flow's own. */
  readonly before: number;
  /** The call names the run's customer or one of their charges. */
  readonly isOwn: boolean;
}

/** A webhook of the run, identified across runs by its position. */
export interface WebhookPlace {
  readonly type: string;
  /** Number of earlier events of that type. */
  readonly before: number;
  /** 2 is the first retry; absent for the first attempt. */
  readonly attempt?: number;
}

/** A change to one call, in the fields of a fault rule. */
export type CallChange = Pick<FaultRule, "drop" | "respond" | "hold" | "stale">;
/** A change to one webhook, in the fields of a webhook rule. */
export type WebhookChange = Omit<WebhookRule, "match" | "attempt" | "skip" | "times">;

/** The plan of one run: the flow with these deviations. */
export interface RunPlan {
  deviateCall(place: CallPlace, change: CallChange): void;
  deviateWebhook(place: WebhookPlace, change: WebhookChange): void;
  /** Repeats the customer's first call to the app this many times concurrently. */
  press(times: number): void;
  /** Has the customer pay after the charge has expired. */
  payLate(): void;
  /** Has the customer cancel the payment page before paying it. */
  cancelThenPay(): void;
  /** Moves time by so many milliseconds once the charge exists, while the flow waits. */
  moveTime(ms: number): void;
}

/** A service in test mode, the app that calls it and the flow of one customer through both. */
export interface Deviable {
  /** Name of the flow; seeds the random choices. */
  readonly name: string;
  /** Prefix of error messages, such as the flow's file. */
  readonly source: string;
  /** The customer's first call to the app, and whether they pay on a page of the service. */
  readonly customer: { readonly press: string | undefined; readonly isOnPage: boolean };
  /** Carries out the flow without deviations: as the user wrote it, or to learn its expected end. */
  observePlain(purpose: "check" | "learn"): Promise<Trace>;
  /** Why runs must be carried out one at a time; asked after the plain runs. */
  isolationReason(): string | undefined;
  planRun(schedule: Schedule): RunPlan;
  /** Carries out plans concurrently. A brief run leaves out checks that its observation can stand for. */
  observe(plans: readonly RunPlan[], detail: "brief" | "full"): Promise<readonly Trace[]>;
  /** Saves a file that reproduces the run; returns its path, or undefined where nothing is saved. */
  save(plan: RunPlan, description: string): string | undefined;
  close(): Promise<unknown>;
}

/** The outcome of one run. */
export interface Trace {
  readonly observed: Observed;
  /** The first check that failed; absent where the run passed. */
  readonly failure?: Failure | undefined;
  /** At least one call to the app succeeded. */
  readonly hasReachedApp: boolean;
}

/** Purpose of a step: to carry the run on, or to check it. */
export type Role = "reset" | "drive" | "tail" | "rest" | "paid" | "observe" | "manners" | Oracle;

export interface Failure {
  /** The run could not be carried out to its end, so its checks say nothing. */
  readonly isIncomplete: boolean;
  /** Why it could not be carried out. */
  readonly error?: string | undefined;
  readonly role: Role | undefined;
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

/** The calls, deliveries and charges of one run, each in order of arrival. */
export interface Observed {
  readonly calls: readonly ObservedCall[];
  readonly deliveries: readonly ObservedDelivery[];
  readonly charges: readonly ObservedCharge[];
}

export interface ObservedCall extends Pick<CallPlace, "operation" | "isOwn"> {
  readonly method: string;
  /** Status of the response; null without one. */
  readonly status: number | null;
  readonly atMs: number;
  /** Made by the flow's own steps, not by the app. */
  readonly isByFlow: boolean;
  /** A deviation applied to it. */
  readonly isDeviated: boolean;
  /** Id of the charge it created. */
  readonly createdId: string | undefined;
  /** Id of the charge it read. */
  readonly readId: string | undefined;
}

export interface ObservedDelivery {
  readonly charge_id: string;
  readonly event_id: string;
  readonly type: string;
  readonly attempts: readonly {
    /** Status of the app's response; null without one. */
    readonly status: number | null;
    readonly atMs: number;
    /** A deviation discarded the attempt or its response. */
    readonly isLost: boolean;
  }[];
  /** Error of an attempt that the app left without a response. */
  readonly unanswered?: string;
  readonly atMs: number;
}

export interface ObservedCharge {
  readonly charge_id: string;
  readonly status: string;
  readonly email: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly history: readonly { readonly status: string; readonly atMs: number }[];
  /** Its timeline advances without an action of the customer on a page. */
  readonly isAutomatic: boolean;
  readonly createdMs: number;
  readonly endedMs: number;
}
