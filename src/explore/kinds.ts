import { formatDuration } from "../schema/duration.js";
import type { ChargeRule, FaultRule, WebhookRule } from "../schema/scenario.js";
import type { AttemptChoice, CallChoice, Choice, EventChoice } from "./choices.js";
import { DEVIATION_KINDS, type Deviation, type DeviationKind } from "./schedule.js";

/** What a deviation comes to in the words of a scenario file. */
export interface Words {
  readonly webhooks?: WebhookRule;
  readonly faults?: FaultRule;
  readonly charges?: ChargeRule;
  /** The answer is held: while the flow waits for it, time has to go on for so long. */
  readonly meanwhile?: string;
  /** The page that is paid is cancelled before: nothing is paid. */
  readonly isCancelled?: boolean;
  /** The flow's first press of the app is done so often at once. */
  readonly presses?: number;
}

/** Whose charges a rule is for: the run's customer, where a glob can tell. */
type Whose = { readonly customer_email?: string };

interface Kind {
  /** What happens, for people. */
  readonly says: string;
  /** What it comes to at that place; undefined where it cannot be. */
  readonly words: (choice: Choice, whose: Whose) => Words | undefined;
  /** What the service does not do: tried last, and told as a note. */
  readonly isNoteOnly?: boolean;
}

const LATE = "10m";
const late = (): WebhookRule => ({ delay: LATE });
const twice = (): WebhookRule => ({ copies: 2 });
const answerLost = (): WebhookRule => ({ lose_answer: true });
const AGAIN_LATER = "1d";
const PAID_AFTER_EXPIRY = "10m";
/** Time goes on for so much longer than the plan needs. */
const MARGIN_MS = 1_000;

type Wrong = Omit<FaultRule, "match" | "times" | "skip" | "per">;

function atCall(choice: CallChoice, whose: Whose, wrong: Wrong): FaultRule {
  const match = { operation: choice.operation, ...(choice.isOwn ? whose : {}) };
  return { match, ...wrong, skip: choice.before, times: 1, per: "request" };
}

function call(wrong: (choice: CallChoice) => Wrong | undefined): Kind["words"] {
  return (choice, whose) => {
    const found = choice.what === "call" ? wrong(choice) : undefined;
    return found === undefined || choice.what !== "call"
      ? undefined
      : { faults: atCall(choice, whose, found) };
  };
}

/** What goes wrong with the first attempt at an event, and what with one that is made again. */
function event(
  wrong: (choice: EventChoice) => WebhookRule | undefined,
  wrongAgain: (choice: AttemptChoice) => WebhookRule | undefined = () => undefined,
): Kind["words"] {
  return (choice, whose) => {
    if (choice.what !== "event" && choice.what !== "attempt") return undefined;
    const found =
      choice.what === "event" ? wrong(choice) : withWhich({ attempt: choice.attempt }, wrongAgain(choice));
    if (found === undefined) return undefined;
    const skip = choice.before === 0 ? {} : { skip: choice.before };
    return { webhooks: { match: { type: choice.type, ...whose }, ...found, ...skip, times: 1 } };
  };
}

function withWhich(which: WebhookRule, rule: WebhookRule | undefined): WebhookRule | undefined {
  return rule && { ...which, ...rule };
}

function afterNext({ nextMs }: AttemptChoice): WebhookRule | undefined {
  return nextMs === undefined ? undefined : { delay: inWholeSeconds(nextMs + MARGIN_MS) };
}

function inWholeSeconds(ms: number): string {
  return formatDuration(Math.ceil(ms / 1_000) * 1_000);
}

/** While the answer is held, time goes on until what is planned for the charge has happened. */
function heldAt(
  choice: CallChoice | undefined,
  whose: Whose,
  hold: NonNullable<FaultRule["hold"]>,
): Words | undefined {
  if (choice?.planMs === undefined) return undefined;
  return { faults: atCall(choice, whose, { hold }), meanwhile: inWholeSeconds(choice.planMs + MARGIN_MS) };
}

