import { UserError } from "../../core/schema/user-error.js";
import { unacceptedWebhooksMessage } from "../scenario/running/blind-spots.js";
import type { Deviable, ObservedRun, RunPlan, Trace } from "./deviable.js";
import { type DeviationSet, deviationKey } from "./deviation-set.js";
import type { ExploreFinding } from "./exploration.js";
import { describeFlowFailure } from "./flow-failure.js";
import { behaviourOf, hasFailureSigns, judgeTrace, type TraceVerdict } from "./judge.js";
import { type KnownDeviations, RACE_REPEATS } from "./kinds.js";

export interface PlainRunResult {
  /** A plain run, the reference for runs with deviations. */
  readonly trace: Trace;
  /** The first difference between two plain runs; undefined if they agree. */
  readonly difference: string | undefined;
}

/**
 * Runs the flow as written, then runs it twice more to learn the expected end. Returns a finding if the app fails.
 *
 * @param overReason returns why the exploration must end; undefined while time is left
 */
export async function observePlainRuns(
  deviable: Deviable,
  overReason: () => string | undefined,
): Promise<PlainRunResult | ExploreFinding> {
  const traces: Trace[] = [];
  for (const purpose of ["check", "learn", "learn"] as const) {
    const trace = await deviable.observePlain(purpose);
    const reason = overReason();
    if (reason !== undefined)
      throw new UserError(`${deviable.source}: ${reason} before the app was seen to go right`);
    if (trace.failure !== undefined) return plainFailure(deviable.source, trace, purpose === "learn");
    traces.push(trace);
  }
  const [, trace, other] = traces as [Trace, Trace, Trace];
  const [first, second] = [trace, other].map((one) => behaviourOf(one).split("\n"));
  const difference = first!.find((line, index) => line !== second![index]) ?? second![first!.length];
  return { trace, difference };
}

/** @param hasTail true if the run included the steps after the flow, such as retries and scheduled work */
function plainFailure(source: string, trace: Trace, hasTail: boolean): ExploreFinding {
  const { ending, role } = trace.failure!;
  const reason = describeFlowFailure(trace.failure!, trace.observed);
  if (!hasTail && ending === "unreachable" && !trace.hasReachedApp)
    throw new UserError(`${source}: ${reason}: start it first, or give its right URL`);
  const verdict = judgeTrace(trace);
  const isGone = verdict.outcome === "wrong" && (verdict.isAppGone === true || verdict.isBroken === true);
  if (verdict.outcome !== "wrong" || !(isGone || (hasTail && role !== "drive")))
    throw new UserError(
      [`${source}: the flow fails with nothing going wrong: ${reason}`, unacceptedWebhooks(trace)]
        .filter((part) => part !== undefined)
        .join("; "),
    );
  const finding = isGone ? verdict.message : `with nothing going wrong, in the end: ${verdict.message}`;
  return { oracle: verdict.oracle, message: finding, deviations: [] };
}

/** Returns a message if the app accepted none of the run's webhooks. */
export function unacceptedWebhooks({ observed }: Trace): string | undefined {
  return unacceptedWebhooksMessage(observed.deliveries.flatMap(({ attempts }) => attempts));
}

export interface Trial {
  readonly trace: Trace;
  readonly verdict: TraceVerdict;
}

/** Number of copies in a race in a saved file. This many copies reproduce the race on any machine. */
export const SAVED_RACE_REPEATS = 10;

/** Runs sets of deviations and judges the runs. */
export class Trials {
  readonly #deviable: Deviable;
  readonly #deviations: KnownDeviations;
  readonly #plain: ObservedRun;
  readonly #lanes: number;
  /** Deviation → true if the run with only this deviation concerned no other customer. */
  readonly #isConcurrent = new Map<string, boolean>();

  /** @param lanes maximum number of concurrent runs */
  constructor(deviable: Deviable, deviations: KnownDeviations, plain: ObservedRun, lanes: number) {
    this.#deviable = deviable;
    this.#deviations = deviations;
    this.#plain = plain;
    this.#lanes = lanes;
  }

  plan(set: DeviationSet, repeats = RACE_REPEATS): RunPlan {
    const plan = this.#deviable.planRun(set, repeats > RACE_REPEATS);
    for (const deviation of set) this.#deviations.effectOf(deviation).applyTo(plan, repeats);
    return plan;
  }

  /** Returns true if the app still passes without deviations. */
  async passesPlainRun(): Promise<boolean> {
    return (await this.run(this.plan([]), "full")).verdict.outcome === "right";
  }

  /** Runs a set without the checks that `hasFailureSigns` replaces. */
  async runBrief(set: DeviationSet): Promise<Trial> {
    const trial = await this.run(this.plan(set), "brief");
    const [only] = set;
    if (only !== undefined && set.length === 1) {
      const isOwn = this.#deviations.isOwn(only) && hasOnlyOwnCalls(trial.trace);
      this.#isConcurrent.set(deviationKey(only), isOwn);
    }
    return trial;
  }

  /**
   * Runs sets concurrently, except sets that may affect the customers of other runs. Returns the passed trials, by
   * index of the set. The caller runs all remaining sets one at a time.
   */
  async runConcurrently(sets: readonly DeviationSet[]): Promise<Map<number, Trial>> {
    const trials = new Map<number, Trial>();
    if (this.#lanes === 1) return trials;
    const indexes = [...sets.keys()].filter((index) => this.#canBeConcurrent(sets[index]!));
    for (const group of groupsBySize(indexes, this.#lanes, (index) => sets[index]!.length)) {
      const plans = group.map((index) => this.plan(sets[index]!));
      const traces = await this.#deviable.observe(plans, "brief");
      if (!traces.every(hasOnlyOwnCalls)) continue;
      for (const [lane, trace] of traces.entries()) {
        const trial = { trace, verdict: judgeTrace(trace) };
        if (trial.verdict.outcome === "right" && !this.isSuspect(trial)) trials.set(group[lane]!, trial);
      }
    }
    return trials;
  }

  isSuspect({ trace }: Trial): boolean {
    return hasFailureSigns(trace.observed, this.#plain);
  }

  #canBeConcurrent(set: DeviationSet): boolean {
    return (
      set.length > 1 &&
      set.every((one) => this.#isConcurrent.get(deviationKey(one)) ?? this.#deviations.isOwn(one))
    );
  }

  async run(plan: RunPlan, detail: "brief" | "full"): Promise<Trial> {
    const [trace] = await this.#deviable.observe([plan], detail);
    return { trace: trace!, verdict: judgeTrace(trace!) };
  }
}

function hasOnlyOwnCalls({ observed }: Trace): boolean {
  return observed.calls.every(({ isByFlow, isOwn }) => isByFlow || isOwn);
}

/** Groups sets of equal size, because concurrent runs need equally many steps. No group has only one set. */
function groupsBySize(all: readonly number[], max: number, sizeOf: (index: number) => number): number[][] {
  const groups: number[][] = [];
  for (const size of new Set(all.map(sizeOf))) {
    const same = all.filter((index) => sizeOf(index) === size);
    for (let at = 0; at + 1 < same.length; at += max) groups.push(same.slice(at, at + max));
  }
  return groups;
}
