import { DEVIATION_KINDS } from "../../core/schema/explore-limits.js";
import type { ChargeRule } from "../../core/schema/scenario-rules.js";
import type { Deviation, DeviationKind } from "./deviation-set.js";
import {
  doublingJob,
  type Effect,
  formatWholeSeconds,
  holding,
  holdingRead,
  killingApp,
  MARGIN_MS,
  pressingTwice,
  runningJob,
  sendingTwiceAtOnce,
  TWO_SIDES,
} from "./effects.js";
import type { Place, PlaceOfCall, PlaceOfEvent } from "./places.js";
import type { RunPlan } from "./run-plan.js";
import type { CallChange, ObservedCharge, PaymentEnd, WebhookChange } from "./run-record.js";

interface Kind {
  /** The effect in one line, for reports. */
  readonly description: string;
  /** The effect at a place; undefined where the kind does not apply. */
  readonly effectAt: (place: Place) => Effect | undefined;
  /** Group of kinds that may have the same effect on an app: a `refused` call, or a `repeated` webhook. */
  readonly likeness?: "refused" | "repeated";
  /** Runs the app's scheduled work. Reads that the work makes do not count as changed behaviour. */
  readonly isJob?: true;
  /** Kills the app, which a saved file cannot. */
  readonly killsApp?: true;
  /** Why only `failOn` turns the kind on. */
  readonly untriedBecause?: string;
  /** The service never causes this deviation, or the app may mean what it does. The kind is tried last, as a note. */
  readonly isNoteOnly?: true;
  /** A run of a kind with `isNoteOnly` that loses money is a finding. */
  readonly failsOnLoss?: true;
}

const LATE_BY = "10m";
const NO_AMOUNT_PAID = "the service reports no amount paid";
const RESENT_AFTER = "1d";
/** The scheduled work, which may give an unpaid order up, runs hourly after the flow. */
const DEADLINE_MARGIN_MS = 2 * 3_600_000;

function atCall(effectOf: (place: PlaceOfCall) => Effect | undefined): Kind["effectAt"] {
  return (place) => (place.what === "call" ? effectOf(place) : undefined);
}

function onCall(changeOf: (place: PlaceOfCall) => CallChange | undefined): Kind["effectAt"] {
  return atCall((place) => {
    const change = changeOf(place);
    return change && { call: place, applyTo: (plan) => plan.deviateCall(place, change) };
  });
}

/** @param partChangeOf the change to a retry, or to the first attempt at one endpoint of several */
function onEvent(
  changeOf: (place: PlaceOfEvent) => WebhookChange | undefined,
  partChangeOf: (place: PlaceOfEvent) => WebhookChange | undefined = () => undefined,
): Kind["effectAt"] {
  return (place) => {
    if (place.what !== "event" && place.what !== "attempt" && place.what !== "endpoint") return undefined;
    const change = place.what === "event" ? changeOf(place) : partChangeOf(place);
    return change && { applyTo: (plan) => plan.deviateWebhook(place, change) };
  };
}

/** Applies the same change to the first attempt, at all endpoints or at one of them, and to retries. */
function onAttempt(change: WebhookChange): Kind["effectAt"] {
  return onEvent(
    () => change,
    () => change,
  );
}

type PlaceOf<What extends Place["what"]> = Extract<Place, { readonly what: What }>;

/** @param more what else the effect is; `when`: the places at which it is one */
function at<What extends Place["what"]>(
  what: What,
  applyTo: (plan: RunPlan, place: PlaceOf<What>) => unknown,
  more: Omit<Effect, "applyTo"> & { readonly when?: (place: PlaceOf<What>) => boolean } = {},
): Kind["effectAt"] {
  const { when = () => true, ...effect } = more;
  const isHere = (place: Place): place is PlaceOf<What> => place.what === what;
  return (place) =>
    isHere(place) && when(place) ? { ...effect, applyTo: (plan) => applyTo(plan, place) } : undefined;
}

/** The customer can also pay later, or not at all. */
const IF_FREE = { isEnd: true, when: ({ canWait }: { readonly canWait: boolean }) => canWait } as const;

function payingWrongMoney(paidOf: (charge: ObservedCharge) => ChargeRule["paid"]): Kind["effectAt"] {
  return at("pays", (plan, { charge }) => plan.payWrongMoney(paidOf(charge), charge.timeline), {
    isEnd: true,
  });
}

/** Ends the payment otherwise, after the same steps of the customer. */
function endingAs(end: PaymentEnd): Kind["effectAt"] {
  return at("pays", (plan, { charge }) => plan.endPayment(end, charge), IF_FREE);
}

/** More than a page of a list has by default. */
const MANY_STRANGERS = 60;

const SETTLED_AFTER = "3d";

function atOnce(entry: ChargeRule["timeline"][number]): ChargeRule["timeline"][number] {
  return "after" in entry ? { ...entry, after: "0s" } : entry;
}

