import type { AdvanceReport } from "../../../core/schema/control-insight-responses.js";
import { errorText } from "../../../core/schema/error-text.js";
import { isJsonObject } from "../../../core/schema/json-objects.js";
import { durationToMs, formatDuration } from "../../../core/schema/time.js";
import { systemWallClock } from "../../../core/time/wall-clock.js";
import type { LoadedScenario } from "../../scenario/files.js";
import type { LoadedStep, RawStep } from "../../scenario/loaded-steps.js";
import { leafSteps, type StepReport } from "../../scenario/running/run-report.js";
import type { SessionRun } from "../../scenario/running/run-session.js";
import type { ServiceAccess } from "../../scenario/steps/request.js";
import type { EndMoments, Race, Stop } from "../course.js";
import { incompleteFailure, type RunFailure, type StepRole } from "../run-record.js";
import { advanceMs } from "./flow.js";
import type { FlowLoader } from "./flow-loader.js";
import { statusName, viewVariableName } from "./saved-variable.js";
import { ofRun } from "./views.js";

export interface AppWaits {
  /** How long the app must make no calls after each webhook. */
  readonly quiet?: string | undefined;
  /** Maximum wait for the app's next call after one that a deviation made to fail. */
  readonly retry?: string | undefined;
  /** Maximum wait in a `wait_for` step of the flow. */
  readonly flowWait?: string | undefined;
  /** Maximum wall time for which one side of a race is held. */
  readonly raceHeld?: string;
  /** Factor by which a view must stay unchanged for longer. */
  readonly steadyTimes?: number | undefined;
}

interface FlowRunOptions {
  readonly loaded: LoadedScenario;
  readonly loader: FlowLoader;
  readonly session: SessionRun;
  readonly clock: SharedClock;
  readonly waits: AppWaits;
  /** Ids of all runs of the exploration. */
  readonly allRuns: readonly string[];
  /** Absent for runs that are carried out at the same time as another. */
  readonly profile: RunProfile | undefined;
}

/** Thrown by a step of a run that does not pass. */
export class StoppedRun extends Error {
  constructor(readonly failure: RunFailure) {
    super(failure.message);
  }
}

export class FlowRun {
  readonly loaded: LoadedScenario;
  /** Waits of the advances, as the sandbox reports them. */
  readonly quiets: NonNullable<AdvanceReport["quiet"]>[] = [];
  readonly retries: NonNullable<AdvanceReport["retry"]>[] = [];
  /** For each press of a plain run, the id of the newest call to the service before and after it. */
  readonly pressMarks: (readonly [before: string | undefined, after: string | undefined])[] = [];
  /** Indexes of the flow's acts that the app refused, or may have refused in its own words. */
  readonly refused = new Set<number>();
  /** Titles of the views that the run has looked at. */
  readonly viewNames: { readonly title: string; readonly body: string }[] = [];
  readonly moments: EndMoments = {};
  /** Wall time of the longest `wait_for` step of the flow, and of the longest that calls the app. */
  waitedMs = 0;
  responseMs = 0;
  /** At least one step that calls the app passed. */
  hasReachedApp = false;
  /** Work in the middle of the flow, in order. */
  stops: Stop[] = [];
  readonly #options: FlowRunOptions;
  #title = "";
  /** Sandbox milliseconds since the flow began. */
  #nowMs = 0;

  constructor(options: FlowRunOptions) {
    this.#options = options;
    this.loaded = options.loaded;
  }

  /** The service's APIs, as a step of the run calls them. */
  get access(): ServiceAccess {
    return this.#options.session.access;
  }

  /** True if no other run shares its clock. */
  get isAlone(): boolean {
    return this.#options.clock.isOfOne;
  }

  get loader(): FlowLoader {
    return this.#options.loader;
  }

  get waits(): AppWaits {
    return this.#options.waits;
  }

  async failureIn(work: () => Promise<unknown>): Promise<RunFailure | undefined> {
    try {
      await work();
      return undefined;
    } catch (error) {
      if (error instanceof StoppedRun) return error.failure;
      return incompleteFailure(errorText(error));
    }
  }

  /** Lets the other runs of its clock go on, and undoes its faults. Checks may follow. */
  async end(): Promise<void> {
    this.#options.clock.leave();
    await this.#options.session.end();
  }

  /** Carries out steps in order. All runs of the clock share the steps of a `tail`. */
  async steps(role: StepRole, steps: readonly RawStep[]): Promise<void> {
    for (const step of steps) await this.step(role, step);
  }

