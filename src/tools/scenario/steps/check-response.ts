import { findMismatches } from "../../../core/domain/deep-match.js";
import type { Difference } from "../../../core/schema/control-scenario-responses.js";
import { getOwn } from "../../../core/schema/json-objects.js";
import { type CallResponse, errorOf, type NoResponseReason, timeoutMessage } from "../running/client.js";
import { StepFailure, toDifferences } from "../running/failure.js";
import { statusMatches } from "./matching.js";
import type { ExpectedResponse } from "./step-definition.js";

const NO_RESPONSE = {
  dropped: "the connection should have been cut",
  timeout: "no response should have arrived in time",
} as const satisfies Readonly<Record<NoResponseReason, string>>;

/** The result of a call for `save`: the response, or why there is none. */
export function callResult(answer: CallResponse | NoResponseReason): object {
  return typeof answer === "string" ? { [answer]: true } : answer;
}

/** Checks the result of a call; without an expectation it must succeed. */
export function checkCallResult(
  expected: ExpectedResponse | undefined,
  answer: CallResponse | NoResponseReason,
  withinMs: number,
): void {
  const absence = (Object.keys(NO_RESPONSE) as NoResponseReason[]).find((word) => expected?.[word]);
  if (answer === absence) return;
  if (absence === undefined && typeof answer !== "string") {
    checkResponse(expected, answer);
    return;
  }
  const actual =
    answer === "dropped"
      ? "no response: the connection was dropped"
      : answer === "timeout"
        ? timeoutMessage(withinMs)
        : `status ${answer.status}`;
  throw new StepFailure(
    {
      message: absence === undefined ? actual : `${actual}, but ${NO_RESPONSE[absence]}`,
      expected: expected ?? { status: "2xx" },
      got: typeof answer === "string" ? callResult(answer) : reportedAnswer(answer),
      ...(absence === undefined ? {} : { difference: [{ path: absence, expected: true }] }),
    },
    "expect",
  );
}

export function checkResponse(
  expected: ExpectedResponse | undefined,
  answer: CallResponse,
  at = "expect",
): void {
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
      got: reportedAnswer(answer, expected?.headers !== undefined),
      difference,
    },
    at,
  );
}

function answerDifference(
  { status, error, headers, body }: ExpectedResponse,
  answer: CallResponse,
): Difference[] {
  const wrong: Difference[] = [];
  // Without `status`, every status below 400 is right. With an expected error code, every status is right.
  const expectedStatus =
    status ?? (error === undefined ? (answer.status < 400 ? undefined : "2xx") : undefined);
  if (expectedStatus !== undefined && !statusMatches(expectedStatus, answer.status))
    wrong.push({ path: "status", expected: expectedStatus, got: answer.status });
  if (error !== undefined) wrong.push(...toDifferences(findMismatches(error, errorOf(answer).code, "error")));
  for (const [name, value] of Object.entries(headers ?? {}))
    wrong.push(
      ...toDifferences(findMismatches(value, getOwn(answer.headers, name.toLowerCase()), `headers.${name}`)),
    );
  if (body !== undefined) wrong.push(...toDifferences(findMismatches(body, answer.body, "body")));
  return wrong;
}

function asText(expected: unknown): string {
  return typeof expected === "object" ? JSON.stringify(expected) : String(expected);
}

/** Leaves out headers unless they were checked. */
function reportedAnswer({ status, headers, body }: CallResponse, withHeaders = false) {
  return withHeaders ? { status, headers, body } : { status, body };
}
