// Words for a charge or payout: why it has its status, and what comes next. The control API answers with them.
import { type Actor, isByHand } from "../schema/common.js";
import type { NextStep, Why } from "../schema/control-insight-responses.js";
import { NOTHING_LISTENS } from "../schema/receiver-url.js";
import { formatDuration, readableDuration } from "../schema/time.js";
import { type Attempt, failureText, receiverText } from "./delivery-text.js";
import { type Payment, type ShownReversal, type ShownStatus, shownStatus } from "./shown-status.js";

interface PaymentRecord extends Payment {
  readonly payment_method?: string | null;
  readonly checkout_id?: string;
  readonly status_history: readonly {
    readonly status: string;
    readonly at: string;
    readonly reason?: string | undefined;
  }[];
  readonly actors: readonly Actor[];
  readonly scenario: string | null;
  readonly rule: number | null;
  readonly timeline: readonly { readonly to: string }[];
}

export interface StatusFacts {
  readonly payment: PaymentRecord;
  /** Newest first. */
  readonly reversals: readonly ShownReversal[];
  /** Conditions of the rule that planned it: `customer_email matches declined@*`; empty without any. */
  readonly conditions: string;
  /** Scenarios that the app asked for by name. */
  readonly requested: readonly string[];
  /** True if it has not ended, and no change of it is scheduled. */
  readonly isStuck: boolean;
}

const DOORS: { readonly [Name in Actor]?: string } = {
  control: "over the control API",
  dashboard: "on the dashboard",
  checkout: "in the checkout's sandbox bar",
};

/** Why a payment has its status: the sentence, and who or what caused it. */
export function explainStatus(facts: StatusFacts): Why {
  const { payment, reversals, isStuck } = facts;
  const { actors, scenario, rule } = payment;
  const shown = shownStatus({ ...payment, reversals });
  const recorded = actors.at(-1)!;
  const isReversed = shown.amount !== undefined;
  const actor = isReversed || isByHand(recorded) ? ("control" as const) : recorded;
  const isPlanned = !isReversed && (actor === "scenario" || actor === "api") && scenario !== null;
  const list = payment.charge_id === undefined ? "withdrawals" : "charges";
  return {
    sentence: `${statusSentence(facts, shown, recorded)}${isStuck ? " Nothing more is planned." : ""}`,
    actor,
    scenario: isPlanned ? scenario : null,
    rule: isPlanned && rule !== null ? `${list}.${rule}` : null,
  };
}

function statusSentence(facts: StatusFacts, { was, amount, reason }: ShownStatus, actor: Actor): string {
  const { payment } = facts;
  const { status_history: history, scenario } = payment;
  if (amount !== undefined) return `${amount} returned by hand${quoted(reason)}; it was ${was} before.`;
  const last = history.at(-1)!;
  if (history.length === 1) return `It was just created; ${planText(facts)}.`;
  const late = was === "EXPIRED" ? "Paid late, after it had expired. " : "";
  switch (actor) {
    case "scenario":
      return `${late}Scenario ${scenario}${ruleText(facts)}: ${last.status}${quoted(last.reason)}${requestedText(facts)}.`;
    case "clock":
      return "It expired unpaid.";
    case "customer":
      return `The customer decided on the hosted page${quoted(last.reason)}.`;
    case "api":
      return `A payment method was chosen; ${planText(facts)}${requestedText(facts)}.`;
    default:
      return `${late}By hand ${DOORS[actor]}${quoted(last.reason)}; it was ${history.at(-2)!.status}.`;
  }
}

function quoted(reason: string | undefined): string {
  return reason === undefined ? "" : ` (“${reason}”)`;
}

function ruleText({ payment: { rule, scenario, charge_id }, conditions }: StatusFacts): string {
  if (rule === null) return "";
  const every = `every ${charge_id === undefined ? "withdrawal" : "charge"}`;
  return `, ${conditions || (scenario === "default" ? "the normal course" : every)}`;
}

function planText({ payment, conditions }: StatusFacts): string {
  const { scenario, timeline } = payment;
  if (payment.payment_method === null) return "a scenario plans what follows once a payment method is chosen";
  if (scenario === null) return "no scenario has a rule for it";
  const why = conditions === "" ? "" : ` (${conditions})`;
  return timeline.length === 0
    ? `scenario ${scenario}${why} plans nothing for it`
    : `scenario ${scenario}${why} will bring it to ${timeline.at(-1)!.to}`;
}

/** Says which scenario the app requested, and whether that scenario planned the statuses. */
function requestedText({ payment: { scenario }, requested }: StatusFacts): string {
  if (scenario !== null && requested.includes(scenario)) return "; the app asked for this scenario by name";
  return requested.length === 0
    ? ""
    : `; the app asked for ${requested.join(" and ")}, which plans no status of it`;
}

/** A command to copy, for a namespace of the sandbox. */
export function commandText(words: string, namespace: string): string {
  return `${PROGRAM} ${words}${namespace === "default" ? "" : ` --namespace ${namespace}`}`;
}

/** Beginning of each command that a response or page gives. */
export const PROGRAM = "npx payments-sandbox";

