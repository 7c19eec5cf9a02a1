import type * as z from "zod/mini";
import { putClock } from "../engine/commands/namespace-setup.js";
import type { ClockRecord } from "../engine/records.js";
import type { clockSchema } from "../schema/control-sandbox-responses.js";
import type { ClockSetting } from "../schema/option-schemas.js";
import { isRefusal, type Refusal, refuse } from "../schema/refusals.js";
import { iso } from "../schema/time.js";
import { Advance, type AdvanceProgress, type AdvanceTarget } from "./advance-state.js";
import type { AppActivity } from "./app-activity.js";
import { type Scheduler, WORK_PER_BATCH } from "./scheduler.js";
import { yieldToEventLoop } from "./wall-clock.js";

type ClockView = z.infer<typeof clockSchema>;

export interface ClockRequest {
  readonly setting: ClockSetting | undefined;
  /** Target of an advance that runs before the setting applies; undefined: no advance. */
  readonly nowMs: number | undefined;
}

/** How an advance waits for the app, in wall time, before it passes a moment at which webhooks were sent. */
export interface AppWaits {
  /** Time for which the app must have made no call. */
  readonly quietMs?: number | undefined;
  /** The longest wait for a call after one that a fault made to fail. */
  readonly retryMs?: number | undefined;
}

/** Reads, sets and advances a namespace's clock. Advances never overlap. */
export class ClockControl {
  readonly #scheduler: Scheduler;
  readonly #activity: AppActivity;
  #lastResume: Promise<void> = Promise.resolve();

  constructor(scheduler: Scheduler, activity: AppActivity) {
    this.#scheduler = scheduler;
    this.#activity = activity;
  }

  get isAdvancing(): boolean {
    return this.#scheduler.advance !== undefined;
  }

  view(): ClockView {
    const { clock, engine } = this.#scheduler;
    const { mode, speed } = clock.setting;
    const { tasks } = engine.state;
    const next = tasks.peek();
    const { advance } = this.#scheduler;
    return {
      mode: mode === "scaled" ? `${speed}x` : mode,
      speed,
      now: iso(clock.nowMs()),
      next_due: next === undefined ? null : iso(Math.max(next.due_ms, clock.nowMs())),
      advancing: advance !== undefined,
      ...(advance === undefined ? {} : { progress: advance.underWay(tasks.inOrder()) }),
    };
  }

  /** Advances to a future `nowMs`, or else runs due tasks. Then applies the setting. */
  async set({ setting, nowMs }: ClockRequest): Promise<Refusal | undefined> {
    const { clock } = this.#scheduler;
    if (nowMs !== undefined && nowMs > clock.nowMs()) {
      const result = await this.advance({ toMs: nowMs }, setting);
      return isRefusal(result) ? result : undefined;
    }
    if (this.isAdvancing) return clockBusy();
    this.#scheduler.runDueTasks();
    const fromMs = clock.nowMs();
    const settingAfter = setting ?? clock.setting;
    // Stores the setting first, so that a failed write leaves the clock unchanged.
    this.#storeSetting(fromMs, settingAfter);
    await this.#scheduler.engine.gate.passed();
    this.#scheduler.resume(fromMs, settingAfter);
    return undefined;
  }

