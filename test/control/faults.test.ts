import fc from "fast-check";
import { describe, expect } from "vitest";
import { OPERATION_IDS } from "../../src/core/schema/operation-ids.js";
import { expectError, expectInvalid, openSandbox } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { exchange, head } from "../support/api-wire.js";
import { Client } from "../support/receiver-client.js";

const open = async (seed?: string) => Client.of(await openSandbox(seed === undefined ? {} : { seed }));
const QUOTE = { operation: "createQuote" };

describe("faults", () => {
  it("a fault applies to as many calls as `times` says", async ({ client }) => {
    const rule = { match: QUOTE, respond: { status: 500 }, times: 2 };
    const { json: fault } = await client.ask("POST /_sandbox/faults", rule);
    expect(fault).toMatchObject({ ...rule, applied: 0 });
    const first = await client.quote();
    expect([first.status, first.json.error.code]).toEqual([500, "INTERNAL_ERROR"]);
    expect((await client.quote()).status).toBe(500);
    expect((await client.quote()).status).toBe(200);
    expect((await client.ask("GET /_sandbox/faults")).json).toMatchObject({
      total: 1,
      items: [{ fault_id: fault.fault_id, applied: 2 }],
    });
    const { json: one } = await client.ask(`GET /_sandbox/faults/${fault.fault_id}`);
    expect(one).toEqual({ ...fault, applied: 2 });
    expectError(await client.ask("GET /_sandbox/faults/flt_none"), 404, "NOT_FOUND");
  });

  it("a fault matches by operation, method, path and body", async ({ client }) => {
    const match = { method: "POST", path: "/api/v1/payments/*", customer_email: "*@bad.test" };
    await client.ask("POST /_sandbox/faults", { match, respond: { status: 503 } });
    const quote = (await client.quote()).json.quote_id;
    expect((await client.checkout(quote, { email: "ada@bad.test" })).status).toBe(503);
    expect((await client.checkout(quote, { email: "ada@shop.test" })).status).toBe(200);
  });

  it("a fault sends Retry-After with 429 and 503", async ({ client }) => {
    const fault = async (respond: object) => {
      await client.ask("DELETE /_sandbox/faults");
      await client.ask("POST /_sandbox/faults", { match: QUOTE, respond });
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
    const written = await fault({ ...own, headers: { "Retry-After": "60", "Content-Type": "text/html" } });
    expect([written.headers.get("retry-after"), written.headers.get("content-type")]).toEqual([
      "60",
      "text/html",
    ]);
  });

  it("a fault can send any valid header, and refuses an invalid one", async ({ shop: { sandbox } }) => {
    const { port } = await sandbox.listen({ port: 0 });
    // fetch hides some headers.
    const request = head("GET /api/v1/payments/supported-currencies HTTP/1.1", "Host: localhost");
    const client = Client.of(sandbox);
    const letters = fc.oneof(fc.constantFrom(..."abcXYZ019-_!#$'*~ :()/\r\n\0é日\u0085"), fc.string());
    const name = fc.oneof(
      fc.array(letters, { maxLength: 8 }).map((all) => all.join("")),
      fc.stringMatching(/^[a-z][a-z0-9-]{0,12}$/),
      fc.constantFrom(
        "Content-Length",
        "transfer-encoding",
        "Connection",
        "trailer",
        "te",
        "upgrade",
        "date",
      ),
      fc.constantFrom("keep-alive", "set-cookie", "content-type", "constructor", "toString", "__proto__"),
    );
    const value = fc.oneof(
      fc.array(letters, { maxLength: 12 }).map((all) => all.join("")),
      fc.string({ unit: "binary" }),
      fc.constantFrom("17", "chunked", "close", "gzip", "", "\tx\t", "ü"),
    );
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(name, value, async (header, text) => {
        await client.ask("DELETE /_sandbox/faults");
        const headers = Object.fromEntries([[header, text]]);
        const { status, json } = await client.ask("POST /_sandbox/faults", {
          match: { operation: "listSupportedCurrencies" },
          respond: { status: 418, headers },
        });
        if (status !== 200) {
          expect([status, Object.keys(json.error.details)]).toEqual([400, [`respond.headers.${header}`]]);
          return;
        }
        sent++;
        const answer = await exchange(port, request);
        expect(answer?.status).toBe(418);
        expect(JSON.parse(answer!.body).error.code).toBe("VALIDATION_ERROR");
        if (header !== "__proto__") expect(answer!.headers[header.toLowerCase()]).toBe(text.trim());
      }),
      { numRuns: 300 },
    );
    expect(sent).toBeGreaterThan(30);
  });

  it("a fault lets `skip` calls pass first", async ({ client }) => {
    await client.ask("POST /_sandbox/faults", { match: QUOTE, respond: { status: 500 }, skip: 2, times: 1 });
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await client.quote()).status);
    expect(statuses).toEqual([200, 200, 500, 200]);
  });

  describe("count `times` and `skip`", () => {
    const order = (email: string, metadata: Record<string, string> = {}) => ({ email, metadata });
    const TWICE = [
      order("a@x.test", { n: "1" }),
      order("A@x.test", { n: "1" }),
      order("a@x.test", { n: "2" }),
    ];
    const ORDERS = [...TWICE, order("b@x.test"), order("b@x.test")];

    it.for([
      ["of each customer, by default", {}, [500, 200, 200, 500, 200]],
      ["of each customer", { per: "customer" }, [500, 200, 200, 500, 200]],
      ["of each order", { per: "charge" }, [500, 200, 500, 500, 200]],
      ["of all together", { per: "request" }, [500, 200, 200, 200, 200]],
      ["of each customer, skipped calls too", { skip: 1 }, [200, 500, 200, 200, 500]],
    ] as const)("a fault counts `times` and `skip` %s", async ([_whose, per, expected], { client }) => {
      const rule = { match: { operation: "createWhitelabel" }, respond: { status: 500 }, times: 1, ...per };
      await client.ask("POST /_sandbox/faults", rule);
      const statuses: number[] = [];
      for (const one of ORDERS)
        statuses.push((await client.checkout((await client.quote()).json.quote_id, one)).status);
      expect(statuses).toEqual(expected);
      const { json } = await client.ask("GET /_sandbox/faults");
      expect(json.items[0].applied).toBe(statuses.filter((status) => status === 500).length);
    });

    it("a fault matches each charge that is read", async ({ client }) => {
      const rule = { match: { operation: "getCharge" }, respond: { status: 500 }, times: 1, per: "charge" };
      const [one, other] = [await client.pay(), await client.pay()];
      await client.ask("POST /_sandbox/faults", rule);
      const statuses: number[] = [];
      for (const id of [one, one, other, other])
        statuses.push((await client.ask(`GET /api/v1/payments/charges/${id}`)).status);
      expect(statuses).toEqual([500, 200, 500, 200]);
    });
  });

  it("a fault can delay the response", async ({ client }) => {
    await client.ask("POST /_sandbox/faults", { match: QUOTE, delay: "60ms" });
    const began = performance.now();
    expect((await client.quote()).status).toBe(200);
    expect(performance.now() - began).toBeGreaterThan(55);
  });

  it.for([
    ["before", 0],
    ["after", 1],
  ] as const)("a fault closes the connection %s the work is done", async ([drop, made], { client }) => {
    await client.ask("POST /_sandbox/faults", { match: QUOTE, drop, times: 1 });
    await expect(client.quote()).rejects.toThrow("fetch failed");
    expect((await client.ask("GET /_sandbox")).json.counts.quotes).toBe(made);
    const { json } = await client.ask("GET /_sandbox/requests");
    expect(json.items[0]).toMatchObject({
      operation: "createQuote",
      status: null,
      fault: expect.any(String),
    });
  });

  it("a fault with a probability affects the same calls for the same seed", async () => {
    const draw = async (seed: string) => {
      const client = await open(seed);
      await client.ask("POST /_sandbox/faults", { match: QUOTE, respond: { status: 500 }, probability: 0.5 });
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

  it("tries the newest fault first, and can delete one or all", async ({ client }) => {
    const add = async (status: number) =>
      (await client.ask("POST /_sandbox/faults", { match: QUOTE, respond: { status } })).json.fault_id;
    await add(500);
    const last = await add(503);
    expect((await client.quote()).status).toBe(503);
    expect((await client.ask(`DELETE /_sandbox/faults/${last}`)).json).toEqual({ removed: 1 });
    expect((await client.quote()).status).toBe(500);
    expect((await client.ask("DELETE /_sandbox/faults")).json).toEqual({ removed: 1 });
    expect((await client.quote()).status).toBe(200);
    expect((await client.ask(`DELETE /_sandbox/faults/${last}`)).status).toBe(404);
  });

  it.for([
    [{ respond: { status: 500, statuz: 1 } }, "respond.statuz"],
    [{ respond: { status: 500, headers: { "x-a": "a\r\nb" } } }, "respond.headers.x-a"],
    [{ respond: { status: 500, headers: { "x a": "b" } } }, "respond.headers.x a"],
    [{ respond: { status: 500, headers: { "x-a": "日本" } } }, "respond.headers.x-a"],
    [{ respond: { status: 500, headers: { "Content-Length": "1" } } }, "respond.headers.Content-Length"],
    [{ drop: "before", match: { operations: "x" } }, "match.operations"],
  ] as const)("POST /_sandbox/faults refuses %j and names the field", async ([body, field], { api }) => {
    expectInvalid(await api.post("/_sandbox/faults", body), field);
  });

  it.for([
    [
      { operation: "createQuot" },
      { "match.operation": /^there is no operation createQuot; did you mean createQuote\?$/ },
    ],
    [
      { operation: ["createQuote", "nothing*"] },
      { "match.operation.1": /^there is no operation nothing\*; known: / },
    ],
    [{ operation: "" }, { "match.operation": /^there is no operation / }],
  ] as const)(
    "POST /_sandbox/faults refuses %j, which can never match",
    async ([match, details], { api }) => {
      const answer = await api.post("/_sandbox/faults", { match, respond: { status: 500 } });
      expectError(answer, 400, "VALIDATION_ERROR", Object.keys(details));
      for (const [field, message] of Object.entries(details)) expect(answer.details[field]).toMatch(message);
    },
  );

  it.for(["*", "create*", "get?harge", ...OPERATION_IDS])(
    "POST /_sandbox/faults accepts the operation %s",
    async (operation, { api }) => {
      const rule = { match: { operation: [operation] }, respond: { status: 500 } };
      expect((await api.post("/_sandbox/faults", rule)).status).toBe(200);
    },
  );

  it("POST /_sandbox/faults refuses a rule without effect", async ({ api }) => {
    expectError(await api.post("/_sandbox/faults", { match: QUOTE }), 400, "VALIDATION_ERROR");
  });
});
