import { mismatches } from "../../../core/domain/deep-match.js";
import { own } from "../../../core/schema/own.js";
import { type Answer, type NoAnswer, noAnswerWithin } from "../running/client.js";
import { type Difference, differences, StepFailure } from "../running/failure.js";
import { statusMatches } from "./matching.js";
import type { ExpectedAnswer } from "./parts.js";

/** What has to come in the place of an answer, as a step says it. */
const INSTEAD = {
  dropped: "the connection should have been cut",
  timeout: "no response should have arrived in time",
} as const satisfies Readonly<Record<NoAnswer, string>>;

/** What a call comes to, for `save`: the answer, or that there was none. */
export function resultOf(answer: Answer | NoAnswer): object {
  return typeof answer === "string" ? { [answer]: true } : answer;
}

/** What came of a call is held against what was expected; without a word about that, it has to be a success. */
export function checkOutcome(
  expected: ExpectedAnswer | undefined,
  answer: Answer | NoAnswer,
  withinMs: number,
): void {
  const instead = (Object.keys(INSTEAD) as NoAnswer[]).find((one) => expected?.[one]);
  if (answer === instead) return;
  if (instead === undefined && typeof answer !== "string") {
    checkAnswer(expected, answer);
    return;
  }
  const said =
    answer === "dropped"
      ? "no response: the connection was dropped"
      : answer === "timeout"
        ? noAnswerWithin(withinMs)
        : `status ${answer.status}`;
  throw new StepFailure(
    {
      message: instead === undefined ? said : `${said}, where ${INSTEAD[instead]}`,
      expected: expected ?? { status: "2xx" },
      got: typeof answer === "string" ? resultOf(answer) : shown(answer),
      ...(instead === undefined ? {} : { difference: [{ path: instead, expected: true }] }),
    },
    "expect",
  );
}

/** Holds an answer against what was expected of it. */
export function checkAnswer(expected: ExpectedAnswer | undefined, answer: Answer, at = "expect"): void {
  const difference = answerDifference(expected ?? {}, answer);
  if (difference.length === 0) return;
  const [first] = difference;
  throw new StepFailure(
    {
      message:
        first!.path === "status"
          ? `status ${answer.status}, not ${asText(first!.expected)}`
          : `the response differs at ${difference.map(({ path }) => path).join(", ")}`,
      expected: expected ?? { status: "2xx" },
      got: shown(answer, expected?.headers !== undefined),
      difference,
    },
    at,
  );
}

function answerDifference({ status, error, headers, body }: ExpectedAnswer, answer: Answer): Difference[] {
  const wrong: Difference[] = [];
  // An error that is expected by its code, and a success that is not spelt out.
  const wanted = status ?? (error === undefined ? (answer.status < 400 ? undefined : "2xx") : undefined);
  if (wanted !== undefined && !statusMatches(wanted, answer.status))
    wrong.push({ path: "status", expected: wanted, got: answer.status });
  if (error !== undefined) wrong.push(...differences(mismatches(error, codeOf(answer.body), "error")));
  for (const [name, value] of Object.entries(headers ?? {}))
    wrong.push(...differences(mismatches(value, own(answer.headers, name.toLowerCase()), `headers.${name}`)));
  if (body !== undefined) wrong.push(...differences(mismatches(body, answer.body, "body")));
  return wrong;
}

/** The code of an error in the service's shape. */
function codeOf(body: unknown): unknown {
  const error = (body as { error?: { code?: unknown } } | null)?.error;
  return typeof error === "object" && error !== null ? error.code : undefined;
}

function asText(expected: unknown): string {
  return typeof expected === "object" ? JSON.stringify(expected) : String(expected);
}

/** The headers only where something is expected of them: there are many. */
function shown({ status, headers, body }: Answer, withHeaders = false) {
  return withHeaders ? { status, headers, body } : { status, body };
}
