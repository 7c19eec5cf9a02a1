import * as z from "zod/mini";
import { describeDifferences } from "../../../core/reports/book-report-text.js";
import { modeSchema } from "../../../core/schema/common.js";
import type { BookReport } from "../../../core/schema/control-responses.js";
import { bookRowOptionsShape } from "../../../core/schema/reconciliation.js";
import { callSchema } from "../../../core/schema/scenario-file.js";
import { durationToMs } from "../../../core/schema/time.js";
import { errorOf, errorTextOf } from "../running/client.js";
import type { RunContext } from "../running/context.js";
import { StepFailure } from "../running/failure.js";
import { callAppUnderTest } from "./app.js";
import { checkCallResult } from "./check-response.js";
import { waitUntilIdle } from "./expect-records.js";
import { DEFAULT_CALL_TIMEOUT } from "./request.js";
import { callStepFields, defineStep, stepSchema } from "./step-definition.js";

const { headers, within } = callStepFields;
const booksSchema = z.strictObject({
  app: callSchema,
  headers,
  within,
  mode: z.optional(modeSchema),
  ...bookRowOptionsShape,
});

export const reconcileStep = defineStep(["checks"], {
  description:
    "Compares the app's orders with the ledger: `app: GET /orders` returns a list of them, and `map` names their fields.",
  schema: stepSchema({ reconcile: booksSchema }),
  run: async (step, context) => {
    const { app, headers = {}, within, ...reading } = step.reconcile;
    await waitUntilIdle(context);
    const withinMs = durationToMs(within ?? DEFAULT_CALL_TIMEOUT);
    const answer = await callAppUnderTest(context, app, { headers }, withinMs);
    checkCallResult(undefined, answer, withinMs);
    const rows = typeof answer === "string" ? [] : rowsIn(answer.body, app);
    const report = await reconcileRows(context, { ...reading, rows, since: context.startState.time });
    if (report.passed) return report;
    const { message, differences } = describeDifferences(report);
    throw failureOf(message, differences);
  },
});

/** Finds the list of orders in the app's response: the response itself or its only array. */
function rowsIn(body: unknown, call: string): readonly unknown[] {
  const whole = typeof body === "object" && body !== null ? body : {};
  const lists = Array.isArray(body) ? [body] : Object.values(whole).filter((part) => Array.isArray(part));
  if (lists.length === 1) return lists[0]!;
  throw failureOf(`${call} must return an array of orders, or an object with one array`, [], body);
}

async function reconcileRows({ client }: RunContext, request: object): Promise<BookReport> {
  const answer = await client.control("reconcile", request);
  if (answer.status < 300) return answer.body as BookReport;
  const faults = Object.entries(errorOf(answer).details ?? {}).map(
    ([field, message]) => `${field} ${message}`,
  );
  throw failureOf(`the app's rows cannot be compared with the ledger: ${errorTextOf(answer)}`, faults);
}

function failureOf(message: string, differences: readonly string[], got?: unknown): StepFailure {
  const lines = differences.map((expected) => ({ path: "", expected }));
  return new StepFailure({
    message,
    ...(got === undefined ? {} : { got }),
    ...(lines.length === 0 ? {} : { difference: lines }),
  });
}
