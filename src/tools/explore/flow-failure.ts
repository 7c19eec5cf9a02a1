import { toPrintableLine } from "../../core/schema/text-format.js";
import type { ObservedRun, RunFailure } from "./deviable.js";
import { differencesText } from "./judge.js";

/** Describes why the flow fails without any deviation: expected and actual values, the app's response, a likely cause. */
export function describeFlowFailure(failure: RunFailure, observed: ObservedRun): string {
  const { error, title, message, body } = failure;
  const cause = likelyCause(failure, observed);
  // The message of a call has the status already.
  const isNew = ({ path }: RunFailure["differences"][number]) => !failure.isCallToApp || path !== "status";
  const values = differencesText({ differences: failure.differences.filter(isNew) });
  const text = error ?? `${title}: ${message}${values === "" ? "" : `: ${values}`}${excerptOf(body)}`;
  return cause === undefined ? text : `${text}; ${cause}`;
}

/** Words by which an app says that its own deadline is over. */
const EXPIRY_WORD = /expired|lapsed|timed.?out|overdue/i;

function likelyCause(
  { isCallToApp, differences }: RunFailure,
  { deliveries }: ObservedRun,
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
