import type { ChargeRule, FaultRule, WebhookRule } from "../../core/schema/scenario-rules.js";
import type { Oracle } from "./exploration.js";

/** A call of the app to the service. The first `createQuote` of a run is `createQuote#1`, with 0 earlier calls. */
export interface CallOccurrence {
  readonly operation: string;
  /** Number of earlier calls of `operation` in the run, made by the app or by steps of the flow. */
  readonly earlierCount: number;
  /** The call contains the email of the run's customer or the id of a charge of the run. */
  readonly isOwn: boolean;
}

/** A webhook. The first `charge.completed` of a run is `charge.completed#1`, with 0 earlier events. */
export interface WebhookOccurrence {
  readonly type: string;
  /** Number of earlier events of `type` in the run. */
  readonly earlierCount: number;
  /** 2 is the first retry; absent for the first attempt. */
  readonly attempt?: number;
  /** Glob of the URL of one endpoint of several; absent for all endpoints. */
  readonly url?: string;
}

/** A moment in a run at which the app's scheduled work (the flow's `tick` steps) can run. */
export type JobMoment =
  /** Just before the customer pays on a page; `page` counts the flow's payments on pages from 0. */
  | { readonly page: number }
  | {
      /** Sandbox milliseconds since the start of the run. */
      readonly sinceMs: number;
      readonly concurrent?: ConcurrentChange;
      /** The work meets itself after the change, before its webhook. */
      readonly isTwice?: true;
    };

/** A payment that changes as the app's scheduled work runs. */
export interface ConcurrentChange {
  /** The webhook of the change; absent if the app receives none. */
  readonly webhook?: WebhookOccurrence | undefined;
  /** The app reads the payment while it handles the webhook. */
  readonly isReadByHandler: boolean;
}

/** How a payment ends in a run whose customer pays in plain runs. A refund comes after the flow's steps. */
export type PaymentEnd = "declined" | "expired" | "refunded" | "partly_refunded";

/** A list of payins that the app reads, and the strangers who pay. */
export interface StrangersAtList {
  /** Number of earlier reads of the list, pages counted, in the run. */
  readonly earlierCount: number;
  readonly strangers: number;
  /** The strangers pay between the first page and the next; otherwise before the list is read. */
  readonly areBetween: boolean;
}

/** A change to one call, written as fields of a fault rule. */
export type CallChange = Pick<FaultRule, "drop" | "respond" | "hold" | "at_most" | "delay_answer" | "stale">;
/** A change to one webhook, written as fields of a webhook rule. */
export type WebhookChange = Omit<WebhookRule, "match" | "attempt" | "skip" | "times">;

/** The record of one run. */
export interface Trace {
  readonly observed: ObservedRun;
  /** The first step that failed; absent if the run passed. */
  readonly failure?: RunFailure | undefined;
  /** A plain run that failed passes without the flow's `tick`. */
  readonly isByJob?: boolean;
  readonly hasKilledApp?: boolean;
  /** At least one step that calls the app passed. */
  readonly hasReachedApp: boolean;
  /** The app repeated a failed call after a longer pause than an eager run waits. */
  readonly hasPausedLonger?: boolean;
  /** Checks the end of the run again, later. Absent if the run passed or ended before its checks. */
  readonly checkAgain?: () => Promise<RunFailure | undefined>;
}

/** How a run carries out a set of deviations. */
export interface RunVariant {
  /** How the two sides of a race meet, or which of two variants runs. */
  readonly side: RaceSide;
  /** Waits longer for the app, so that a slow app does not fail. A run that is not patient is eager. */
  readonly isPatient: boolean;
  /** A failure is only a note, which accuses no field, so no end runs again for it. */
  readonly isForNote?: boolean;
}

/**
 * How the two sides of a race meet, such as the scheduled work and the webhook: the first or the second side is held at
 * its last write until the other is done, the first is held at its first call (`early`), or nothing is held, with two at
 * once (`together`) or four of the same (`crowd`).
 */
export const RACE_SIDES = ["first", "second", "early", "together", "crowd"] as const;
export type RaceSide = (typeof RACE_SIDES)[number];

export function holdsNothing(side: RaceSide): boolean {
  return side === "together" || side === "crowd";
}

/**
 * Purpose of a step: `reset` prepares, `drive` runs the flow, `repeat` repeats a part of it, `tail` and `rest` let time
 * pass, other roles check.
 */
