import { toPrintableLine } from "../../core/schema/text-format.js";
import { UserError } from "../../core/schema/user-error.js";
import { unacceptedWebhooksMessage } from "../scenario/running/run-scenario.js";
import {
  type Deviable,
  type ObservedRun,
  RACE_SIDES,
  type RunFailure,
  type RunPlan,
  type RunVariant,
  type Trace,
} from "./deviable.js";
import { type DeviationSet, deviationKey } from "./deviation-set.js";
import type { ExploreFinding } from "./exploration.js";
import { behaviourOf, differencesText, judgeTrace, type TraceVerdict, type WrongVerdict } from "./judge.js";
import type { KnownDeviations } from "./known-deviations.js";

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
    const seen = { runs: 1, of: Math.max(1, traces.length) };
    if (trace.failure !== undefined) return plainFailure(deviable.source, trace, purpose === "learn", seen);
    traces.push(trace);
  }
  const [, trace, other] = traces as [Trace, Trace, Trace];
  const [first, second] = [trace, other].map((one) => behaviourOf(one).split("\n"));
  const difference = first!.find((line, index) => line !== second![index]) ?? second![first!.length];
  return { trace, difference };
}

/** @param hasTail true if the run included the steps after the flow, such as retries and scheduled work */
function plainFailure(
  source: string,
  trace: Trace,
  hasTail: boolean,
  seen: ExploreFinding["seen"],
): ExploreFinding {
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
  return { oracle: verdict.oracle, message: finding, deviations: [], seen };
}

/** Describes why the flow fails without any deviation: expected and actual values, the app's response, a likely cause. */
function describeFlowFailure(failure: RunFailure, observed: ObservedRun): string {
  const { error, title, message, body } = failure;
  const cause = likelyCause(failure, observed);
  // The message of a call has the status already.
  const isNew = ({ path }: RunFailure["differences"][number]) => !failure.isCallToApp || path !== "status";
  const values = differencesText({ differences: failure.differences.filter(isNew) });
  const text = error ?? `${title}: ${message}${values === "" ? "" : `: ${values}`}${excerptOf(body)}`;
  return cause === undefined ? text : `${text}; ${cause}`;
}

/** Words by which an app says that its own deadline is over. */
const EXPIRY_WORD = /expired|lapsed|timed.?out|overdue/i;

function likelyCause(
  { isCallToApp, differences }: RunFailure,
  { deliveries }: ObservedRun,
): string | undefined {
  if (!isCallToApp || !differences.some(isInBody)) return undefined;
  if (differences.some(({ expected }) => typeof expected === "string" && EXPIRY_WORD.test(expected)))
    return "sandbox time does not move the app's own clock: let a tick expire what is due by the time of the service (header Sandbox-Now)";
  if (deliveries.length > 0) return undefined;
  return "the app receives no webhooks: call its job before this step, or, if it asks the service by itself, give it time with `steady: 3s` beside the call";
}

function isInBody({ path }: RunFailure["differences"][number]): boolean {
  return path.startsWith("body");
}

const MAX_EXCERPT = 200;

