import { RULE_KINDS } from "../../../core/domain/rule-matching.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import { stepKindsOf } from "../../scenario/step-faults.js";
import { STEPS } from "../../scenario/steps/step-kinds.js";
import type { Deviable } from "../deviable.js";
import { countCompletedPayments, refusalsOf } from "../judge.js";
import type { ObservedCall, ObservedPayment, ObservedRun } from "../run-record.js";
import type { Baseline, FreeField, LoadedRun, OrderPayments, PageOfFlow, RunVariables } from "./facts.js";
import { type Flow, findJobs, findPresses, hasKnownTimes, longestAdvanceMs, lookOracle } from "./flow.js";
import { FreeFields } from "./free-fields.js";
import { chargesOf, chargesShownBy, hasBeenPaid, sumsOf } from "./money.js";
import { choiceOf, findPages, mustPayReason, paymentLike } from "./payment-steps.js";
import { filledText, savedVariable, statusName, textOf, viewVariableName } from "./saved-variable.js";
import type { ObservedViews } from "./seen-views.js";
import { commonPart, RUN_ID, withLists, withoutRun } from "./views.js";

/** @param baseline absent before the plain runs */
export function customerOf(flow: Flow, baseline?: Baseline): Deviable["customer"] {
  const hasWork = flow.scheduledWork.length > 0;
  return {
    presses: findPresses(flow).map(({ app }) => String(app)),
    jobs: findJobs(flow).map(({ app }) => String(app)),
    pages: findPages(flow).length,
    mustPayReason: mustPayReason(flow),
    longestAdvanceMs: longestAdvanceMs(flow),
    hasJob: hasWork && hasKnownTimes(flow),
    ...(hasWork ? { jobReason: "a step moves time by an unknown duration" } : {}),
    ...(baseline === undefined ? {} : learnedCustomer(flow, baseline)),
  };
}

function learnedCustomer(flow: Flow, baseline: Baseline): Partial<Deviable["customer"]> {
  const { pages, pressMatches } = baseline;
  return {
    canReturn: pages.every(({ returnPath }) => returnPath),
    pressHolds: pressMatches.map((matches) => Object.keys(matches ?? {}).length),
    meanwhile: meanwhileOf(flow, baseline),
  };
}

/** Names the steps of others, and the acts of the flow after which a payment is under way. */
function meanwhileOf(flow: Flow, { pressMatches }: Baseline): Deviable["customer"]["meanwhile"] {
  const { drive, meanwhile } = flow;
  const begin = drive.indexOf(findPresses(flow)[pressMatches.findIndex((one) => one !== undefined)]!);
  const pages = findPages(flow);
  const isPaid = (step: RawStep) =>
    step.advance !== undefined || step.pay !== undefined || pages.includes(step);
  const acts = drive.flatMap((step, index) => {
    const isUnderWay = begin !== -1 && index >= begin && drive.slice(index + 1).some(isPaid);
    return isUnderWay && lookOracle(step) === undefined ? [{ index, name: labelOf(step) }] : [];
  });
  return { steps: meanwhile.map(labelOf), acts };
}

function labelOf(step: RawStep): string {
  return typeof step.app === "string" ? step.app : String(stepKindsOf(step)[0]);
}

/**
 * Derives the expected end of every run from what two plain runs have in common.
 *
 * @param presses for each press of the customer, the positions of the calls that the first run made in it
 */
export function baselineOf(
  views: ObservedViews & Partial<Pick<Flow, "drive">>,
  one: LoadedRun,
  other: LoadedRun,
  presses: readonly CallRange[],
): Baseline {
  const [charge] = one.observed.charges;
  const { runId } = one.loaded;
  const hasOwnEmail = charge?.email.includes(runId) ?? false;
  const matchOf = (customer_email: string) => ({ customer_email: customer_email.replaceAll(runId, RUN_ID) });
  const customerMatch = hasOwnEmail ? matchOf(charge!.email.replaceAll("*", "\\*")) : {};
  const { charges, withdrawals } = one.observed;
  const orderCharges = namedOrder(charges, one);
  const orderWithdrawals = namedOrder(withdrawals, one);
  const ownEmails = charges.map(({ email }) => email).filter((email) => email.includes(runId));
  const pattern = hasOwnEmail ? patternOf([...new Set(ownEmails)]) : "";
  const ownMatch = pattern.includes(runId) ? matchOf(pattern) : customerMatch;
  const chargeMatch = hasOwnEmail ? customerMatch : (orderCharges?.match ?? {});
  const free = differencesOf(views, one, other).map((field) => ({
    ...field,
    reason: "differs between plain runs",
  }));
  const fields = new FreeFields(views.observe, free);
  return {
    customerMatch,
    ownMatch,
    chargeMatch,
    plain: {
      completedCharges: countCompletedPayments(chargesOf(one, { customerMatch, chargeMatch })),
      ...(withdrawals.length === 0 ? {} : { completedWithdrawals: countCompletedPayments(withdrawals) }),
      sums: sumsOf(one, { customerMatch, chargeMatch }),
      bodies: views.observe.map((_, index) => withLists(bodyIn(one, index), fields.freedomOf(index))),
      statuses: views.observe.map((_, index) => savedVariable(one.loaded, statusName(index))),
      isPaid: views.observe.map((view) => chargesShownBy(view, one).some((charge) => hasBeenPaid(charge))),
    },
    payableMs: charge === undefined ? 0 : charge.expiresMs - charge.createdMs,
    free,
    orderCharges,
    orderWithdrawals,
    refusedTypes: [...new Set(refusalsOf(one.observed).map(({ type }) => type))],
    pressMatches: presses.map((range) => pressMatchesOf(one, range, ownMatch)),
    readMatch: readMatchOf(one.observed, ownMatch),
    list: listBaselineOf(presses, one),
    pages: findPages({ drive: views.drive ?? [] }).map((step) => {
      const [page, same] = [one, other].map((run) => pageIn(run, step));
      const { email, returnPath } = page!;
      // `way` compares texts and maps as they are.
      const match = (commonPart(page!.match, same!.match, () => "way") ??
        customerMatch) as PageOfFlow["match"];
      const isOwn = email === undefined || !hasOwnEmail || email === charge!.email;
      return { match, isOwn, returnPath: returnPath === same!.returnPath ? returnPath : undefined };
    }),
  };
}

