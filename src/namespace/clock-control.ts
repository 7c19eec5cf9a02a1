import type { Runner } from "../delivery/runner.js";
import type { Engine } from "../engine/engine.js";
import { isRefusal, type Refusal } from "../schema/errors.js";
import type { ClockSetting } from "../schema/options.js";
import { iso } from "../schema/time.js";
import type { AdvanceReport, AdvanceTarget } from "../time/advance.js";
import type { Clock } from "../time/clock.js";

/** A namespace's clock as callers see it (contract section 4: clock). */
export interface ClockView {
  readonly mode: string;
  readonly speed: number;
  readonly now: string;
  readonly next_due: string | null;
  readonly advancing: boolean;
}

export interface ClockRequest {
  readonly setting: ClockSetting | undefined;
  /** Leap to this time first. */
  readonly nowMs: number | undefined;
}

/** A namespace's clock, to be read, set and moved from outside. */
export class ClockControl {
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #runner: Runner;

  constructor(engine: Engine, clock: Clock, runner: Runner) {
    this.#engine = engine;
    this.#clock = clock;
    this.#runner = runner;
  }

  view(): ClockView {
    const { mode, speed } = this.#clock.setting;
    const next = this.#engine.nextTask();
    return {
      mode: mode === "scaled" ? `${speed}x` : mode,
      speed,
      now: iso(this.#clock.nowMs()),
      next_due: next === undefined ? null : iso(Math.max(next.due_ms, this.#clock.nowMs())),
      advancing: this.#runner.isAdvancing,
    };
  }

  async set({ setting, nowMs }: ClockRequest): Promise<Refusal | undefined> {
    if (nowMs !== undefined && nowMs > this.#clock.nowMs()) {
      const result = await this.#runner.advance({ toMs: nowMs }, setting);
      return isRefusal(result) ? result : undefined;
    }
    return this.#runner.setClock(setting ?? this.#clock.setting);
  }

  advance(target: AdvanceTarget): Promise<AdvanceReport | Refusal> {
    return this.#runner.advance(target);
  }

  /** Resolves when no advance is under way, or when so much wall time has passed. */
  idle(timeoutMs: number): Promise<void> {
    return this.#runner.untilIdle(timeoutMs);
  }
}
