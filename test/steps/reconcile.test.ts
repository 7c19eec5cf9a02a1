import { createServer } from "node:http";
import { expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { failed, runSteps } from "../support/scenario-run.js";
import { listening } from "../support/servers.js";

const TWO_CHARGES = `
  - pay: { amount: "500.00" }
  - pay: { amount: "70.00", until: PENDING }`;

/** Starts an app that builds its rows from the ids of all charges. */
async function openAppWith(respond: (charges: string[]) => unknown, status = 200) {
  const sandbox = await openSandbox({ clock: "manual" });
  const app = createServer(async (_request, response) => {
    const { items } = await sandbox.control<{ items: { charge_id: string }[] }>("GET /_sandbox/charges");
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(respond(items.map(({ charge_id }) => charge_id).reverse())));
  });
  const url = `http://127.0.0.1:${await listening(app)}`;
  return { sandbox, run: (steps: string) => runSteps(steps, { app: url, sandbox }) };
}

const PENDING_AND_PAID = ([a, b]: string[]) => [
  { charge_id: a, status: "pending" },
  { charge_id: b, status: "paid" },
];

it("reconcile passes when the app's rows agree with the ledger", async () => {
  const { run } = await openAppWith(([a, b]) => ({
    total: 2,
    orders: [{ payment: { id: a, state: "BEZAHLT" } }, { payment: { id: b, state: "pending" } }],
  }));
  const report = await run(`${TWO_CHARGES}
  - reconcile:
      app: GET /orders
      map: { charge_id: payment.id, status: payment.state }
      statuses: { bezahlt: paid }`);
  expect(failed(report)).toBeUndefined();
});

it("reconcile fails at its line and lists the differences", async () => {
  const { run } = await openAppWith(PENDING_AND_PAID);
  expect(failed(await run(`${TWO_CHARGES}\n  - reconcile: { app: GET /orders }`))).toMatchObject({
    kind: "reconcile",
    line: 6,
    failure: {
      message: "the app's books and the ledger differ in 2 places (2 rows, 2 charges)",
      difference: [
        { expected: expect.stringMatching(/^row 1: paid_not_marked, ch_\w+, .*; the app says pending$/) },
        { expected: expect.stringMatching(/^row 2: marked_not_paid, ch_\w+, .*; the app says paid$/) },
      ],
    },
  });
});

it("reconcile requires rows only for the run's payments, or none with `partial`", async () => {
  const { run, sandbox } = await openAppWith(() => []);
  expect(failed(await run(TWO_CHARGES))).toBeUndefined();
  await sandbox.advance("1s");
  expect(failed(await run("  - reconcile: { app: GET /orders }"))).toBeUndefined();
  const paid = `${TWO_CHARGES}\n  - reconcile: { app: GET /orders`;
  expect(failed(await run(`${paid} }`))?.failure?.difference).toHaveLength(1);
  expect(failed(await run(`${paid}, partial: true }`))).toBeUndefined();
});

const NO_LIST = "GET /orders must return an array of orders, or an object with one array";
it.each<[string, unknown, number, string]>([
  ["is no list", { orders: 2 }, 200, NO_LIST],
  ["has two lists", { orders: [], links: [] }, 200, NO_LIST],
  ["is an error", [], 500, "status 500, not 2xx"],
])("reconcile fails when the app's response %s", async (_what, answer, status, message) => {
  const { run } = await openAppWith(() => answer, status);
  expect(failed(await run("  - reconcile: { app: GET /orders }"))).toMatchObject({
    outcome: "failed",
    line: 4,
    failure: { message },
  });
});

it("reconcile names the field of an invalid row", async () => {
  const { run } = await openAppWith(() => [{ charge_id: "a", status: "bezahlt" }]);
  expect(failed(await run("  - reconcile: { app: GET /orders }"))?.failure).toMatchObject({
    message: "the app's rows cannot be compared with the ledger: Invalid rows",
    difference: [
      { expected: expect.stringMatching(/^rows\.0\.status "bezahlt" is not a known status.*\(row 1\)$/) },
    ],
  });
});
