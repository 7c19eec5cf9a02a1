import { decimalsOf, percentOf } from "../../core/domain/money.js";
import { durationToMs, formatDuration } from "../../core/schema/time.js";
import type { ServiceAccess } from "../scenario/steps/request.js";
import type { RunPlan } from "./run-plan.js";
import { holdsNothing, type ObservedRun, type RaceSide } from "./run-record.js";
import type { Baseline } from "./sandbox/facts.js";
import type { LookMoment } from "./sandbox/saved-variable.js";

/*
 * The course of a run, the same for both hosts of an app: a function of this process, and a process behind HTTP.
 */

/** The two sides of a race, and the call of the app by which one side is held. */
export interface Race {
  /** Selects the app's call on the side that is held; undefined if nothing is held. */
  readonly match: Readonly<Record<string, unknown>> | undefined;
  readonly held: () => Promise<unknown>;
  readonly other: () => Promise<unknown>;
  /** Work that follows when both sides are done. */
  readonly afterwards?: (() => Promise<unknown>) | undefined;
}

/** An app in a run, and the time that passes for it. */
export interface RunHost {
  /** The flow has scheduled work. */
  readonly hasJob: boolean;
  /**
   * Lets sandbox time pass; returns its beginning and its end.
   *
   * @param isBeforeJob the scheduled work follows, so time need not wait for the app
   */
  readonly advance: (byMs: number, isBeforeJob?: boolean) => Promise<Passed>;
  /** Lets sandbox time pass in the middle of the flow. */
  readonly pause: (ms: number) => Promise<unknown>;
  readonly tick: () => Promise<unknown>;
  /** Runs the scheduled work on one side of a race. */
  readonly job: () => Promise<unknown>;
  /** Lets the time of `JOB_DURATION` pass on one side of a race, at whose end a webhook arrives. */
  readonly arrive: () => Promise<unknown>;
  /** Looks at the app without judging it: some apps ask the service when they are looked at. */
  readonly look: () => Promise<unknown>;
  readonly race: (race: Race) => Promise<unknown>;
  /** Does a press of the customer, and repeats it if it fails. */
  readonly repeat: (press: () => Promise<unknown>) => Promise<unknown>;
  /** Does a press of the customer that may be refused. */
  readonly settle: (press: () => Promise<unknown>) => Promise<unknown>;
  /** Saves what the app shows of an order that is not paid. */
  readonly lookAt: (moment: LookMoment) => Promise<unknown>;
  /** E-mail address of the run's customer; undefined if it does not select the run's charges. */
  readonly email: string | undefined;
  /** Does something in the service that no app does. Ends the run without a verdict if that fails. */
  readonly others: <Result>(act: (access: ServiceAccess) => Promise<Result>) => Promise<Result>;
  /** Ends what deviates. A charge keeps the rules that it began with. */
  readonly endDeviations: () => Promise<unknown>;
}

interface Passed {
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
}

/** Sandbox time between two runs of the app's scheduled work. */
export const JOB_INTERVAL = "1h";
export const HOUR_MS = durationToMs(JOB_INTERVAL);
/** Sandbox time longer than all retries and repetitions of a webhook. */
export const LONG = "5d";
/** Room for what follows the last deadline: a late payment, its webhooks and their retries. */
const AFTER_DEADLINE_MS = durationToMs("4d");
const DAY_MS = durationToMs("1d");

/**
 * Sandbox time from the flow's end to the run's: the same for all runs of a flow, as a job may add to each day.
 *
 * @param longestAdvanceMs the longest time that the flow advances at once
 */
export function restDuration(longestAdvanceMs: number, { charges }: ObservedRun): string {
  const expiriesMs = charges.map(({ createdMs, expiresMs }) => expiresMs - createdMs);
  const deadlineMs = Math.max(longestAdvanceMs, ...expiriesMs);
  return formatDuration(
    Math.max(durationToMs(LONG), Math.ceil(deadlineMs / DAY_MS) * DAY_MS + AFTER_DEADLINE_MS),
  );
}

/** Sandbox times at which the flow had ended, nothing deviated any more, and the run ended. */
export interface EndMoments {
  drivenMs?: number | undefined;
  quietMs?: number | undefined;
  endMs?: number | undefined;
}

/**
 * Carries out what follows the flow. The scheduled work runs hourly: each deviating call may disturb one of its runs, and
 * the next one comes while an Idempotency-Key is still valid. In the quiet end nothing deviates, and time passes for all
 * retries.
 *
 * @param plan undefined for a run without deviations
 * @param rest result of `restDuration`
 */
