import { ControlClient } from "../../control-client.js";
import { readActivity } from "../../core/reports/namespace-export.js";
import { failedTestRequestSchema } from "../../core/schema/control-requests.js";
import { isRefusal } from "../../core/schema/refusals.js";
import { pageQuerySchema } from "../../core/schema/service-requests.js";
import { iso } from "../../core/schema/time.js";
import { defineControlOperation, pageReply, RawJson } from "./control-operation.js";

export const FAILED_TEST_OPERATIONS = [
  defineControlOperation(
    {
      id: "keepFailedTest",
      call: "POST /_sandbox/failed-tests",
      body: failedTestRequestSchema,
      runsDueTasks: true,
      response: "FailedTest",
      docs: {
        summary: "Save a failed test",
        description:
          "Call it when a test has failed, before its namespace is reset or deleted: the charges' histories, requests, events, deliveries, coverage and advice are kept under the test's name, for up to 100 tests. `exec --artifacts` writes them to files.",
        example: { test: "shop.test.ts > an order is paid" },
      },
    },
    async ({ namespaces, namespace, fetch, body }) => {
      const { name } = namespace;
      const client = new ControlClient({
        namespace: name,
        fetch: (path, init) => fetch(new Request(`http://localhost${path}`, init)),
      });
      const activity = await readActivity(client);
      return namespaces.failedTests.save(
        { test: body.test, namespace: name, at: iso(namespace.nowMs()) },
        activity,
      );
    },
  ),
  defineControlOperation(
    {
      id: "listFailedTests",
      call: "GET /_sandbox/failed-tests",
      query: pageQuerySchema,
      response: "FailedTestList",
      docs: {
        summary: "List failed tests",
        description: "The recorded failed tests of all namespaces, newest first.",
      },
    },
    ({ namespaces: { failedTests }, query }) => ({
      ...pageReply(failedTests.list(), query),
      left_out: failedTests.omittedCount,
    }),
  ),
  defineControlOperation(
    {
      id: "getFailedTest",
      call: "GET /_sandbox/failed-tests/:failed_test_id",
      response: "FailedTestDetail",
      docs: {
        summary: "Get a failed test",
        description: "One failed test, with everything that happened in it.",
      },
    },
    ({ namespaces, param }) => {
      const json = namespaces.failedTests.json(Number(param("failed_test_id")));
      return isRefusal(json) ? json : new RawJson(json);
    },
  ),
];
