import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { temporaryFile } from "../support/folders.js";
import { GeneratedClient } from "../support/openapi-generated.js";

interface Shop {
  buy(
    baseUrl: string,
    key: string,
    pause: () => Promise<void>,
  ): Promise<{
    quoteId: string;
    instructions: string;
    charge: { charge_id: string; status: string; amount: string; settlement_amount: string };
    payins: number;
    available: string | undefined;
  }>;
  refused(baseUrl: string, key: string): Promise<{ status: number; fields: string[]; data?: unknown }>;
  onEvent(event: unknown): string;
}

const client = new GeneratedClient<Shop>();
beforeAll(() =>
  client.make("/openapi.json", "service.ts", new URL("./shop-program.ts.txt", import.meta.url)),
);

describe("a client generated from the document", () => {
  it("a generated client rejects wrong calls at compile time", () => {
    expect(client.complaints).toBe("");
  });

  it("a generated client runs the whitelabel flow", async () => {
    const sandbox = await openSandbox();
    const { url } = await sandbox.listen({ port: 0 });
    const pause = async () => void (await sandbox.advance("1s"));
    const bought = await (await client.load()).buy(url, sandbox.apiKey, pause);
    expect(bought).toMatchObject({
      quoteId: expect.stringMatching(/^qt_/),
      instructions: expect.stringMatching(/^SimbaPesa Sandbox \+254/),
      charge: { status: "COMPLETED", amount: "3305.63", settlement_amount: "3225.00" },
      payins: 1,
      available: "3225.00",
    });
    const events = sandbox.snapshot().collections.events.map(([, event]) => event);
    const completed = events.find(({ type }) => type === "charge.completed")!;
    expect((await client.load()).onEvent(JSON.parse(completed.body))).toBe("paid 3225.00");
  });

  it("a generated client reads an error response", async () => {
    const sandbox = await openSandbox();
    const { url } = await sandbox.listen({ port: 0 });
    expect(await (await client.load()).refused(url, sandbox.apiKey)).toEqual({
      status: 400,
      fields: ["pricing.amount"],
      data: undefined,
    });
  });
});

describe("a client generated from the control API's document", () => {
  const client = new GeneratedClient<{
    drive(baseUrl: string): Promise<Record<string, unknown>>;
    refused(baseUrl: string): Promise<Record<string, unknown>>;
    told(happening: object): string;
  }>();
  beforeAll(() =>
    client.make("/_sandbox/openapi.json", "control.ts", new URL("./control-program.ts.txt", import.meta.url)),
  );

  it("a generated control client rejects wrong calls at compile time", () => {
    expect(client.complaints).toBe("");
  });

  it("a generated control client uses a separate namespace", async () => {
    const { url } = await (await openSandbox()).listen({ port: 0 });
    expect(await (await client.load()).drive(url)).toEqual({
      key: "sk_test_ns_typed",
      signature: expect.stringMatching(/^v1,/),
      to: "2026-01-31T09:30:00.000Z",
      types: ["webhook.test"],
      mode: "manual",
      total: 1,
    });
  });

  it("a generated control client reads error responses", async () => {
    const { url } = await (await openSandbox()).listen({ port: 0 });
    expect(await (await client.load()).refused(url)).toEqual({
      status: 408,
      code: "WAIT_TIMEOUT",
      missing: "Charge not found",
    });
  });

  it("a generated control client distinguishes activities by kind", async () => {
    const { told } = await client.load();
    expect(told({ kind: "attempt", attempt: 2, status: null, error: "refused" })).toBe("2: refused");
    expect(told({ kind: "transition", status: "COMPLETED" })).toBe("COMPLETED");
    expect(told({ kind: "hold", reason: "nothing listens" })).toBe("nothing listens");
  });
});

/** The `type` of an event determines the type of its `data`. */
const APP = `
import createClient from "openapi-fetch";
import type { components, paths } from "./service.js";

export async function charge(baseUrl: string, key: string, email: string): Promise<string> {
  const { GET, POST } = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } });
  const order = { pricing: { base_currency: "KES", amount: "1105.10" }, payment_method: "card" };
  const quote = await POST("/api/v1/payments/quotes", { body: order });
  if (quote.error) throw new Error(quote.error.error.message);
  const made = await POST("/api/v1/payments/whitelabel", {
    body: { ...order, customer_email: email, quote_id: quote.data.quote_id },
  });
  if (made.error) throw new Error(made.error.error.message);
  const path = { charge_id: made.data.charge_id };
  const { data } = await GET("/api/v1/payments/charges/{charge_id}", { params: { path } });
  return data!.status;
}

type PaymentEvent = components["schemas"]["ChargeEvent" | "WithdrawalEvent" | "TestEvent"];
export function told(event: PaymentEvent): string {
  if (event.type === "charge.completed") return event.data.charge_id;
  if (event.type === "withdrawal.failed") return event.data.withdrawal_id;
  return event.type;
}
`;

describe("an app on openapi-fetch and the types of the service's document", () => {
  const app = new GeneratedClient<{
    charge(baseUrl: string, key: string, email: string): Promise<string>;
    told(event: unknown): string;
  }>();

  it("an app on openapi-fetch compiles, and distinguishes events by type", async () => {
    await app.make("/openapi.json", "service.ts", pathToFileURL(temporaryFile("client.ts", APP)));
    expect(app.complaints).toBe("");
    const { charge, told } = await app.load();
    expect(told({ type: "charge.completed", data: { charge_id: "ch_1" } })).toBe("ch_1");
    const sandbox = await openSandbox();
    const { url } = await sandbox.listen({ port: 0 });
    expect(await charge(url, sandbox.apiKey, "ada@shop.test")).toBe("PENDING");
  });
});
