import { expect } from "vitest";
import { emitEvent } from "../../src/core/engine/event-emission.js";
import { chargeSubject } from "../../src/core/engine/match-fields.js";
import { getOwn } from "../../src/core/schema/json-objects.js";
import { KES_ORDER } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { newCharge, newEngine, START_MS } from "../support/engine.js";

const NAMES = [...Object.getOwnPropertyNames(Object.prototype), "prototype"];

/** A lookup by name must not find an inherited property. */

it.for(NAMES)("a name of Object.prototype causes no server error: %s", async (name, { api }) => {
  const { charge_id } = await api.pay();
  const named = (value: unknown) => Object.fromEntries([[name, value]]);
  const calls: [line: string, body?: unknown, headers?: Record<string, string>][] = [
    ["PUT /_sandbox/scenarios/a", { charges: [{ match: { metadata: named("x") }, timeline: [] }] }],
    ["PUT /_sandbox/scenarios/steps", { steps: [named(1)] }],
    ["PUT /_sandbox/scenarios/steps", { steps: [{ wait_for: name }] }],
    ["PUT /_sandbox/scenarios/steps", { vars: { a: `\${${name}}` }, steps: [{ advance: "1s" }] }],
    ["PUT /_sandbox/scenarios/steps", { vars: { a: `\${env.${name}}` }, steps: [{ advance: "1s" }] }],
    ["POST /_sandbox/scenarios/steps/run", { vars: named("x") }],
    [`PUT /_sandbox/scenarios/${name}`, named(1)],
    [`PUT /_sandbox/namespaces/${name}`, {}],
    ["POST /_sandbox/faults", { match: named("x"), respond: { status: 500 } }],
    ["POST /_sandbox/faults", { match: { operation: "nothing" }, respond: { status: 500, code: name } }],
    ["PUT /_sandbox/rates", named("2")],
    ["POST /_sandbox/wait", { for: "charge", match: named("x"), timeout: "0s" }],
    ["GET /_sandbox/charges", undefined, { "sandbox-namespace": name }],
    [`GET /_sandbox/charges?metadata.${name}=x`],
    [`GET /_sandbox/requests?operation=${name}&${name}=${name}`],
    [`POST /_sandbox/charges/${charge_id}/advance`, { until: name }],
    ["POST /_sandbox/webhook-endpoints", { url: "http://localhost:9", signature: name }],
    ["POST /api/v1/payments/quotes", { ...KES_ORDER, ...named(1) }, { "sandbox-scenario": name }],
    ["POST /api/v1/payments/checkouts", { pricing: KES_ORDER.pricing, metadata: named("x") }],
    ["POST /api/v1/webhooks", { url: "http://localhost:9/hooks", events: [name] }],
    [`GET /api/v1/payments/payins?status_filter=${name}&${name}=1`],
  ];
  for (const [line, body, headers] of calls) {
    const { status } = await api.ask(line, body, headers);
    expect([line, body, status < 500]).toEqual([line, body, true]);
  }
  expect((await api.get("/_sandbox/charges")).status).toBe(200);
  expect((await api.get("/_sandbox/deliveries")).status).toBe(200);
});

it("a table does not find names of Object.prototype", () => {
  expect(NAMES.map((name) => getOwn({}, name))).toEqual(NAMES.map(() => undefined));
  expect(getOwn({ constructor: "mine" } as unknown as Record<string, string>, "constructor")).toBe("mine");
});

it("a name of Object.prototype can be the name of an event", () => {
  const engine = newEngine();
  const charge = newCharge(engine, START_MS);
  for (const type of NAMES) {
    const event = engine.execute(
      (tx) =>
        emitEvent(tx, {
          type,
          owner: { mode: "test", organization_id: null, scenario_asked: null },
          objectId: null,
          data: "{}",
          subject: () => chargeSubject(charge),
        }),
      START_MS,
    );
    expect(JSON.parse(event.body).type).toBe(type);
  }
});