export interface OpenWebhook {
  readonly delivery_id: string;
  readonly url: string | null;
  readonly next_attempt_at: string | null;
  /** The last; undefined for one that is held. */
  readonly attempt: Attempt | undefined;
  readonly holdReason: string | undefined;
}

export interface StepFacts {
  readonly payment: PaymentRecord;
  /** Newest first. */
  readonly failing: readonly OpenWebhook[];
  readonly held: readonly OpenWebhook[];
  readonly hasEnded: boolean;
  /** The next change, of those that are scheduled. */
  readonly due: { readonly to: string; readonly at: string } | undefined;
  /** Verb that moves it on by hand. */
  readonly verb: string | undefined;
  /** Sandbox time, if the clock is stopped. */
  readonly stoppedAtMs: number | undefined;
  readonly commandFor: (words: string) => string;
}

/** The next step of a payment: its own, then that of its webhooks. */
export function nextStepOf(facts: StepFacts): NextStep | null {
  const own = facts.hasEnded ? null : ownStep(facts);
  const webhook = webhookStep(facts);
  if (own === null || webhook === null) return own ?? webhook;
  const sentence = `${own.sentence} ${webhook.sentence}`;
  return { sentence, at: own.at ?? webhook.at, command: own.command ?? webhook.command };
}

/** The app's fault to mend, or the receiver to start. */
function webhookStep({ failing, held, commandFor }: StepFacts): NextStep | null {
  // The app's own error comes before a receiver that does not respond.
  const worst = failing.find(({ attempt }) => attempt!.status !== null) ?? failing[0];
  if (worst !== undefined) {
    const { delivery_id, next_attempt_at } = worst;
    const sentence = `${mendText(worst)}, then retry the webhook.`;
    return { sentence, at: next_attempt_at, command: commandFor(`webhook retry ${delivery_id}`) };
  }
  // A webhook that waits for the one before it needs no one.
  const isWaitedFor = ({ holdReason }: OpenWebhook) => !holdReason!.endsWith("before it");
  const waiting = held.filter(isWaitedFor);
  return waiting.length > 0 ? { sentence: holdSentence(waiting), at: null, command: null } : null;
}

/** The customer's turn, the change that is due, or a move by hand. */
function ownStep({ payment, due, verb, commandFor, stoppedAtMs }: StepFacts): NextStep {
  const id = payment.charge_id ?? payment.withdrawal_id!;
  if (payment.payment_method === null)
    return {
      sentence: `The customer pays on the hosted page /checkout/${payment.checkout_id}.`,
      at: null,
      command: commandFor(`checkout ${id} pay --method card`),
    };
  if (due !== undefined) {
    const waitMs = stoppedAtMs === undefined ? 0 : Date.parse(due.at) - stoppedAtMs;
    const command = waitMs > 0 ? commandFor(`clock advance ${formatDuration(waitMs)}`) : null;
    return { sentence: `It becomes ${due.to}.`, at: due.at, command };
  }
  const noun = payment.charge_id === undefined ? "withdrawal" : "charge";
  const command = verb === undefined ? null : commandFor(`${noun} ${id} ${verb}`);
  return { sentence: "Nothing is scheduled: move it by hand.", at: null, command };
}

/** The sentence of a next step, with the time until it happens by itself. */
export function stepText({ sentence, at }: NextStep, nowMs: number): string {
  const untilMs = Date.parse(at ?? "") - nowMs;
  if (!(untilMs > 0)) return sentence;
  const time = readableDuration(untilMs);
  return sentence.startsWith("It ")
    ? sentence.replace(".", ` in ${time}.`)
    : `${sentence} Next try in ${time}.`;
}

/** How to mend a receiver that failed: `Fix the TypeError at :3000`. */
export function mendText({ url, attempt }: Pick<OpenWebhook, "url" | "attempt">): string {
  const place = receiverPlace(url);
  const { status, error, response_body } = attempt!;
  const failure = failureText(attempt!);
  if (failure === NOTHING_LISTENS) return `Start your app at ${place}`;
  if (error?.startsWith("no answer within")) return `Answer before you do the work at ${place}`;
  const name = /\w{0,60}(Error|Exception)\b/.exec(failure)?.[0];
  const line = CODE_PLACE.exec(response_body ?? "")?.[0];
  const fault = name ?? (status === null ? "failure" : `HTTP ${status}`);
  return `Fix the ${fault} at ${place}${line === undefined ? "" : ` (${line})`}`;
}

/** A file of the receiver's code with its line, as an error or its stack trace names it. */
const CODE_PLACE =
  /(?<![\w./-])[\w./-]+\.(?:[cm]?[jt]sx?|py|rb|php|go|java|kt|cs|rs|exs?)(?::|, line |\()\d+/;

function receiverPlace(url: string | null): string {
  return receiverText(url).replace(/\/.*/, "");
}

/** Why webhooks are held, and the way out. */
export function holdSentence(held: readonly Pick<OpenWebhook, "url" | "holdReason">[]): string {
  const { url, holdReason = "" } = held[0]!;
  if (!holdReason.startsWith(NOTHING_LISTENS)) return `A webhook ${holdReason}.`;
  return `Start your app at ${receiverPlace(url)}; its held webhooks will then be sent.`;
}
