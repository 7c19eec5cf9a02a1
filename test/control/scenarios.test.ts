import { expect } from "vitest";
import { expectInvalid } from "../support/api-client.js";
import { it } from "../support/api-test.js";

const fate = (to: string) => ({ charges: [{ timeline: [{ after: "1s", to }] }] });

it("lists scenarios by name, none of them active", async ({ client }) => {
  const { json } = await client.ask("GET /_sandbox/scenarios?limit=100");
  const names = json.items.map((one: { name: string }) => one.name);
  expect(names).toEqual([...names].sort());
  expect(names).toEqual(expect.arrayContaining(["default", "declined", "stuck", "webhook_chaos"]));
  expect(json.items.every((one: { active: boolean }) => one.active === false)).toBe(true);
  expect((await client.ask("GET /_sandbox/scenarios/declined")).json).toMatchObject({ name: "declined" });
});

it("the latest active scenario takes precedence", async ({ client }) => {
  await client.ask("PUT /_sandbox/scenarios/one", fate("FAILED"));
  await client.ask("PUT /_sandbox/scenarios/two", fate("CANCELLED"));
  const outcome = async () => {
    const id = await client.pay();
    await client.ask("POST /_sandbox/clock/advance", { by: "10s" });
    return (await client.ask(`GET /_sandbox/charges/${id}`)).json.status;
  };
  expect(await outcome()).toBe("COMPLETED");
  expect((await client.ask("POST /_sandbox/scenarios/one/activate")).json.active).toBe(true);
  expect(await outcome()).toBe("FAILED");
  await client.ask("POST /_sandbox/scenarios/two/activate");
  expect(await outcome()).toBe("CANCELLED");
  const order = (await client.ask("GET /_sandbox/scenarios?limit=2")).json.items;
  expect(order.map((one: { name: string }) => one.name)).toEqual(["two", "one"]);
  await client.ask("POST /_sandbox/scenarios/one/activate");
  expect(await outcome()).toBe("FAILED");
  expect((await client.ask("POST /_sandbox/scenarios/one/deactivate")).json.active).toBe(false);
  expect(await outcome()).toBe("CANCELLED");
  await client.ask("DELETE /_sandbox/scenarios/two");
  expect(await outcome()).toBe("COMPLETED");
});

it("a second PUT replaces a scenario and keeps it active", async ({ client }) => {
  await client.ask("PUT /_sandbox/scenarios/mine", fate("FAILED"));
  await client.ask("POST /_sandbox/scenarios/mine/activate");
  const again = await client.ask("PUT /_sandbox/scenarios/mine", fate("CANCELLED"));
  expect(again.json).toMatchObject({ name: "mine", active: true });
});

it("PUT scenarios returns the errors of validate", async ({ api }) => {
  const put = (scenario: object) =>
    api.send("PUT", "/_sandbox/scenarios/x", JSON.stringify(scenario), {
      "content-type": "application/json",
    });
  const timeline = [
    { after: "2x", to: "PAID" },
    { after_expiry: "1s", to: "COMPLETED", why: "late" },
  ];
  expectInvalid(
    await put({ charges: [{ timeline }] }),
    "charges.0.timeline.0.after",
    "charges.0.timeline.0.to",
    "charges.0.timeline.1.why",
  );
  const match = { amount: { gt: 5 } };
  expectInvalid(await put({ charges: [{ match, timeline: [] }] }), "charges.0.match.amount.gt");
});