  #storeSetting(nowMs: number, setting: ClockSetting): void {
    const { clock, engine } = this.#scheduler;
    engine.execute(putClock(clock.recordAt(nowMs, setting)), nowMs);
  }

  /**
   * Advances to a later time and runs each due task at its own time. Sandbox time waits for all attempts of an
   * instant.
   *
   * @param settingAfter clock setting from the target on, unless the advance is refused
   */
  async advance(
    target: AdvanceTarget,
    settingAfter: ClockSetting = this.#scheduler.clock.setting,
    waits: AppWaits = {},
  ): Promise<AdvanceProgress | Refusal> {
    if (this.isAdvancing) return clockBusy();
    const scheduler = this.#scheduler;
    const { clock, engine } = scheduler;
    let { setting } = clock;
    // A running clock is read once, so that start and length of the advance are exact.
    const advance = Advance.from(clock.nowMs(), target, clock.isTimeRunning);
    if (isRefusal(advance)) return advance;
    scheduler.beginAdvance(advance);
    let refusal: Refusal | undefined;
    try {
      refusal = await this.#runThrough(advance, waits);
      if (!scheduler.isClosed) {
        const next = refusal === undefined ? settingAfter : setting;
        this.#storeSetting(advance.nowMs, next);
        await engine.gate.passed();
        setting = next;
      }
    } catch (error) {
      advance.rollBack(engine.state.at);
      scheduler.attempts.rollBack(advance.nowMs);
      throw error;
    } finally {
      scheduler.endAdvance(advance, setting);
    }
    return refusal ?? advance.report();
  }

  /** Runs until the target is reached, or until it is known to be unreachable. */
  async #runThrough(advance: Advance, waits: AppWaits): Promise<Refusal | undefined> {
    const scheduler = this.#scheduler;
    let sinceYield = 0;
    for (;;) {
      if (advance.failure !== undefined) throw advance.failure.error;
      const work = scheduler.runBatch(advance.nowMs);
      sinceYield += work;
      if (sinceYield >= WORK_PER_BATCH) {
        sinceYield = 0;
        await scheduler.engine.gate.passed();
        await yieldToEventLoop();
      }
      if (scheduler.isClosed) return undefined;
      const endless = advance.endlessRefusal();
      if (endless !== undefined) return endless;
      if (work > 0) continue;
      if (scheduler.attempts.hasOpenAttempts) {
        advance.isUnsettled = true;
        const stuck = advance.stuckRefusal();
        if (stuck !== undefined) return stuck;
        await scheduler.nextEvent();
        continue;
      }
      if ((waits.quietMs !== undefined || waits.retryMs !== undefined) && advance.isUnsettled) {
        advance.isUnsettled = false;
        await this.#waitForApp(advance, waits);
        continue;
      }
      if (!advance.moveToNext(scheduler.engine.state.tasks.peek())) return undefined;
      scheduler.clock.holdAt(advance.nowMs);
    }
  }

  async #waitForApp(advance: Advance, { quietMs, retryMs }: AppWaits): Promise<void> {
    const isOver = (): boolean => this.#scheduler.isClosed;
    if (quietMs !== undefined) {
      const before = advance.quiet ?? { waits: 0, calls: 0, longest_ms: 0, restless: 0 };
      advance.quiet = await this.#activity.waitUntilQuiet(quietMs, before, isOver);
    }
    if (retryMs !== undefined) {
      const before = advance.retry ?? { calls: 0, longest_ms: 0, in_vain: 0 };
      advance.retry = await this.#activity.waitForRetry(retryMs, before, isOver);
    }
  }

  /** `replace` stores the new state with its clock record; if it throws, the old state and its attempts stay. */
  replaceState(
    replace: (clock: ClockRecord) => void,
    nowMs: number,
    setting: ClockSetting,
  ): Refusal | undefined {
    if (this.isAdvancing) return clockBusy();
    const scheduler = this.#scheduler;
    replace(scheduler.clock.recordAt(nowMs, setting));
    scheduler.attempts.cancelAll();
    scheduler.resume(nowMs, setting);
    scheduler.notifyWaiters();
    return undefined;
  }

  /** Resolves when no advance is under way, or after the wall-clock timeout. */
  async whenIdle(timeoutMs: number): Promise<void> {
    const scheduler = this.#scheduler;
    let isOver = false;
    const cancelTimer = scheduler.wall.after(timeoutMs, () => {
      isOver = true;
      scheduler.notifyWaiters();
    });
    const isBusy = () => this.isAdvancing && !isOver && !scheduler.isClosed;
    do {
      while (isBusy()) await scheduler.nextEvent();
      await this.#resumeNext();
    } while (isBusy());
    cancelTimer();
  }

  /** Resumes callers one at a time, also those of one moment: each may begin an advance that the next one waits for. */
  #resumeNext(): Promise<void> {
    this.#lastResume = this.#lastResume.then(yieldToEventLoop);
    return this.#lastResume;
  }
}

function clockBusy(): Refusal {
  return refuse(
    "CLOCK_BUSY",
    "The clock is being advanced. Try again when it has finished, or pass ?wait=10s.",
  );
}
