import { toPrintableLine } from "../../core/schema/text-format.js";
import { UserError } from "../../core/schema/user-error.js";
import { unacceptedWebhooksMessage } from "../scenario/running/run-scenario.js";
import { BlindSpotError, type Deviable } from "./deviable.js";
import { behaviourOf, differencesText, refusalsOf, refusalText } from "./judge.js";
import type { RunFailure, Trace } from "./run-record.js";

export interface PlainRunResult {
  readonly trace: Trace;
  /** The first difference between two plain runs; undefined if they agree. */
  readonly difference: string | undefined;
}

/**
 * Runs the flow as written, then runs it twice more to learn the expected end. Throws if the flow fails, because runs
 * with deviations then prove nothing.
 *
 * @param overReason returns why the exploration must end; undefined while time is left
 */
export async function observePlainRuns(
  deviable: Deviable,
  overReason: () => string | undefined,
): Promise<PlainRunResult> {
  const { source } = deviable;
  const traces: Trace[] = [];
  for (const purpose of ["check", "learn", "learn"] as const) {
    const trace = await deviable.observePlain(purpose);
    const reason = overReason();
    if (reason !== undefined) throw new UserError(`${source}: ${reason} before the app was seen to go right`);
    if (trace.failure !== undefined) throw new UserError(`${source}: ${failureText(trace, purpose)}`);
    traces.push(trace);
  }
  const [, trace, other] = traces as [Trace, Trace, Trace];
  const [first, second] = [trace, other].map((one) => behaviourOf(one).split("\n"));
  return { trace, difference: firstDifference(first!, second!) };
}

/** Returns a line that one list has more often than the other, else the first that stands elsewhere. */
function firstDifference(one: readonly string[], other: readonly string[]): string | undefined {
  const countIn = (lines: readonly string[], line: string) => lines.filter((each) => each === line).length;
  const rarer = [...one, ...other].find((line) => countIn(one, line) !== countIn(other, line));
  return rarer ?? one.find((line, index) => line !== other[index]);
}

export function refuseBlindSpots(deviable: Deviable, { trace }: PlainRunResult): void {
  const { spots } = deviable.flowCoverage(false);
  const unaccepted = unacceptedWebhooks(trace);
  const all = unaccepted === undefined ? spots : [...spots, { path: [], message: unaccepted }];
  if (all.length > 0) throw new BlindSpotError(deviable.source, all);
}

function failureText(trace: Trace, purpose: "check" | "learn"): string {
  const { ending, role } = trace.failure!;
  const reason = describeFlowFailure(trace);
  if (purpose === "check" && ending === "unreachable" && !trace.hasReachedApp)
    return `${reason}: start it first, or give its right URL`;
  const when = purpose === "check" || role === "drive" ? "" : `, ${trace.isByJob ? "after tick" : "later"}`;
  const text = `the flow fails with nothing going wrong${when}: ${reason}`;
  return [text, ...refusedTexts(trace)].join("; ");
}

/** Lists the calls that the service refused, and the events that the app refused, in a run that failed. */
function refusedTexts(trace: Trace): string[] {
  const { observed } = trace;
  const calls = observed.calls.filter(
    ({ isByFlow, status }) => !isByFlow && status !== null && status >= 400,
  );
  const texts = [...new Set(calls.map(({ operation, status }) => `${operation} with ${status}`))];
  const webhooks = unacceptedWebhooks(trace) ?? refusalText(observed);
  const hasBadSignature = refusalsOf(observed).some(({ status }) => status === 400);
  return [
    ...(texts.length === 0 ? [] : [`the service refuses ${texts.join(", ")}`]),
    ...(webhooks === undefined ? [] : [webhooks]),
    ...(hasBadSignature
      ? ["400 often means a signature that does not verify: check the secret and the raw body"]
      : []),
  ];
}

/** Describes why the flow fails without any deviation: expected and actual values, the app's response, a likely cause. */
function describeFlowFailure({ failure, observed }: Trace): string {
  const { error, title, message, body, isCallToApp, differences } = failure!;
  const cause = likelyCause(failure!, observed);
  // The message of a call has the status already.
  const isNew = ({ path }: RunFailure["differences"][number]) => !isCallToApp || path !== "status";
  const values = differencesText({ differences: differences.filter(isNew) });
  const text = error ?? `${title}: ${message}${values === "" ? "" : `: ${values}`}${excerptOf(body)}`;
  return cause === undefined ? text : `${text}; ${cause}`;
}

/** Words by which an app says that its own deadline is over. */
const EXPIRY_WORD = /expired|lapsed|timed.?out|overdue/i;

function likelyCause(
  { isCallToApp, differences }: RunFailure,
  { deliveries }: Trace["observed"],
): string | undefined {
  if (!isCallToApp || !differences.some(isInBody)) return undefined;
  if (differences.some(({ expected }) => typeof expected === "string" && EXPIRY_WORD.test(expected)))
    return "sandbox time does not move the app's own clock: let a tick expire what is due by the time of the service (header Sandbox-Now)";
  if (deliveries.length > 0) return undefined;
  return "the app receives no webhooks: call its job before this step, or, if it asks the service by itself, give it time with `steady: 3s` beside the call";
}

function isInBody({ path }: RunFailure["differences"][number]): boolean {
  return path.startsWith("body");
}

const MAX_EXCERPT = 200;

/** Quotes the app's response, which often names the cause. */
function excerptOf(body: unknown): string {
  if (body === undefined || body === null || body === "") return "";
  const text = toPrintableLine(
    typeof body === "string" ? body.replace(/\s+/g, " ").trim() : JSON.stringify(body),
  );
  return ` (${text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT)}…` : text})`;
}

function unacceptedWebhooks({ observed }: Trace): string | undefined {
  return unacceptedWebhooksMessage(observed.deliveries.flatMap(({ attempts }) => attempts));
}
