import { describe, expect, it } from "vitest";
import { expectError, expectInvalid, openApi, openSandbox } from "../support/api-client.js";
import { Client } from "../support/receiver-client.js";

const open = async (seed?: string) => Client.of(await openSandbox(seed === undefined ? {} : { seed }));
const QUOTE = { operation: "createQuote" };

describe("faults", () => {
  it("answer what they are told to, so many times, and count it", async () => {
    const client = await open();
    const rule = { match: QUOTE, respond: { status: 500 }, times: 2 };
    const { json: fault } = await client.call("POST", "/_sandbox/faults", rule);
    expect(fault).toMatchObject({ ...rule, applied: 0 });
    const first = await client.quote();
    expect([first.status, first.json.error.code]).toEqual([500, "INTERNAL_ERROR"]);
    expect((await client.quote()).status).toBe(500);
    expect((await client.quote()).status).toBe(200);
    expect((await client.call("GET", "/_sandbox/faults")).json).toMatchObject({
      total: 1,
      items: [{ fault_id: fault.fault_id, applied: 2 }],
    });
  });

  it("match by operation, method, path and what the body says, and leave the rest alone", async () => {
    const client = await open();
    const match = { method: "POST", path: "/api/v1/payments/*", customer_email: "*@bad.test" };
    await client.call("POST", "/_sandbox/faults", { match, respond: { status: 503 } });
    const quote = (await client.quote()).json.quote_id;
    expect((await client.checkout(quote, { email: "ada@bad.test" })).status).toBe(503);
    expect((await client.checkout(quote, { email: "ada@shop.test" })).status).toBe(200);
  });

  it("say when to come back with 429 and 503, and take a code, a message and headers of one's own", async () => {
    const client = await open();
    const fault = async (respond: object) => {
      await client.call("DELETE", "/_sandbox/faults");
      await client.call("POST", "/_sandbox/faults", { match: QUOTE, respond });
      return client.quote();
    };
    const limited = await fault({ status: 429 });
    expect([limited.json.error.code, limited.headers.get("retry-after")]).toEqual([
      "RATE_LIMIT_EXCEEDED",
      "1",
    ]);
    expect((await fault({ status: 503 })).headers.get("retry-after")).toBe("1");
    expect((await fault({ status: 500 })).headers.get("retry-after")).toBeNull();
    const own = { status: 503, code: "MAINTENANCE", message: "Back soon", headers: { "retry-after": "30" } };
    const answer = await fault(own);
    expect(answer.headers.get("retry-after")).toBe("30");
    expect(answer.json).toEqual({ error: { code: "MAINTENANCE", message: "Back soon" } });
  });

  it("skip so many first", async () => {
    const client = await open();
    await client.call("POST", "/_sandbox/faults", {
      match: QUOTE,
      respond: { status: 500 },
      skip: 2,
      times: 1,
    });
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await client.quote()).status);
    expect(statuses).toEqual([200, 200, 500, 200]);
  });

  it("delay the answer by wall time, and the work is done", async () => {
    const client = await open();
    await client.call("POST", "/_sandbox/faults", { match: QUOTE, delay: "60ms" });
    const began = performance.now();
    expect((await client.quote()).status).toBe(200);
    expect(performance.now() - began).toBeGreaterThan(55);
  });

  it.each([
    ["before", 0],
    ["after", 1],
  ])("cut the connection %s the work is done", async (drop, made) => {
    const client = await open();
    await client.call("POST", "/_sandbox/faults", { match: QUOTE, drop, times: 1 });
    await expect(client.quote()).rejects.toThrow("fetch failed");
    expect((await client.call("GET", "/_sandbox")).json.counts.quotes).toBe(made);
    const { json } = await client.call("GET", "/_sandbox/requests");
    expect(json.items[0]).toMatchObject({
      operation: "createQuote",
      status: null,
      fault: expect.any(String),
    });
  });

  it("by chance come in the same places for the same seed, and in others for another", async () => {
    const draw = async (seed: string) => {
      const client = await open(seed);
      await client.call("POST", "/_sandbox/faults", {
        match: QUOTE,
        respond: { status: 500 },
        probability: 0.5,
      });
      let text = "";
      for (let n = 0; n < 40; n++) text += (await client.quote()).status === 500 ? "x" : ".";
      return text;
    };
    const one = await draw("one");
    expect(await draw("one")).toBe(one);
    expect(await draw("two")).not.toBe(one);
    expect(one).toContain("x");
    expect(one).toContain(".");
  });

  it("the last one set is asked first; each can be taken away, and all", async () => {
    const client = await open();
    const add = async (status: number) =>
      (await client.call("POST", "/_sandbox/faults", { match: QUOTE, respond: { status } })).json.fault_id;
    await add(500);
    const last = await add(503);
    expect((await client.quote()).status).toBe(503);
    expect((await client.call("DELETE", `/_sandbox/faults/${last}`)).json).toEqual({ removed: 1 });
    expect((await client.quote()).status).toBe(500);
    expect((await client.call("DELETE", "/_sandbox/faults")).json).toEqual({ removed: 1 });
    expect((await client.quote()).status).toBe(200);
    expect((await client.call("DELETE", `/_sandbox/faults/${last}`)).status).toBe(404);
  });

  it.each([
    [{ respond: { status: 200 } }, "respond.status"],
    [{ respond: { status: 500, statuz: 1 } }, "respond.statuz"],
    [{ delay: "long" }, "delay"],
    [{ drop: "during" }, "drop"],
    [{ drop: "before", probability: 2 }, "probability"],
    [{ drop: "before", times: 0 }, "times"],
    [{ drop: "before", matches: {} }, "matches"],
    [{ drop: "before", match: { operations: "x" } }, "match.operations"],
  ])("refuses %j and names the field", async (body, field) => {
    const api = await openApi();
    expectInvalid(await api.post("/_sandbox/faults", body), field);
  });

  it("refuses a rule that does nothing", async () => {
    const api = await openApi();
    expectError(await api.post("/_sandbox/faults", { match: QUOTE }), 400, "VALIDATION_ERROR");
  });
});
