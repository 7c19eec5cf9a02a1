import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { safeParse } from "../../src/core/schema/issues.js";
import { passesQuickValidation } from "../../src/core/schema/quick-validation.js";
import {
  checkoutRequestSchema,
  destinationRequestSchema,
  quoteRequestSchema,
  whitelabelRequestSchema,
  withdrawalRequestSchema,
} from "../../src/core/schema/service-requests.js";

const pricing = { base_currency: "USD", amount: "25.00", local_pricing: { KES: "3200.00" } };
const RIGHT = [
  [
    whitelabelRequestSchema,
    {
      pricing,
      customer_email: "ada@shop.test",
      customer_name: "Ada Obi",
      quote_id: "qt_1",
      payment_method: "mobile_money",
      phone_number: "+254700000001",
      bank_account_number: "0123456789",
      metadata: { order_id: "1" },
    },
  ],
  [
    quoteRequestSchema,
    { pricing, payment_method: "card", to_currency: "KES", customer_email: "ada@shop.test" },
  ],
  [checkoutRequestSchema, { pricing, customer_email: "ada@shop.test", metadata: {} }],
  [
    withdrawalRequestSchema,
    { destination_id: "dst_1", amount: "1.00", currency: "KES", reference: "rent-1", metadata: { a: "b" } },
  ],
] as const;

/** What may stand where something else should. */
const odd = fc.constantFrom<unknown>(
  undefined,
  null,
  1,
  "",
  "😀",
  "x".repeat(300),
  "-1",
  "01",
  "1\n",
  "ada@",
  "+0",
  [],
  ["a"],
  {},
  { length: 3 },
  JSON.parse('{"__proto__":"a"}'),
  { a: 1 },
  Object.fromEntries(Array.from({ length: 21 }, (_, key) => [key, ""])),
  { a: "x".repeat(10_240) },
);

describe("what is plainly right", () => {
  it("is so for bodies as they are sent", () => {
    for (const [schema, body] of RIGHT) expect(passesQuickValidation(schema, body)).toBe(true);
  });

  it("is right by the schema too, whatever stands in the place of what", () => {
    const bodies = fc.constantFrom(...RIGHT, [destinationRequestSchema, { type: "crypto_wallet" }] as const);
    let doubts = 0;
    fc.assert(
      fc.property(bodies, fc.nat(), odd, fc.boolean(), ([schema, body], at, value, isWithin) => {
        const fields: Record<string, unknown> = { ...body };
        const names = Object.keys(fields);
        if (isWithin && "pricing" in fields)
          fields.pricing = { ...pricing, [Object.keys(pricing)[at % 3]!]: value };
        else fields[names[at % names.length]!] = value;
        if (passesQuickValidation(schema, fields)) expect(safeParse<unknown>(schema, fields).ok).toBe(true);
        else doubts++;
      }),
      { numRuns: 1_000 },
    );
    expect(doubts).toBeGreaterThan(100);
  });
});