  /**
   * Saves what the views show.
   *
   * @param mayFail saves error responses too
   */
  async look(views: readonly RawStep[], mayFail = true): Promise<void> {
    const { scope } = this.loaded;
    for (const [index, view] of views.entries()) {
      const { status, body } = await this.#answerTo(view, mayFail);
      scope.save(viewVariableName(index), this.ownPart(body));
      scope.save(statusName(index), status);
      this.viewNames[index] = { title: this.#title, body: "body" };
    }
  }

  /** The part of a view that is about this run. */
  ownPart(view: unknown): unknown {
    return ofRun(view, this.loaded.runId, this.#options.allRuns);
  }

  async #answerTo(view: RawStep, mayFail: boolean): Promise<{ status?: unknown; body?: unknown }> {
    try {
      return (await this.step("observe", view)) as object;
    } catch (error) {
      const { body, differences = [] } = error instanceof StoppedRun ? error.failure : {};
      const status = differences.find(({ path }) => path === "status")?.got;
      if (status === undefined || !mayFail) throw error;
      return { status, body };
    }
  }

  stop(failure: RunFailure): never {
    throw new StoppedRun(failure);
  }

  /** Carries out a step; returns its result. Throws if it does not pass. */
  step(role: StepRole, raw: RawStep): Promise<unknown> {
    const { loader, waits } = this.#options;
    const { steadyTimes = 1 } = waits;
    if (raw.steady === undefined || steadyTimes === 1) return this.loadedStep(role, loader.stepOf(raw));
    const steady = formatDuration(steadyTimes * durationToMs(String(raw.steady)));
    return this.loadedStep(role, loader.stepOf({ ...raw, steady }));
  }

  /** @param index position of the step in the flow's file */
  loadedStep(role: StepRole, step: LoadedStep, index?: number): Promise<unknown> {
    const { clock, session } = this.#options;
    if (role !== "tail") return this.#carryOut(role, step, index);
    return clock.do(
      () => JSON.stringify(session.fill(step)),
      () => this.#carryOut(role, step, index),
    );
  }

  async #carryOut(role: StepRole, step: LoadedStep, index: number | undefined): Promise<unknown> {
    const { session, profile } = this.#options;
    const { report, result } = await session.step(step);
    const { kind, duration_ms, title } = report;
    this.#title = title;
    profile?.add(`${role}: ${kind}`, duration_ms);
    if (role === "drive" && kind === "wait_for") this.waitedMs = Math.max(this.waitedMs, duration_ms);
    if (role === "drive" && kind === "app") this.responseMs = Math.max(this.responseMs, duration_ms);
    this.hasReachedApp ||= leafSteps([report]).some(
      (leaf) => leaf.step.kind === "app" && hasPassed(leaf.step),
    );
    if (!hasPassed(report)) throw new StoppedRun(failureOf(report, role, index));
    return result;
  }

  /** Returns true if a step names no variable that a later step saves, such as the view of an order not yet placed. */
  knows(step: RawStep): boolean {
    try {
      this.#options.session.fill(this.#options.loader.stepOf(step));
      return true;
    } catch {
      return false;
    }
  }