/** A pattern of the texts: what all begin and end with, and any text between. */
function patternOf(texts: readonly string[]): string {
  const [first = "", ...others] = texts;
  if (others.length === 0) return first.replaceAll("*", "\\*");
  const least = Math.min(...texts.map(({ length }) => length));
  const isShared = (at: number) => others.every((text) => text.at(at) === first.at(at));
  let head = 0;
  while (head < least && isShared(head)) head++;
  let tail = 0;
  while (tail < least - head && isShared(-1 - tail)) tail++;
  const parts = [first.slice(0, head), first.slice(first.length - tail)];
  return parts.map((part) => part.replaceAll("*", "\\*")).join("*");
}

/** Finds the charge that the step pays on its page, and writes with variables of the flow how to select it. */
function pageIn({ observed, loaded }: LoadedRun, step: RawStep) {
  const { runId } = loaded;
  const page = filledText(String(choiceOf(step)?.checkout_id), loaded);
  const charge = observed.charges.find(({ checkoutId }) => checkoutId === page);
  const call = observed.calls.find(
    ({ successUrl, createdId }) =>
      successUrl !== undefined && (charge === undefined || createdId === charge.id),
  );
  const returnPath = returnPathOf(call?.successUrl, loaded);
  if (charge === undefined) return { returnPath };
  const { email } = charge;
  const named = Object.entries(charge.metadata).filter(([, value]) => value.includes(runId));
  const match = {
    ...(email.includes(runId) ? { customer_email: email } : {}),
    ...(named.length === 0 ? {} : { metadata: Object.fromEntries(named) }),
  };
  return { email, match: withoutRun(match, runId), returnPath };
}

function listBaselineOf(presses: readonly CallRange[], one: LoadedRun): Baseline["list"] {
  const { charges, calls } = one.observed;
  const completed = countCompletedPayments(charges);
  if (completed === 0) return undefined;
  const countReads = (end: number) => calls.slice(0, end).filter(({ page }) => page !== undefined).length;
  return {
    payment: paymentLike(charges[0]!),
    completed,
    reads: presses.map(([from, to]) => [countReads(from), countReads(to)]),
  };
}

/** Writes the path of a `success_url`, with variables of the flow for its ids. */
function returnPathOf(url: string | undefined, loaded: RunVariables): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { pathname, search } = new URL(url);
  const known = loaded.scope.names.map((name) => ({ name, value: textOf(savedVariable(loaded, name)) }));
  const values = [...known, { name: "run.id", value: loaded.runId }]
    .map(({ name, value }) => ({ name, text: encodeURIComponent(value) }))
    .filter(({ text }) => text !== "")
    .sort((one, other) => other.text.length - one.text.length);
  // A short value, such as a number, may be a part of another word.
  const partsIn = (part: string) =>
    values.reduce(
      (path, { name, text }) =>
        path === text || text.length >= MIN_ID ? path.replaceAll(text, `\${${name}}`) : path,
      part.replaceAll("${", "$${"),
    );
  return `${pathname}${search}`.replace(/[^/?&=]+/g, partsIn);
}

/** Minimum length of a value that is taken for an id as a part of a word. */
const MIN_ID = 3;

type CustomerMatch = Baseline["customerMatch"];

/** Positions of calls in a run. */
export type CallRange = readonly [from: number, to: number];

/** For each press, the positions of the calls between the newest ones before and after it. */
export function pressRanges(
  { calls }: ObservedRun,
  marks: readonly (readonly [before: string | undefined, after: string | undefined])[],
): CallRange[] {
  const end = (newest: string | undefined) => calls.findIndex(({ id }) => id === newest) + 1;
  return marks.map(([before, after]) => [end(before), end(after)]);
}