export async function endQuietly(
  host: RunHost,
  plan: RunPlan | undefined,
  rest: string,
  moments: EndMoments = {},
): Promise<void> {
  const hours = (plan?.faults.length ?? 0) + 1;
  ({ fromMs: moments.drivenMs } = await host.advance(host.hasJob ? HOUR_MS : hours * HOUR_MS));
  await host.tick();
  for (let hour = 1; hour < hours && host.hasJob; hour++) {
    await host.advance(HOUR_MS, true);
    await host.tick();
  }
  if (plan?.end === "partly_refunded") await refundHalf(host);
  await host.endDeviations();
  const lateMs = host.hasJob ? plan?.paidLateByMs : undefined;
  // The scheduled work may return late money, and see an hour later that it is returned.
  const hearing = lateMs === undefined ? [] : [lateMs, HOUR_MS];
  for (const byMs of [...hearing, durationToMs(rest)]) {
    const { fromMs, toMs } = await host.advance(byMs);
    moments.quietMs ??= fromMs;
    moments.endMs = toMs;
    await host.tick();
  }
}

async function refundHalf(host: RunHost): Promise<void> {
  const charge = await newestCharge(host, { status: "COMPLETED" });
  if (charge === undefined) return;
  const amount = percentOf(charge.amount, "50", decimalsOf(charge.amount));
  const { charge_id } = charge;
  await host.others(({ client }) => client.callOrFail("refundPart", { charge_id, amount }));
}

/** Reads the newest charge of the run's customer; undefined without one. */
export async function newestCharge({ email, others }: RunHost, filter: { readonly status?: string } = {}) {
  const customer = email === undefined ? {} : { customer_email: email };
  const { items } = (await others(({ client }) =>
    client.callOrFail("listCharges", { limit: 1, ...filter, ...customer }),
  )) as {
    readonly items: readonly {
      readonly charge_id: string;
      readonly amount: string;
      readonly metadata: Record<string, string>;
    }[];
  };
  return items[0];
}

/** Work in the middle of the flow. */
export interface Stop {
  /** Sandbox milliseconds since the start of the run. */
  readonly sinceMs: number;
  readonly work: () => Promise<unknown>;
}

/** The app's scheduled work at the moments that the plan asks for, in order. */
export function stopsOf(host: RunHost, plan: RunPlan, { readMatch }: Pick<Baseline, "readMatch">): Stop[] {
  const { unpaidSinceMs, variant } = plan;
  const stops = plan.jobs.flatMap((job): Stop[] => {
    if ("page" in job) return [];
    const { sinceMs, concurrent, isTwice = false } = job;
    if (concurrent === undefined) return [{ sinceMs, work: host.tick }];
    const { webhook } = concurrent;
    const call = webhook?.type.includes("withdrawal") === true ? { operation: "getWithdrawal" } : readMatch;
    const match = holdsNothing(variant.side) ? undefined : call;
    const jobs = { match, held: host.job, other: otherSide(variant.side, host.job) };
    const race = { match, ...inTurn(variant.side, host.job, host.arrive) };
    const work = async (): Promise<void> => {
      await host.race(isTwice ? { ...jobs, afterwards: host.arrive } : race);
      // The webhook may leave the work to the job.
      if (isTwice) await host.race(jobs);
    };
    // The plan delays the webhook by the duration of the work. A change without one is not delayed: begin before it.
    return [{ sinceMs: webhook === undefined ? sinceMs - 1 : sinceMs, work }];
  });
  if (unpaidSinceMs !== undefined) {
    const work = async (): Promise<void> => {
      await host.tick();
      await host.look();
    };
    stops.push({ sinceMs: unpaidSinceMs, work });
  }
  return stops.sort((one, other) => one.sinceMs - other.sinceMs);
}

/** Returns the other side of a race of the same work: once, or three times in a crowd. */
export function otherSide(side: RaceSide, work: () => Promise<unknown>): () => Promise<unknown> {
  return side === "crowd" ? () => Promise.allSettled([work(), work(), work()]) : work;
}

/** Puts the side that is held first. Only `second` holds the second. */
export function inTurn<Side>(side: RaceSide, first: Side, second: Side): { held: Side; other: Side } {
  return side === "second" ? { held: second, other: first } : { held: first, other: second };
}