/** Gives the charge a rule of its own; undefined if none applies. */
function rulingCharge(
  ruleOf: (charge: ObservedCharge) => Omit<ChargeRule, "match"> | undefined,
): Kind["effectAt"] {
  return (place) => {
    const rule = place.what === "pays" && place.canWait ? ruleOf(place.charge) : undefined;
    return rule && { isEnd: true, applyTo: (plan) => plan.ruleCharge(rule) };
  };
}

function varyingFlow(kind: DeviationKind): Kind["effectAt"] {
  const vary = (plan: RunPlan, { variant }: PlaceOf<"variant">) => {
    plan.flowVariant = variant;
  };
  return at("variant", vary, { isShared: true, isEnd: true, when: ({ variant }) => variant.kind === kind });
}

export const DEVIATION_KIND_DEFINITIONS: Readonly<Record<DeviationKind, Kind>> = {
  request_lost: {
    description: "the request is lost on its way: nothing is done",
    effectAt: onCall(() => ({ drop: "before" })),
    likeness: "refused",
  },
  response_lost: {
    description: "it is done, and its response is lost",
    effectAt: onCall(({ isRead }) => (isRead ? undefined : { drop: "after" })),
  },
  response_held: {
    description: "it is done, and all its webhooks arrive before the response",
    effectAt: atCall((place) => holding(place, "idle")),
  },
  response_5xx: {
    description: "the service has an error of its own: nothing is done",
    effectAt: onCall(() => ({ respond: { status: 503, headers: { "retry-after": "0" } } })),
    likeness: "refused",
  },
  response_429: {
    description: "the service has had too many calls: nothing is done",
    effectAt: onCall(() => ({ respond: { status: 429, headers: { "retry-after": "0" } } })),
    likeness: "refused",
  },
  read_stale: {
    description: "the read returns the state before the last change",
    effectAt: onCall(({ hasChangedStatus }) => (hasChangedStatus ? { stale: "last_change" } : undefined)),
  },
  read_held: {
    description: "the read stays open until the app has responded to the next webhook",
    effectAt: atCall(holdingRead),
  },
  paid_between_pages: {
    description: `a stranger pays between two pages of a list that the app reads, or ${MANY_STRANGERS} before a list of which it reads one page`,
    effectAt: at(
      "call",
      (plan, { list, earlierCount }) => {
        const areBetween = list!.hasFurtherPage;
        plan.strangers = { earlierCount, strangers: areBetween ? 1 : MANY_STRANGERS, areBetween };
      },
      { isShared: true, isEnd: true, when: ({ list }) => list !== undefined },
    ),
  },
  webhook_late: {
    description: `the webhook arrives ${LATE_BY} late`,
    effectAt: onAttempt({ delay: LATE_BY }),
  },
  webhook_after_deadline: {
    description: "the webhook of a payment in time arrives after the charge's deadline and the app's",
    effectAt: onEvent(({ deadlineMs }) =>
      deadlineMs === undefined ? undefined : { delay: formatWholeSeconds(deadlineMs + DEADLINE_MARGIN_MS) },
    ),
  },
  webhook_after_next: {
    description: "the webhook arrives after the next one",
    effectAt: onEvent(
      ({ isLast }) => (isLast ? undefined : { swap: true }),
      ({ nextMs }) => (nextMs === undefined ? undefined : { delay: formatWholeSeconds(nextMs + MARGIN_MS) }),
    ),
  },
  webhook_twice: {
    description: "the webhook arrives twice in a row",
    effectAt: onAttempt({ copies: 2 }),
    likeness: "repeated",
  },
  webhook_twice_at_once: {
    description: "the webhook arrives twice at the same moment",
    effectAt: sendingTwiceAtOnce,
  },
  webhook_again_later: {
    description: `the webhook arrives once more, ${RESENT_AFTER} later`,
    effectAt: onEvent(() => ({ again_after: RESENT_AFTER })),
  },
  webhook_response_lost: {
    description: "the app's response to the webhook is lost: it arrives again",
    effectAt: onAttempt({ response_lost: true }),
    likeness: "repeated",
  },
  webhook_first: {
    description: "the first webhook arrives before the response to the call that created the charge",
    effectAt: (place) => (place.what === "event" ? holding(place.creatingCall, "webhook") : undefined),
  },
  paid_late: {
    description: "the customer pays when the charge has expired",
    effectAt: at(
      "pays",
      (plan, { charge, expirySinceMs }) => plan.payLate(expirySinceMs, charge.expiresMs - charge.createdMs),
      IF_FREE,
    ),
  },
  cancelled_then_paid: {
    description: "the customer cancels the page in one tab and pays it in another, which is too late",
    effectAt: at(
      "pays_on_page",
      (plan, { page }) => {
        plan.cancelledPage = page;
      },
      IF_FREE,
    ),
  },
  declined: { description: "the payment is declined", effectAt: endingAs("declined") },
  expired_unpaid: {
    description: "the customer never pays, and the charge expires",
    effectAt: endingAs("expired"),
  },
  returned_unpaid: {
    description:
      "the customer opens success_url without having paid, before and after the payment has failed",
    effectAt: at("pays_on_page", (plan, { page }) => plan.returnUnpaid(page), {
      sides: TWO_SIDES,
      isEnd: true,
      when: ({ canWait, canReturn }) => canWait && canReturn,
    }),
  },
  refunded: { description: "the whole payment is refunded after the flow", effectAt: endingAs("refunded") },
  partly_refunded: {
    description: "half of the payment is refunded after the flow",
    effectAt: endingAs("partly_refunded"),
  },
  settled_late: {
    description: `the payment is settled ${SETTLED_AFTER} later`,
    effectAt: rulingCharge(({ timeline }) => ({ timeline, settles_after: SETTLED_AFTER })),
  },
  events_at_once: {
    description: "everything happens to the payment at one instant",
    effectAt: rulingCharge(({ timeline }) =>
      timeline.length > 1
        ? { timeline: timeline.map((entry, index) => (index === 0 ? entry : atOnce(entry))) }
        : undefined,
    ),
  },
  pressed_twice: { description: "the customer presses twice", effectAt: pressingTwice },
  pressed_again: {
    description: "the customer presses once more after the response",
    effectAt: at("presses", (plan, { press }) => plan.pressedAgain.add(press)),
  },
  job_meanwhile: {
    description: "the app's scheduled work runs while the payment is pending",
    effectAt: (place) => runningJob("jobBeforeNext" in place ? place.jobBeforeNext : undefined),
    isJob: true,
  },
  job_at_once: {
    description:
      "the app's scheduled work runs at the same moment as the payment ends or its webhook arrives",
    effectAt: (place) => runningJob("jobAtOnce" in place ? place.jobAtOnce : undefined),
    isJob: true,
  },
  job_twice: {
    description: "the app's scheduled work runs twice at the same moment",
    effectAt: doublingJob,
    isJob: true,
  },
  meanwhile: {
    description: "others act while the payment is under way, or at the end",
    effectAt: at(
      "others",
      (plan, { step, after }) => {
        plan.others = { step, after };
      },
      { isShared: true },
    ),
  },
  app_killed: {
    description:
      "the app is killed and started again: before it has the response, while it handles the webhook, or just after",
    effectAt: killingApp,
    killsApp: true,
  },
  underpaid: {
    description: "the customer pays half of the amount",
    effectAt: payingWrongMoney(() => ({ factor: 0.5 })),
    untriedBecause: NO_AMOUNT_PAID,
  },
  overpaid: {
    description: "the customer pays twice the amount",
    effectAt: payingWrongMoney(() => ({ factor: 2 })),
    untriedBecause: NO_AMOUNT_PAID,
  },
  paid_in_other_currency: {
    description: "the customer pays the same number in another currency",
    effectAt: payingWrongMoney(({ currency }) => ({ currency: currency === "UGX" ? "KES" : "UGX" })),
    untriedBecause: NO_AMOUNT_PAID,
  },
  webhook_forged: {
    description: "a forged webhook says that the charge is paid, and the customer never pays",
    effectAt: at(
      "pays",
      (plan, { charge }) => {
        plan.endPayment("expired", charge);
        plan.deviateWebhook({ type: "charge.*", earlierCount: 0 }, { forged: true });
      },
      IF_FREE,
    ),
    untriedBecause: "check-webhook sends forgeries",
  },
  webhook_dropped: {
    description: "the webhook never arrives, on no attempt",
    effectAt: onEvent(() => ({ drop: true })),
    isNoteOnly: true,
  },
  foreign_charge: {
    description: "a charge of another shop with the same metadata is paid, and the customer's is not",
    effectAt: at(
      "pays",
      (plan, { charge }) => {
        plan.endPayment("expired", charge);
        plan.foreignCharge = charge;
      },
      { ...IF_FREE, isShared: true },
    ),
    isNoteOnly: true,
  },
  awkward_value: {
    description:
      "the customer gives a name in another script, an e-mail in upper case, the amount 19.99, or a list of 21",
    effectAt: varyingFlow("awkward_value"),
    isNoteOnly: true,
    failsOnLoss: true,
  },
  tried_again: {
    description: "the customer orders and pays again after a payment that failed",
    effectAt: varyingFlow("tried_again"),
    isNoteOnly: true,
    failsOnLoss: true,
  },
};

export function deviationsAt(place: Place): Deviation[] {
  const kinds = DEVIATION_KINDS.filter(
    (kind) => DEVIATION_KIND_DEFINITIONS[kind].effectAt(place) !== undefined,
  );
  return kinds.map((kind) => ({ kind, at: place.at }));
}