/** Quotes the app's response, which often names the cause. */
function excerptOf(body: unknown): string {
  if (body === undefined || body === null || body === "") return "";
  const text = toPrintableLine(
    typeof body === "string" ? body.replace(/\s+/g, " ").trim() : JSON.stringify(body),
  );
  return ` (${text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT)}…` : text})`;
}

/** Returns a message if the app accepted none of the run's webhooks. */
export function unacceptedWebhooks({ observed }: Trace): string | undefined {
  return unacceptedWebhooksMessage(observed.deliveries.flatMap(({ attempts }) => attempts));
}

/** A run with a set of deviations, and its verdict. */
export interface Trial {
  readonly plan: RunPlan;
  readonly trace: Trace;
  readonly verdict: TraceVerdict;
}

/** A failure of a set of deviations. */
export interface Failure extends Pick<ExploreFinding, "seen"> {
  readonly verdict: WrongVerdict;
  /** The latest run that failed. */
  readonly trial: Trial;
}

/** The verdict on a set of deviations. */
export interface Judgement {
  /** The run that counts for the set: the first that failed, else one that could not be judged, else the last. */
  readonly trial: Trial;
  /** Absent if the set passed, could not be judged, or failed once in a way that waiting can undo. */
  readonly failure?: Failure;
  /** The failure of a first run that the second run did not repeat. */
  readonly unconfirmed?: WrongVerdict;
}

const EAGER: RunVariant = { side: "first", isPatient: false };

/** Runs sets of deviations and judges the runs. */
export class Trials {
  readonly #deviable: Deviable;
  readonly #deviations: KnownDeviations;
  readonly #lanes: number;
  /** Deviation → true if the run with only this deviation concerned no other customer. */
  readonly #isConcurrent = new Map<string, boolean>();

  /** @param lanes maximum number of concurrent runs */
  constructor(deviable: Deviable, deviations: KnownDeviations, lanes: number) {
    this.#deviable = deviable;
    this.#deviations = deviations;
    this.#lanes = lanes;
  }

  /** Returns true if the app still passes without deviations. */
  async passesPlainRun(): Promise<boolean> {
    return (await this.runOnce([])).verdict.outcome === "right";
  }

  /** Runs a set without confirmation. */
  async runOnce(set: DeviationSet, variant = EAGER): Promise<Trial> {
    const [trial] = await this.#runAll([set], variant);
    return trial!;
  }

  /**
   * Runs a set, a race once for each of its sides, and repeats a run that fails.
   *
   * @param earlier an earlier run of the set
   */
  async judge(set: DeviationSet, earlier: Trial | undefined): Promise<Judgement> {
    if (earlier?.verdict.outcome === "right") return { trial: earlier };
    if (earlier !== undefined && isLasting(earlier)) return this.#confirm(set, earlier, EAGER);
    let unjudged: Trial | undefined;
    let trial: Trial | undefined;
    for (const side of this.#deviations.hasSides(set) ? RACE_SIDES : RACE_SIDES.slice(0, 1)) {
      const variant = { ...EAGER, side };
      trial = await this.runOnce(set, variant);
      this.#learnConcurrency(set, trial);
      if (trial.verdict.outcome === "wrong") return this.#confirm(set, trial, variant);
      if (trial.verdict.outcome === "unknown") unjudged ??= trial;
    }
    return { trial: unjudged ?? trial! };
  }

  /** Repeats a failed run as a patient run. */
  async #confirm(set: DeviationSet, first: Trial, variant: RunVariant): Promise<Judgement> {
    const verdict = first.verdict as WrongVerdict;
    if (verdict.isAppGone) return { trial: first, failure: { verdict, trial: first, seen: ONCE } };
    const second = await this.runOnce(set, { ...variant, isPatient: true });
    if (second.verdict.outcome === "unknown" && isLasting(first))
      return { trial: first, failure: { verdict, trial: first, seen: ONCE } };
    if (second.verdict.outcome === "wrong") {
      const { isAppGone, isBroken } = second.verdict;
      const isGone = isAppGone || (isBroken && !(await this.passesPlainRun()));
      const lasting = isLasting(first) ? verdict : second.verdict;
      const known = { ...(isAppGone || isBroken ? verdict : lasting), isAppGone: isGone };
      return { trial: first, failure: { verdict: known, trial: second, seen: { runs: 2, of: 2 } } };
    }
    if (isLasting(first) && (await this.#isWrongStill(first)))
      return { trial: first, failure: { verdict, trial: first, seen: { runs: 1, of: 2 } } };
    return second.trace.hasPausedLonger ? { trial: second } : { trial: second, unconfirmed: verdict };
  }

  /** Checks the customer of an earlier run again: an app may only have been late. */
  async #isWrongStill({ trace }: Trial): Promise<boolean> {
    const failure = await trace.checkAgain?.();
    const verdict = failure && judgeTrace({ ...trace, failure });
    return verdict?.outcome === "wrong" && verdict.isLasting === true;
  }

  #learnConcurrency(set: DeviationSet, { trace }: Trial): void {
    const [only] = set;
    if (only === undefined || set.length > 1) return;
    this.#isConcurrent.set(deviationKey(only), this.#deviations.isOwn(only) && hasOnlyOwnCalls(trace));
  }

  /**
   * Groups sets whose runs can be concurrent, by the first index of each group. Leaves out single deviations, and sets
   * that may affect the customers of other runs.
   */
  groupsOf(sets: readonly DeviationSet[]): Map<number, readonly number[]> {
    if (this.#lanes === 1) return new Map();
    const indexes = [...sets.keys()].filter((index) => this.#canBeConcurrent(sets[index]!));
    const shapeOf = (index: number) => this.#deviable.shapeOf(this.#plan(sets[index]!, EAGER));
    return new Map(groupsByKey(indexes, this.#lanes, shapeOf).map((group) => [group[0]!, group]));
  }

  /**
   * Runs the sets of a group concurrently; returns the trials by index. Returns none if a run concerned other customers.
   * The caller repeats all sets that did not pass, one at a time.
   */
  async runConcurrently(
    sets: readonly DeviationSet[],
    group: readonly number[] = [],
  ): Promise<(readonly [index: number, trial: Trial])[]> {
    if (group.length === 0) return [];
    const all = await this.#runAll(
      group.map((index) => sets[index]!),
      EAGER,
    );
    if (!all.every(({ trace }) => hasOnlyOwnCalls(trace))) return [];
    return all.map((trial, lane) => [group[lane]!, trial]);
  }

  #canBeConcurrent(set: DeviationSet): boolean {
    return (
      set.length > 1 &&
      !this.#deviations.hasSides(set) &&
      set.every((one) => this.#isConcurrent.get(deviationKey(one)) ?? this.#deviations.isOwn(one))
    );
  }

  async #runAll(sets: readonly DeviationSet[], variant: RunVariant): Promise<Trial[]> {
    const plans = sets.map((set) => this.#plan(set, variant));
    const traces = await this.#deviable.observe(plans);
    return traces.map((trace, index) => ({ plan: plans[index]!, trace, verdict: judgeTrace(trace) }));
  }

  #plan(set: DeviationSet, variant: RunVariant): RunPlan {
    const plan = this.#deviable.planRun(set, variant);
    for (const deviation of set) this.#deviations.effectOf(deviation).applyTo(plan);
    return plan;
  }
}

export const ONCE = { runs: 1, of: 1 };

function isLasting({ verdict }: Trial): boolean {
  return verdict.outcome === "wrong" && verdict.isLasting === true;
}

function hasOnlyOwnCalls({ observed }: Trace): boolean {
  return observed.calls.every(({ isByFlow, isOwn }) => isByFlow || isOwn);
}

/** Groups the indexes of sets with an equal key. No group has only one set. */
function groupsByKey(all: readonly number[], max: number, keyOf: (index: number) => string): number[][] {
  const groups: number[][] = [];
  const byKey = new Map<string, number[]>();
  for (const index of all) {
    const key = keyOf(index);
    byKey.set(key, [...(byKey.get(key) ?? []), index]);
  }
  for (const same of byKey.values())
    for (let at = 0; at + 1 < same.length; at += max) groups.push(same.slice(at, at + max));
  return groups;
}
