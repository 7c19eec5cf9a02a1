import type { ClockRecord } from "../engine/records.js";
import type { ClockSetting } from "../schema/option-schemas.js";
import { MAX_INSTANT_MS } from "../schema/time.js";
import type { WallClock } from "./wall-clock.js";

/** Setting the wall clock back by less than this is an NTP correction and is not reported. */
const MIN_REPORTED_SET_BACK_MS = 1_000;

/**
 * Sandbox time. A running clock follows wall time, at the speed of the setting; a manual clock stands still. During an
 * advance, the clock shows the instant that the advance has reached. Only `set` moves sandbox time back.
 */
export class Clock {
  readonly #wall: WallClock;
  readonly #onSetBack: (byMs: number) => void;
  #setting: ClockSetting;
  #anchorMs: number;
  #anchorWallMs: number;
  #heldMs: number | undefined;
  #lastMs: number;
  /** Last readings of the wall clock and the monotonic clock. */
  #lastWallMs: number;
  #lastElapsedMs: number;

  /** @param onSetBack called when the wall clock was set back by a second or more */
  constructor(
    wall: WallClock,
    setting: ClockSetting,
    nowMs: number,
    onSetBack: (byMs: number) => void = () => {},
  ) {
    this.#wall = wall;
    this.#onSetBack = onSetBack;
    this.#setting = setting;
    this.#anchorMs = nowMs;
    this.#anchorWallMs = wall.nowMs();
    this.#lastWallMs = this.#anchorWallMs;
    this.#lastElapsedMs = wall.monotonicMs();
    this.#lastMs = nowMs;
  }

  get setting(): ClockSetting {
    return this.#setting;
  }

  get isTimeRunning(): boolean {
    return this.#setting.mode !== "manual";
  }

  nowMs(): number {
    if (this.#heldMs !== undefined) return this.#heldMs;
    if (!this.isTimeRunning) return this.#anchorMs;
    const passedMs = (this.#readWall() - this.#anchorWallMs) * this.#setting.speed;
    const nowMs = Math.min(Math.floor(this.#anchorMs + passedMs), MAX_INSTANT_MS);
    if (nowMs > this.#lastMs) this.#lastMs = nowMs;
    return this.#lastMs;
  }

  /** Reads the wall clock. Once the wall clock is set back, sandbox time continues by monotonic time. */
  #readWall(): number {
    const wallMs = this.#wall.nowMs();
    const elapsedMs = this.#wall.monotonicMs();
    const setBackMs = this.#lastWallMs - wallMs;
    if (setBackMs > 0) {
      this.#anchorWallMs -= setBackMs + elapsedMs - this.#lastElapsedMs;
      if (setBackMs >= MIN_REPORTED_SET_BACK_MS) this.#onSetBack(setBackMs);
    }
    this.#lastWallMs = wallMs;
    this.#lastElapsedMs = elapsedMs;
    return wallMs;
  }

  /** Wall milliseconds until sandbox time is `atMs`, on a clock that runs. */
  wallDelayMs(atMs: number): number {
    return (atMs - this.nowMs()) / this.#setting.speed;
  }

  set(nowMs: number, setting: ClockSetting): void {
    this.#setting = setting;
    this.#anchorMs = nowMs;
    this.#anchorWallMs = this.#readWall();
    this.#lastMs = nowMs;
    this.#heldMs = undefined;
  }

  /** Fixes time at an instant of an advance until `set` is called. */
  holdAt(momentMs: number): void {
    this.#heldMs = momentMs;
  }

  record(): ClockRecord {
    return this.recordAt(this.nowMs(), this.#setting);
  }

  /** Returns the record that the clock would have after `set` with these arguments. */
  recordAt(nowMs: number, setting: ClockSetting): ClockRecord {
    return { ...setting, sandbox_ms: nowMs, wall_ms: this.#wall.nowMs() };
  }

  /** Restores the clock of an earlier run. A manual clock keeps its time; other clocks add the time since that run. */
  static resume(
    wall: WallClock,
    record: ClockRecord,
    lastChangeMs: number,
    onSetBack?: (byMs: number) => void,
  ): Clock {
    const { mode, speed } = record;
    const passedMs = mode === "manual" ? 0 : Math.max(0, wall.nowMs() - record.wall_ms) * speed;
    const nowMs = Math.min(Math.max(record.sandbox_ms + Math.floor(passedMs), lastChangeMs), MAX_INSTANT_MS);
    return new Clock(wall, { mode, speed }, nowMs, onSetBack);
  }
}
