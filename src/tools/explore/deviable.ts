/**
 * The interface between the search for failures and the service that its runs use.
 *
 *   explore.ts: search.ts, kinds.ts, judge.ts  ── plans ──>  Deviable, implemented in sandbox/ and functions/
 *                                              <─ traces ──
 *
 * The search plans how each run deviates from a plain run. A `Deviable` carries the plan out and returns a trace, the
 * record of the run, which the search judges.
 */
import { UserError } from "../../core/schema/user-error.js";
import type { DeviationKind, DeviationSet } from "./deviation-set.js";
import type { UncomparedField } from "./exploration.js";
import type { LifeHost } from "./lives/life.js";
import type { RunPlan } from "./run-plan.js";
import type { RunVariant, Trace } from "./run-record.js";
import type { FlowVariant } from "./sandbox/flow-variant.js";

/** A service that can deviate, with the app that calls it and the flow that drives the app. */
export interface Deviable {
  /** Name of the flow; also the seed of random choices. */
  readonly name: string;
  /** The flow's file, as a prefix of error messages. */
  readonly source: string;
  /** Runs of equal plans are alike: no timing of the app decides how they end. */
  readonly isRepeatable?: boolean;
  /** Kinds of deviation that runs of this service cannot have, each with the reason; by default `app_killed`. */
  readonly lacks?: Partial<Record<DeviationKind, string>>;
  readonly customer: {
    /** The customer's writes to the app, such as `POST /orders`, in order. */
    readonly presses: readonly string[];
    /** The flow's own steps that are scheduled work, such as `POST /tick`, in order. */
    readonly jobs?: readonly string[];
    /** Steps of others, and the acts of the flow after which a payment is under way. Known after the plain runs. */
    readonly meanwhile?: {
      readonly steps: readonly string[];
      /** Acts by their call or kind, and their index in the flow. */
      readonly acts: readonly { readonly index: number; readonly name: string }[];
    };
    /** Variants of the flow. Known after the plain runs. */
    readonly variants?: readonly FlowVariant[];
    /** Number of calls to the service at which a run can hold each press: 0, 1 or 2. Known after the plain runs. */
    readonly pressHolds?: readonly number[];
    /** Number of steps of the flow by which the customer pays on a page of the service. */
    readonly pages: number;
    /** Why the customer cannot leave a charge unpaid; undefined if the customer can. */
    readonly mustPayReason?: string | undefined;
    /** The checkout has a `success_url` that a run can open. Known after the plain runs. */
    readonly canReturn?: boolean;
    /** The longest time that the flow advances in one step, in sandbox milliseconds: the app may have a deadline in it. */
    readonly longestAdvanceMs?: number;
    /** The app's scheduled work can run in the middle of the flow. */
    readonly hasJob?: boolean;
    /** Why `hasJob` is false although the flow has scheduled work. */
    readonly jobReason?: string;
  };
  /** Runs the flow without deviations. `check` runs the steps as the user wrote them; `learn` records the baseline. */
  observePlain(purpose: "check" | "learn"): Promise<Trace>;
  /** Explains why runs cannot be concurrent; undefined if they can. Called after the plain runs. */
  isolationReason(): string | undefined;
  /** Returns notes about facts that the runs could not determine. Called after the last run. */
  openQuestions(): readonly string[];
  /** Returns the compared fields, and the flow's blind spots. Called after the plain runs, and at the end. */
  flowCoverage(hasAllEnds: boolean): FlowCoverage;
  /** Describes a charge whose base amount is not the app's price; undefined if there is none. Called after the plain runs. */
  wrongPrice(): string | undefined;
  planRun(set: DeviationSet, variant: RunVariant): RunPlan;
  /** Returns an equal text for plans that `observe` can carry out concurrently. */
  shapeOf(plan: RunPlan): string;
  observe(plans: readonly RunPlan[]): Promise<readonly Trace[]>;
  /** Returns the sets whose runs must be repeated, because the app repeated a failed call after their end. */
  lateSets(): Promise<readonly DeviationSet[]>;
  /** Carries out lives in the app, between runs. Absent if it cannot. */
  lives?<Result>(work: (host: LifeHost) => Promise<Result>): Promise<Result>;
  /** Wall time so far in milliseconds, by part of the runs. */
  profile(): Readonly<Record<string, number>>;
  close(): Promise<readonly string[]>;
}

/** A part of the flow that can notice no failure of the app; `path` is its position in the file. */
export interface BlindSpot {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Thrown if the flow has blind spots, because finding nothing would then prove nothing. */
export class BlindSpotError extends UserError {
  constructor(
    source: string,
    readonly spots: readonly BlindSpot[],
  ) {
    super(spots.map(({ message }) => `${source}: ${message}`).join("\n"), 2, "LOOKS_AT_NOTHING");
  }
}

export interface FlowCoverage {
  /** Dotted paths of the fields in the app's responses that the flow compares or checks. */
  readonly fields: readonly string[];
  /** Fields that are in the app's views and are not compared. */
  readonly notCompared: readonly UncomparedField[];
  readonly spots: readonly BlindSpot[];
}