/** Every kind of deviation: what it says, where it can be, and the words it is written in. */
export const KINDS: Readonly<Record<DeviationKind, Kind>> = {
  request_lost: {
    says: "the request is lost on its way: nothing is done",
    words: call(() => ({ drop: "before" })),
  },
  answer_lost: {
    says: "it is done, and its response is lost",
    words: call(({ isRead }) => (isRead ? undefined : { drop: "after" })),
  },
  answer_held: {
    says: "it is done, and all its webhooks arrive before the response",
    words: (choice, whose) => (choice.what === "call" ? heldAt(choice, whose, "idle") : undefined),
  },
  answer_5xx: {
    says: "the service has an error of its own: nothing is done",
    words: call(() => ({ respond: { status: 503, headers: { "retry-after": "0" } } })),
  },
  answer_429: {
    says: "the service has had too many calls: nothing is done",
    words: call(() => ({ respond: { status: 429, headers: { "retry-after": "0" } } })),
  },
  read_stale: {
    says: "the read returns the state before the last change",
    words: call(({ readsChanged }) => (readsChanged ? { stale: "last_change" } : undefined)),
  },
  webhook_late: { says: `the webhook arrives ${LATE} late`, words: event(late, late) },
  webhook_after_next: {
    says: "the webhook arrives after the next one",
    words: event(({ isLast }) => (isLast ? undefined : { swap: true }), afterNext),
  },
  webhook_twice: { says: "the webhook arrives twice in a row", words: event(twice, twice) },
  webhook_twice_at_once: {
    says: "the webhook arrives twice at the same moment",
    words: event(() => ({ copies: 2, at_once: true })),
  },
  webhook_again_later: {
    says: `the webhook arrives once more, ${AGAIN_LATER} later`,
    words: event(() => ({ again_after: AGAIN_LATER })),
  },
  webhook_answer_lost: {
    says: "the app's response to the webhook is lost: it arrives again",
    words: event(answerLost, answerLost),
  },
  webhook_first: {
    says: "the first webhook arrives before the response to the call that created the charge",
    words: (choice, whose) =>
      choice.what === "event" ? heldAt(choice.firstAfter, whose, "webhook") : undefined,
  },
  paid_late: {
    says: "the customer pays when the charge has expired",
    words: (choice, whose) =>
      choice.what === "pays"
        ? {
            charges: {
              match: whose,
              timeline: [
                { after: "1s", to: "AWAITING_PAYMENT" },
                { after_expiry: PAID_AFTER_EXPIRY, to: "COMPLETED" },
              ],
            },
          }
        : undefined,
  },
  cancelled_then_paid: {
    says: "the customer cancels the page in one tab and pays it in another, which is too late",
    words: ({ what }) => (what === "pays_on_page" ? { isCancelled: true } : undefined),
  },
  pressed_twice: {
    says: "the customer presses twice",
    words: ({ what }) => (what === "presses" ? { presses: 2 } : undefined),
  },
  webhook_dropped: {
    says: "the webhook never arrives, which the service does not do",
    words: event(() => ({ drop: true })),
    isNoteOnly: true,
  },
};

/** How often what happens twice at once does in a file that is kept: a race is not lost every time. */
const OFTEN = 10;

/** Whether it is decided by who comes first. */
export function isRace({ kind }: Deviation): boolean {
  return kind === "webhook_twice_at_once" || kind === "pressed_twice";
}

/** The same, so that a race is lost each time, on whatever machine. */
export function surely(words: Words): Words {
  const { webhooks, presses } = words;
  return {
    ...words,
    ...(webhooks?.at_once === true ? { webhooks: { ...webhooks, copies: OFTEN } } : {}),
    ...(presses === undefined ? {} : { presses: OFTEN }),
  };
}

/** What can go otherwise at a place, in the order it is tried. */
export function deviationsAt(choice: Choice): Deviation[] {
  return DEVIATION_KINDS.filter((kind) => KINDS[kind].words(choice, {}) !== undefined).map((kind) => ({
    kind,
    at: choice.at,
  }));
}
