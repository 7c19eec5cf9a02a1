// Effects that hold or race: each decides when one thing happens before, after or as another one.
import { formatDuration } from "../../core/schema/time.js";
import type { Place, PlaceOfCall } from "./places.js";
import type { RunPlan } from "./run-plan.js";
import type { CallChange, JobMoment, RaceSide } from "./run-record.js";

export interface Effect {
  readonly applyTo: (plan: RunPlan) => unknown;
  readonly call?: PlaceOfCall;
  /** A response is held back while sandbox time advances, or until the app is killed. */
  readonly isHolding?: true;
  /** The deviation affects every customer, or holds a response, so its runs are not concurrent with others. */
  readonly isShared?: true;
  /** The variants in which a set with the deviation is run, such as the sides of a race. Default: `first`. */
  readonly sides?: readonly RaceSide[];
  /** The deviation decides whether, how or by whom charges are paid. A set has one such deviation. */
  readonly isEnd?: true;
}

/** Sandbox time by which an advance or a delay ends after the next event. */
export const MARGIN_MS = 1_000;

/** Maximum wall time of a held read. The hold must end even if the app handles no webhook during a read. */
export const READ_HELD_MS = 150;
/** `delay_answer` keeps the read open a little longer, for an app that responds to a webhook before handling it. */
const READ_HELD = { hold: "webhook", at_most: `${READ_HELD_MS}ms`, delay_answer: "30ms" } as const;

export function holdingRead(place: PlaceOfCall): Effect | undefined {
  const { nextEventMs } = place;
  if (!place.isRead || nextEventMs === undefined) return undefined;
  if (nextEventMs === 0) return { call: place, applyTo: (plan) => plan.deviateCall(place, READ_HELD) };
  return {
    call: place,
    isHolding: true,
    applyTo: (plan) => {
      plan.deviateCall(place, READ_HELD);
      plan.timeAdvance = { by: formatWholeSeconds(nextEventMs + MARGIN_MS), call: place };
    },
  };
}

/** An operation that creates no charge, so `holding` waits for the call before sandbox time advances. */
const PAYOUT = "createWithdrawal";

/** Maximum wall time of a held response: an app with a lock handles no webhook before it has the response. */
const HELD_MAX = "5s";

/** Holds the response while sandbox time advances past the last change of the charge or withdrawal. */
export function holding(place: PlaceOfCall | undefined, hold: CallChange["hold"]): Effect | undefined {
  if (place?.timelineMs === undefined) return undefined;
  const ms = place.timelineMs + MARGIN_MS;
  return {
    call: place,
    isHolding: true,
    applyTo: (plan) => {
      plan.deviateCall(place, { hold, at_most: HELD_MAX });
      const call = place.operation === PAYOUT ? place : undefined;
      plan.timeAdvance = { by: formatWholeSeconds(ms), call };
    },
  };
}

/** The variants of the same thing at the same moment, with nothing held. */
const SAME_AT_ONCE = ["together", "crowd"] as const;

/** The variants of two things of which each can happen first. */
export const TWO_SIDES = ["first", "second"] as const;

/** Sends a webhook twice at once, and holds the first handler's read until the app has responded to the other. */
export function sendingTwiceAtOnce(place: Place): Effect | undefined {
  if (place.what !== "event") return undefined;
  const { handlerRead } = place;
  return {
    sides: handlerRead === undefined ? SAME_AT_ONCE : ["first", ...SAME_AT_ONCE],
    applyTo: (plan) => {
      plan.deviateWebhook(place, { copies: plan.variant.side === "crowd" ? 4 : 2, at_once: true });
      if (handlerRead !== undefined) plan.holdInRace(handlerRead);
    },
  };
}

/** Maximum wall time of a response that is held until the app is killed. */
const KILL_HELD = "30s";

/** Kills the app before it has the response, or while it handles the webhook (side `first`) and just after. */
export function killingApp(place: Place): Effect | undefined {
  if (place.what !== "call" && place.what !== "event") return undefined;
  const isCall = place.what === "call";
  return {
    ...(isCall ? { call: place } : { sides: TWO_SIDES }),
    isHolding: true,
    isShared: true,
    applyTo: (plan) => {
      if (isCall) plan.deviateCall(place, { hold: KILL_HELD });
      plan.killApp(place);
    },
  };
}

export function pressingTwice(place: Place): Effect | undefined {
  if (place.what !== "presses") return undefined;
  const { press, holds } = place;
  const sides: RaceSide[] = [...TWO_SIDES, ...(holds > 1 ? ["early" as const] : []), "together"];
  return { isShared: true, sides, applyTo: (plan) => plan.pressedTwice.add(press) };
}

export function runningJob(moment: JobMoment | undefined): Effect | undefined {
  if (moment === undefined) return undefined;
  const concurrent = "concurrent" in moment ? moment.concurrent : undefined;
  // Two runs of the same work have one side.
  const isTwice = "isTwice" in moment;
  const hasTwo = concurrent?.isReadByHandler === true && !isTwice;
  const held = hasTwo ? TWO_SIDES : TWO_SIDES.slice(0, 1);
  // Concurrent runs share the work between two steps, but not work that takes the place of a step.
  const isShared = "page" in moment || concurrent !== undefined ? { isShared: true as const } : {};
  const unheld = isTwice ? SAME_AT_ONCE : SAME_AT_ONCE.slice(0, 1);
  const sides = concurrent === undefined ? {} : { sides: [...held, ...unheld] };
  return { ...isShared, ...sides, applyTo: (plan) => plan.runJob(moment) };
}

/** Runs the app's scheduled work twice: where the flow does it, or when a payment has ended and its webhook has not come. */
export function doublingJob(place: Place): Effect | undefined {
  if (place.what === "works")
    return {
      isShared: true,
      sides: ["first", ...SAME_AT_ONCE],
      applyTo: (plan) => plan.doubledJobs.add(place.step),
    };
  const moment = "jobAtOnce" in place ? place.jobAtOnce : undefined;
  return moment && runningJob({ ...moment, isTwice: true });
}

export function formatWholeSeconds(ms: number): string {
  return formatDuration(Math.ceil(ms / 1_000) * 1_000);
}
