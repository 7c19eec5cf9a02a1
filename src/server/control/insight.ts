import { ControlClient } from "../../core/client/control-client.js";
import { findAdvice } from "../../core/namespace/advice.js";
import { COUNTED_MISHAPS, type CoverageCounters } from "../../core/namespace/counters.js";
import { readNamespaceLogs } from "../../core/reports/namespace-export.js";
import { CHARGE_STATUSES } from "../../core/schema/common.js";
import { failedTestRequestSchema, scopeQuerySchema } from "../../core/schema/control-requests.js";
import { SERVICE_EVENT_TYPES, TEST_EVENT_TYPE } from "../../core/schema/event-types.js";
import { OPERATION_IDS } from "../../core/schema/operation-ids.js";
import { ERROR_STATUS, isRefusal } from "../../core/schema/refusals.js";
import { pageQuerySchema } from "../../core/schema/service-requests.js";
import { iso } from "../../core/schema/time.js";
import { RawJson } from "../http/reply.js";
import { defineControlOperation, pageReply } from "./control-operation.js";

/** Error codes that the service never gives: those of the control API, and of the sandbox's own storage. */
const FOREIGN_CODES = new Set([
  "STORAGE_AWAY",
  "WAIT_TIMEOUT",
  "INVALID_TRANSITION",
  "CLOCK_BUSY",
  "NAMESPACE_EXISTS",
  "NAMESPACE_LEASED",
]);

export const INSIGHT_OPERATIONS = [
  defineControlOperation({
    id: "getCoverage",
    call: "GET /_sandbox/coverage",
    summary: "Get coverage",
    description:
      "Operations, statuses, events, error codes and mishaps the app has met, and those it has not.",
    input: scopeQuerySchema,
    runsDueTasks: true,
    output: "Coverage",
    run: ({ namespaces, namespace, input }) => {
      return coverageOf(input.of === "server" ? namespaces.totalCounters : namespace.counters);
    },
  }),
  defineControlOperation({
    id: "getAdvice",
    call: "GET /_sandbox/advice",
    summary: "Get advice",
    description: "What the app does against the service's advice, and what to do instead.",
    input: scopeQuerySchema,
    runsDueTasks: true,
    output: "AdviceList",
    run: ({ namespaces, namespace, input }) => {
      const items = input.of === "server" ? namespaces.advice() : findAdvice(namespace.traffic);
      return { total: items.length, items };
    },
  }),
];

function coverageOf(counters: CoverageCounters) {
  const split = (part: Parameters<CoverageCounters["counts"]>[0], known: readonly string[]) => {
    const met = counters.counts(part);
    return {
      met: Object.fromEntries(known.filter((name) => met.has(name)).map((name) => [name, met.get(name)!])),
      not_met: known.filter((name) => !met.has(name)),
    };
  };
  const types = SERVICE_EVENT_TYPES.filter((type) => type !== TEST_EVENT_TYPE);
  const codes = Object.keys(ERROR_STATUS).filter((code) => !FOREIGN_CODES.has(code));
  return {
    operations: split("operations", OPERATION_IDS),
    statuses: split("statuses", CHARGE_STATUSES),
    events: split("events", types),
    error_codes: split("error_codes", codes),
    mishaps: split("mishaps", COUNTED_MISHAPS),
  };
}

export const FAILED_TEST_OPERATIONS = [
  defineControlOperation({
    id: "keepFailedTest",
    call: "POST /_sandbox/failed-tests",
    summary: "Save a failed test",
    description:
      "Call it when a test has failed, before its namespace is reset: keeps histories, requests, events, deliveries, coverage and advice under the test's name, for up to 100 tests. `exec --artifacts` writes them to files.",
    input: failedTestRequestSchema,
    runsDueTasks: true,
    output: "FailedTest",
    example: { test: "shop.test.ts > an order is paid" },
    run: async ({ namespaces, namespace, fetch, input }) => {
      const { name } = namespace;
      const client = new ControlClient({
        namespace: name,
        fetch: (path, init) => fetch(new Request(`http://localhost${path}`, init)),
      });
      const activity = await readNamespaceLogs(client, input.charge_ids);
      return namespaces.failedTests.save(
        { test: input.test, namespace: name, at: iso(namespace.nowMs()) },
        activity,
      );
    },
  }),
  defineControlOperation({
    id: "listFailedTests",
    call: "GET /_sandbox/failed-tests",
    summary: "List failed tests",
    description: "The recorded failed tests of all namespaces, newest first.",
    input: pageQuerySchema,
    output: "FailedTestList",
    run: ({ namespaces: { failedTests }, input }) =>
      pageReply(failedTests.list(), input, undefined, { left_out: failedTests.omittedCount }),
  }),
  defineControlOperation({
    id: "getFailedTest",
    call: "GET /_sandbox/failed-tests/{failed_test_id}",
    summary: "Get a failed test",
    description: "One failed test, with everything that happened in it.",
    output: "FailedTestDetail",
    run: ({ namespaces, param }) => {
      const json = namespaces.failedTests.json(Number(param("failed_test_id")));
      return isRefusal(json) ? json : new RawJson(json);
    },
  }),
];
