import { durationMs, formatDuration, LONGEST_WAIT_MS } from "../../schema/duration.js";
import type { StepOf } from "../../schema/steps.js";
import type { Answer } from "./client.js";
import type { Executor, RunContext } from "./context.js";
import { StepFailure } from "./failure.js";
import { difference } from "./matching.js";

const DEFAULT_WITHIN = "10s";
/** What the sandbox takes to answer once the time is up. */
const GRACE_MS = 5_000;

/** `wait_for`: the sandbox answers as soon as it is so; nobody sleeps. */
export const waitFor: Executor<StepOf<"wait_for">> = async (step, context) => {
  const within = step.within ?? DEFAULT_WITHIN;
  if (step.wait_for === "idle") return wait(context, { for: "idle" }, within);
  const { wait_for: what, match = {}, count = 1 } = step;
  const wanted = what === "request" ? { ...match, runner: null } : match;
  const before = what === "charge" ? 0 : await countBefore(context, what, wanted);
  return wait(context, { for: what, match: wanted, count: before + count }, within);
};

/** How many there were before the run began: happenings are counted from there. */
async function countBefore(
  { baseline }: RunContext,
  what: "request" | "delivery",
  match: Readonly<Record<string, unknown>>,
): Promise<number> {
  const list = what === "request" ? "requests" : "deliveries";
  const known = await baseline.before(list);
  return known.filter((row) => difference(match, row).length === 0).length;
}

async function wait(
  { client }: RunContext,
  what: { for: string; match?: unknown; count?: number },
  within: string,
): Promise<unknown> {
  // One call waits no longer than the sandbox lets it.
  let leftMs = durationMs(within);
  let answer: Answer;
  do {
    const timeoutMs = Math.min(leftMs, LONGEST_WAIT_MS);
    const timeout = formatDuration(timeoutMs);
    answer = await client.control("POST", "/wait", { ...what, timeout }, timeoutMs + GRACE_MS);
    if (answer.status === 200) return answer.body;
    leftMs -= timeoutMs;
  } while (answer.status === 408 && leftMs > 0);
  const { error } = answer.body as { error?: { message?: string; details?: Record<string, string> } };
  throw new StepFailure({
    message: error?.message ?? `status ${answer.status}`,
    ...(what.match === undefined ? {} : { expected: what.match }),
    nearest: Object.entries(error?.details ?? {}).map(([id, text]) => ({
      id,
      difference: [{ path: "", expected: text }],
    })),
  });
}
