import { advanceAndReport } from "../../core/namespace/advance-summary.js";
import { advanceRequestSchema, clockRequestSchema } from "../../core/schema/control-requests.js";
import {
  type ClockSetting,
  parseClockSetting,
  runningClockSetting,
} from "../../core/schema/option-schemas.js";
import { refuseInvalid } from "../../core/schema/refusals.js";
import { durationToMs, iso, parseInstant } from "../../core/schema/time.js";
import type { AdvanceTarget } from "../../core/time/advance-state.js";
import { defineControlOperation } from "./control-operation.js";

function earlierMessage(nowMs: number): string {
  return `must not be earlier than the time it is: ${iso(nowMs)}`;
}

export const CLOCK_OPERATIONS = [
  defineControlOperation({
    id: "getClock",
    call: "GET /_sandbox/clock",
    summary: "Get the clock",
    description: "The current time, the clock's mode and speed, and when the next task is due.",
    output: "Clock",
    run: ({ namespace }) => namespace.clock.view(),
  }),
  defineControlOperation({
    id: "setClock",
    call: "PUT /_sandbox/clock",
    summary: "Set the clock",
    description:
      "Sets the mode (`real`, `manual` or `60x`) or speed of the clock, or jumps ahead. Tasks that fall due on the way run.",
    input: clockRequestSchema,
    canWaitForClock: true,
    output: "Clock",
    example: { mode: "manual" },
    run: async ({ namespace, input: { mode, speed, now } }) => {
      const nowMs = now === undefined ? undefined : parseInstant(now);
      if (nowMs !== undefined && nowMs < namespace.nowMs())
        return refuseInvalid({ now: earlierMessage(namespace.nowMs()) });
      const refusal = await namespace.clock.set({ setting: settingOf(mode, speed), nowMs });
      return refusal ?? namespace.clock.view();
    },
  }),
  defineControlOperation({
    id: "advanceClock",
    call: "POST /_sandbox/clock/advance",
    summary: "Advance the clock",
    description:
      "Jumps ahead and runs every task that falls due, in order: attempts started at an instant finish before time moves past it. Returns when it is done. Deliveries to mailboxes are not waited for.",
    input: advanceRequestSchema,
    canWaitForClock: true,
    output: "AdvanceReport",
    example: { until: "next" },
    run: ({ namespace, input: { by, to, until, quiet, retry } }) => {
      const [quietMs, retryMs] = [quiet, retry].map((wait) =>
        wait === undefined ? wait : durationToMs(wait),
      );
      const advance = (target: AdvanceTarget) => advanceAndReport(namespace, target, { quietMs, retryMs });
      if (until !== undefined) return advance({ until });
      if (by !== undefined) return advance({ byMs: durationToMs(by) });
      const toMs = parseInstant(to!)!;
      const nowMs = namespace.nowMs();
      return toMs < nowMs ? refuseInvalid({ to: earlierMessage(nowMs) }) : advance({ toMs });
    },
  }),
];

/** A speed without a mode makes the clock run. */
function settingOf(mode: string | undefined, speed: number | undefined): ClockSetting | undefined {
  if (mode === "manual") return parseClockSetting(mode);
  if (speed !== undefined) return runningClockSetting(speed);
  return mode === undefined ? undefined : parseClockSetting(mode);
}