  /** Lets sandbox time pass, with the run's stops at their moments. */
  async advance(
    role: StepRole,
    step: RawStep,
    hasWaits = true,
  ): Promise<{ readonly fromMs: number | undefined; readonly toMs: number | undefined }> {
    let fromMs: number | undefined;
    let toMs: number | undefined;
    const pass = async (part: RawStep): Promise<void> => {
      const report = await this.#pass(role, part, hasWaits);
      fromMs ??= Date.parse(report.from);
      toMs = Date.parse(report.to);
    };
    const byMs = advanceMs(step);
    if (byMs === undefined) {
      await pass(step);
      return { fromMs, toMs };
    }
    for (let leftMs = byMs; ; ) {
      const [stop] = this.stops;
      const untilMs = Math.max(0, (stop?.sinceMs ?? Infinity) - this.#nowMs);
      const partMs = Math.min(leftMs, untilMs);
      const part = fromMs === undefined ? step : {};
      if (partMs === byMs) await pass(step);
      else if (partMs > 0) await pass({ ...part, advance: formatDuration(partMs) });
      const reachedMs = (this.#nowMs += partMs);
      if (stop === undefined || untilMs > partMs) return { fromMs, toMs };
      this.stops.shift();
      await stop.work();
      leftMs = Math.max(0, leftMs - partMs - (this.#nowMs - reachedMs));
    }
  }

  /** Lets time pass that the work of a stop takes. */
  async advanceInStop(by: string): Promise<void> {
    const { quiet } = this.#options.waits;
    await this.step("tail", { advance: by, ...(quiet === undefined ? {} : { quiet }) });
    this.#nowMs += advanceMs({ advance: by })!;
  }

  #pass(role: StepRole, step: RawStep, hasWaits: boolean): Promise<AdvanceReport> {
    const { clock, waits, loader } = this.#options;
    const { quiet, retry } = hasWaits ? waits : {};
    const waiting = {
      ...step,
      ...(quiet === undefined ? {} : { quiet: step.quiet ?? quiet }),
      ...(retry === undefined ? {} : { retry }),
    };
    return clock.do(
      () => `advance ${step.advance}`,
      async () => {
        const report = (await this.#carryOut(role, loader.stepOf(waiting), undefined)) as AdvanceReport;
        if (report.quiet !== undefined) this.quiets.push(report.quiet);
        if (report.retry !== undefined) this.retries.push(report.retry);
        return report;
      },
    );
  }

  /**
   * Holds the first matching call of the app on one side until the other side is done. The other side begins when the call
   * is held, so the order of both is the same on every machine. Without a hold, both begin at once.
   */
  async race({ match, held, other, afterwards = async () => {} }: Race): Promise<void> {
    if (match === undefined) await this.together(held, other);
    else await this.#holdOneSide(match, held, other);
    await afterwards();
  }

  async #holdOneSide(
    match: NonNullable<Race["match"]>,
    held: Race["held"],
    other: Race["other"],
  ): Promise<void> {
    const maxHeld = this.#options.waits.raceHeld!;
    const set = await this.step("drive", { fault: { match, hold: maxHeld, times: 1, per: "request" } });
    const { fault_id } = set as { readonly fault_id: string };
    await this.together(held, async () => {
      await this.step(
        "drive",
        waitStep({ for: "request", match: { in_flight: true, fault: fault_id } }, maxHeld),
      );
      await other();
      await this.access.client.undo("deleteFault", { fault_id });
    });
  }

  async together(one: () => Promise<unknown>, other: () => Promise<unknown>): Promise<void> {
    for (const outcome of await Promise.allSettled([one(), other()]))
      if (outcome.status === "rejected") throw outcome.reason;
  }
}

/** Waits for a condition of the sandbox. A timeout is no failure. */
export function waitStep(condition: object, timeout: string): RawStep {
  return {
    request: "POST /_sandbox/wait",
    body: { ...condition, timeout },
    expect: { status: { lt: 500 } },
  };
}

function hasPassed({ outcome }: StepReport): boolean {
  return outcome === "passed";
}

function failureOf(report: StepReport, role: StepRole, index: number | undefined): RunFailure {
  const leaf = leafSteps([report]).find(
    ({ step: { outcome } }) => outcome === "failed" || outcome === "error",
  );
  const { title, kind, failure } = leaf?.step ?? report;
  const { message = "", got, difference = [] } = failure ?? {};
  return {
    isIncomplete: report.outcome === "error",
    role,
    ...(index === undefined ? {} : { index }),
    title,
    message,
    isCallToApp: kind === "app",
    ending: endingOf(message),
    ...(isJsonObject(got) ? { status: Number(got.status), body: got.body } : {}),
    differences: difference,
  };
}

/** Recognizes the scenario runner's messages for calls without a response. */
function endingOf(message: string): RunFailure["ending"] {
  if (message.endsWith("nothing listens there")) return "unreachable";
  if (message.startsWith("no answer within")) return "timeout";
  return message.startsWith("the app did not respond") ? "broken" : undefined;
}

/** Sums wall time by part of the runs, in milliseconds. */
export class RunProfile {
  readonly #durations = new Map<string, number>();

  durations(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#durations);
  }

  time<Result>(part: string, work: Promise<Result>): Promise<Result> {
    const sinceMs = systemWallClock.nowMs();
    return work.finally(() => this.add(part, systemWallClock.nowMs() - sinceMs));
  }

  add(part: string, ms: number): void {
    this.#durations.set(part, (this.#durations.get(part) ?? 0) + ms);
  }
}

interface Arrival {
  readonly key: string;
  readonly work: () => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Concurrent runs of one sandbox clock: each waits until all are about to do the same, which is done once. */
export class SharedClock {
  #runs: number;
  #arrived: Arrival[] = [];

  /** @param runs number of runs */
  constructor(runs: number) {
    this.#runs = runs;
  }

  get isOfOne(): boolean {
    return this.#runs === 1;
  }

  /** @param key names the work: runs with equal keys share its result, others do their own */
  do<Result>(key: () => string, work: () => Promise<Result>): Promise<Result> {
    if (this.#runs === 1) return work();
    return new Promise<unknown>((resolve, reject) => {
      this.#arrived.push({ key: key(), work, resolve, reject });
      this.#proceed();
    }) as Promise<Result>;
  }

  /** The run has ended: the others go on without it. */
  leave(): void {
    this.#runs--;
    this.#proceed();
  }

  #proceed(): void {
    if (this.#arrived.length < this.#runs) return;
    const arrived = this.#arrived.splice(0);
    const shared = arrived.every(({ key }) => key === arrived[0]!.key) ? arrived[0]?.work() : undefined;
    for (const { work, resolve, reject } of arrived) (shared ?? work()).then(resolve, reject);
  }
}