/** Selects the app's first call during a press, and its last write, else its last call. */
function pressMatchesOf(
  { observed }: LoadedRun,
  range: CallRange,
  ownMatch: CustomerMatch,
): Baseline["pressMatches"][number] {
  const calls = observed.calls.slice(...range).filter(({ isByFlow }) => !isByFlow);
  const first = calls[0];
  const last = calls.findLast(({ method }) => method !== "GET") ?? calls.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const matchOf = ({ operation, isOwn }: ObservedCall) => ({ operation, ...(isOwn ? ownMatch : {}) });
  return { ...(first.operation === last.operation ? {} : { first: matchOf(first) }), last: matchOf(last) };
}

/** An app that never reads a single charge reads lists, which name no customer. */
function readMatchOf({ calls }: ObservedRun, ownMatch: CustomerMatch): Baseline["readMatch"] {
  const reads = calls.filter(({ isByFlow, method }) => !isByFlow && method === "GET");
  const list = reads.find(({ isOwn }) => !isOwn);
  const readsOne = reads.some(({ readId }) => readId !== undefined);
  return list === undefined || readsOne ? { method: "GET", ...ownMatch } : { operation: list.operation };
}

/** Returns true if the app's views are equal at the end of both runs, except for ignored fields and random keys. */
export function hasSameViews(flow: ObservedViews, one: LoadedRun, other: LoadedRun): boolean {
  return differencesOf(flow, one, other).every(({ freedom }) => freedom === "keys");
}

/** Lists the fields by which the views differ at the end of both runs, except for ignored fields. */
function differencesOf(
  { observe }: ObservedViews,
  one: LoadedRun,
  other: LoadedRun,
): Omit<FreeField, "reason">[] {
  const found: Omit<FreeField, "reason">[] = [];
  for (const [view, { ignore = [] }] of observe.entries()) {
    const freedomOf = (path: string) => (ignore.includes(path) ? "all" : undefined);
    commonPart(bodyIn(one, view), bodyIn(other, view), freedomOf, (field, freedom) =>
      found.push({ view, field, freedom }),
    );
  }
  return found;
}

/** The body of a view at the end of a run, without the run's id. */
function bodyIn({ loaded }: LoadedRun, index: number): unknown {
  return withoutRun(savedVariable(loaded, viewVariableName(index)), loaded.runId);
}

/** Finds the payments whose metadata or reference holds a variable of the flow, such as the order's id. */
function namedOrder(all: readonly ObservedPayment[], { loaded }: LoadedRun): OrderPayments | undefined {
  const [first] = all;
  const variables = loaded.scope.names.map((name) => [name, textOf(savedVariable(loaded, name))] as const);
  const referenceTo = (value: string | undefined): string | undefined => {
    const name = variables.find(([, text]) => text !== "" && text === value)?.[0];
    return name === undefined ? undefined : `\${${name}}`;
  };
  const named = Object.entries(first?.metadata ?? {}).flatMap(([key, value]) => {
    const reference = referenceTo(value);
    return reference === undefined ? [] : [{ key, value, reference }];
  });
  const reference = referenceTo(first?.reference);
  if (named.length === 0 && reference === undefined) return undefined;
  const own = all.filter(
    (payment) =>
      named.every(({ key, value }) => payment.metadata[key] === value) &&
      (reference === undefined || payment.reference === first!.reference),
  );
  return {
    match: {
      ...(named.length === 0
        ? {}
        : { metadata: Object.fromEntries(named.map((one) => [one.key, one.reference])) }),
      ...(reference === undefined ? {} : { reference }),
    },
    completed: countCompletedPayments(own),
  };
}

/** Explains why runs of a flow cannot be concurrent; undefined if they can. */
export function isolationReason(
  flow: Flow,
  { customerMatch }: Pick<Baseline, "customerMatch">,
  plain: ObservedRun,
): string | undefined {
  const { raw, drive, scheduledWork, checks } = flow;
  if (flow.reset.length > 0) return "`reset` sets the app back before each";
  if (RULE_KINDS.some((kind) => raw[kind] !== undefined)) return "the flow has rules of its own";
  if (customerMatch.customer_email === undefined) return `no customer_email has \${run.id} in it`;
  const shared = [...drive, ...scheduledWork, ...checks.map(({ step }) => step)].find(concernsOthers);
  if (shared !== undefined) return `a step that is a ${stepKindsOf(shared)[0]} concerns all customers`;
  if (plain.withdrawals.length > 0) return "the app makes withdrawals, which name no customer";
  const call = plain.calls.find(({ isByFlow, isOwn }) => !isByFlow && !isOwn);
  return call && `the app calls ${call.operation}, which shows it all customers`;
}

function concernsOthers(step: RawStep): boolean {
  const [kind] = stepKindsOf(step);
  if (kind === "wait_for") return step.wait_for === "request" || step.wait_for === "delivery";
  return kind === undefined || !STEPS[kind].traits.includes("own_customer");
}
