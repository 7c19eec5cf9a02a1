import { COUNTED_MISHAPS, type CoverageCounters } from "../../core/namespace/counters.js";
import { CHARGE_STATUSES } from "../../core/schema/common.js";
import { scopeQuerySchema } from "../../core/schema/control-requests.js";
import { SERVICE_EVENT_TYPES, TEST_EVENT_TYPE } from "../../core/schema/event-types.js";
import { ERROR_STATUS } from "../../core/schema/refusals.js";
import { OPERATIONS } from "../service/operations.js";
import { defineControlOperation } from "./control-operation.js";

/** Error codes that only the control API uses. */
const CONTROL_CODES = new Set([
  "WAIT_TIMEOUT",
  "INVALID_TRANSITION",
  "CLOCK_BUSY",
  "NAMESPACE_EXISTS",
  "NAMESPACE_LEASED",
]);

export const INSIGHT_OPERATIONS = [
  defineControlOperation(
    {
      id: "getCoverage",
      call: "GET /_sandbox/coverage",
      query: scopeQuerySchema,
      runsDueTasks: true,
      response: "Coverage",
      docs: {
        summary: "Get coverage",
        description:
          "Operations, statuses, events, error codes and mishaps the app has met, and those it has not.",
      },
    },
    ({ namespaces, namespace, query }) => {
      return coverageOf(query.of === "server" ? namespaces.totalCounters : namespace.counters);
    },
  ),
  defineControlOperation(
    {
      id: "getAdvice",
      call: "GET /_sandbox/advice",
      query: scopeQuerySchema,
      runsDueTasks: true,
      response: "AdviceList",
      docs: {
        summary: "Get advice",
        description:
          "What the app does against the service's advice, with what to do instead: polling, missing idempotency keys, ignored fields, late webhook responses",
      },
    },
    ({ namespaces, namespace, query }) => {
      const items = (query.of === "server" ? namespaces.advice : namespace.advisor.log).items();
      return { total: items.length, items };
    },
  ),
];

/** Splits operations, statuses, event types, error codes and mishaps into those the app has met and the rest. */
export function coverageOf(counters: CoverageCounters) {
  return {
    operations: split(
      OPERATIONS.map(({ id }) => id),
      counters.counts("operations"),
    ),
    statuses: split(CHARGE_STATUSES, counters.counts("statuses")),
    events: split(
      SERVICE_EVENT_TYPES.filter((type) => type !== TEST_EVENT_TYPE),
      counters.counts("events"),
    ),
    error_codes: split(
      Object.keys(ERROR_STATUS).filter((code) => !CONTROL_CODES.has(code)),
      counters.counts("error_codes"),
    ),
    mishaps: split(COUNTED_MISHAPS, counters.counts("mishaps")),
  };
}

function split(known: readonly string[], met: ReadonlyMap<string, number>) {
  return {
    met: Object.fromEntries(known.filter((name) => met.has(name)).map((name) => [name, met.get(name)])),
    not_met: known.filter((name) => !met.has(name)),
  };
}
