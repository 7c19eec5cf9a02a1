import { expect } from "vitest";
import { expectError } from "../support/api-client.js";
import { it } from "../support/api-test.js";

const PATH = "/_sandbox/failed-tests";
const TEST = "shop.test.ts > an order is paid";

it("POST /_sandbox/failed-tests stores the test's requests and charges, even after a reset", async ({
  shop: { sandbox, client },
}) => {
  await sandbox.control("POST /_sandbox/namespaces", { name: "worker-1", clock: "manual" });
  const worker = client.in("worker-1");
  const charge = await worker.pay({ scenario: "declined" });
  await worker.ask("POST /_sandbox/clock/advance", { by: "10s" });
  await worker.ask("GET /api/v1/payments/charges/ch_nobody");
  const { json: kept } = await worker.ask(`POST ${PATH}`, { test: TEST });
  expect(kept).toMatchObject({ failed_test_id: 1, test: TEST, namespace: "worker-1" });
  await worker.ask("POST /_sandbox/reset", {});
  await sandbox.control("DELETE /_sandbox/namespaces/worker-1");
  expect((await client.ask(`GET ${PATH}`)).json).toEqual({ total: 1, left_out: 0, items: [kept] });
  const { json } = await client.ask(`GET ${PATH}/1`);
  expect(json).toMatchObject({
    ...kept,
    stories: { charges: 1, items: [{ is_in_order: false, charge: { charge_id: charge } }] },
    requests: { total: 3 },
    coverage: { operations: { met: { createQuote: 1, createWhitelabel: 1, getCharge: 1 } } },
    advice: { total: 0 },
  });
});

it("POST /_sandbox/failed-tests with charge_ids stores those charges with their events only", async ({
  shop: { client },
}) => {
  const [first, second] = [await client.pay(), await client.pay()];
  await client.ask("POST /_sandbox/clock/advance", { by: "10s" });
  await client.ask(`POST ${PATH}`, { test: TEST, charge_ids: [second] });
  const { stories, events } = (await client.ask(`GET ${PATH}/1`)).json;
  expect(stories).toMatchObject({ charges: 1, items: [{ charge: { charge_id: second } }] });
  expect(new Set(events.items.map(({ charge_id }: { charge_id: string }) => charge_id))).toEqual(
    new Set([second]),
  );
  expect((await client.ask(`GET /_sandbox/charges/${first}`)).status).toBe(200);
});

it("POST /_sandbox/failed-tests stores at most one hundred tests", async ({ api }) => {
  for (let count = 0; count < 102; count++) await api.post(PATH, { test: `test ${count}` });
  const { json } = await api.get(`${PATH}?limit=1`);
  expect(json).toMatchObject({ total: 100, left_out: 2, items: [{ test: "test 99" }] });
  expectError(await api.post(PATH, {}), 400, "VALIDATION_ERROR", ["test"]);
  expectError(await api.get(`${PATH}/102`), 404, "NOT_FOUND");
});