export type StepRole =
  | "reset"
  | "drive"
  | "repeat"
  | "tail"
  | "rest"
  | "paid"
  | "paid_out"
  | "not_delivered"
  | "observe"
  | "unlike"
  | "manners"
  | "never"
  | Oracle;

/** Returns true for a step that checks the end of a run, or prepares such checks. */
export function isCheck(role: StepRole | undefined): boolean {
  return role !== undefined && role !== "reset" && role !== "drive" && role !== "tail";
}

export interface RunFailure {
  /** The run stopped before its end, so the app cannot be judged. */
  readonly isIncomplete: boolean;
  /** Why the run stopped. */
  readonly error?: string | undefined;
  readonly role: StepRole | undefined;
  /** Position of the failed step among the top-level or repeated steps; absent if no step failed. */
  readonly index?: number;
  /** Title of the failed step; absent if no step failed. */
  readonly title?: string | undefined;
  readonly message: string;
  readonly isCallToApp: boolean;
  /** How a call without a response ended. */
  readonly ending?: "unreachable" | "timeout" | "broken" | undefined;
  /** The undisturbed run that the run should have ended as. */
  readonly reference?: string;
  /** Status and body of the response to a failed call. */
  readonly status?: number | undefined;
  readonly body?: unknown;
  /** Expected and actual values that differ, by dotted path. */
  readonly differences: readonly {
    readonly path: string;
    readonly expected: unknown;
    readonly got?: unknown;
  }[];
}

/** A failure that no step reports. */
export function failed(
  role: StepRole | undefined,
  title: string | undefined,
  message: string,
  more: Partial<RunFailure> = {},
): RunFailure {
  return { isIncomplete: false, role, title, message, isCallToApp: false, differences: [], ...more };
}

/** The failure of a run that the sandbox could not carry out. */
export function incompleteFailure(error: string): RunFailure {
  return failed(undefined, undefined, error, { isIncomplete: true, error });
}

/** The calls, deliveries, charges and withdrawals of one run, each in order of arrival. */
export interface ObservedRun {
  /** Sandbox time at the start. */
  readonly startMs: number;
  /** Sandbox time at which the steps of the flow had ended; absent if they had not. */
  readonly drivenMs?: number | undefined;
  /** Sandbox time from which nothing deviates any more; absent if the run ended before. */
  readonly quietMs?: number | undefined;
  readonly calls: readonly ObservedCall[];
  readonly deliveries: readonly ObservedDelivery[];
  readonly charges: readonly ObservedCharge[];
  readonly withdrawals: readonly ObservedPayment[];
}

export interface ObservedCall extends Pick<CallOccurrence, "operation" | "isOwn"> {
  readonly id: string;
  readonly method: string;
  /** Status of the response; null without a response. */
  readonly status: number | null;
  readonly atMs: number;
  readonly isByFlow: boolean;
  readonly idempotencyKey?: string | undefined;
  readonly isDeviated: boolean;
  readonly createdId: string | undefined;
  readonly readId: string | undefined;
  /** The call reads a page of the list of payins: the first page, or a further one. */
  readonly page?: "first" | "further" | undefined;
  /** URL to which the customer of the created checkout returns after paying. */
  readonly successUrl?: string | undefined;
}

export interface ObservedDelivery {
  /** Id of the charge or withdrawal. */
  readonly object_id: string;
  readonly event_id: string;
  /** URL of the endpoint; absent for a mailbox. */
  readonly url?: string | undefined;
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
  /** Error message of an attempt that the app did not respond to in time. */
  readonly unanswered?: string;
  readonly isOpen?: boolean;
  readonly atMs: number;
}

export interface ObservedPayment {
  readonly id: string;
  readonly status: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Absent for charges. */
  readonly reference?: string | undefined;
  readonly amount: string;
  readonly currency: string;
  readonly history: readonly { readonly status: string; readonly atMs: number }[];
  /** The status changes as sandbox time passes, without an action of the customer or a step of the flow. */
  readonly isAutomatic: boolean;
  readonly createdMs: number;
  readonly endedMs: number;
}

export interface ObservedCharge extends ObservedPayment {
  readonly isHosted: boolean;
  readonly checkoutId?: string;
  readonly expiresMs: number;
  /** The payment method; absent until the customer has chosen one. */
  readonly method?: string;
  /** The price that the app asked for, without fees. */
  readonly base: { readonly amount: string; readonly currency: string };
  /** The planned changes of status, each with its time. */
  readonly timeline: ChargeRule["timeline"];
  readonly email: string;
}
