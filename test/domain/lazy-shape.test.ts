import { expect, it } from "vitest";
import * as z from "zod/mini";
import {
  field,
  fieldsOf,
  lazyShape,
  schemaDescriptionOf,
  shape,
} from "../../src/core/schema/descriptions.js";
import { safeParse } from "../../src/core/schema/issues.js";

const fields = () => ({
  amount: field(z.string(), "How much."),
  note: field(z.optional(z.string()), "What for."),
});

it("a lazy shape makes its fields once, at first use", () => {
  let times = 0;
  const schema = lazyShape("Order", "An order.", () => {
    times++;
    return fields();
  });
  expect(times).toBe(0);
  expect(safeParse(schema, { amount: "1.00", more: true })).toEqual({ ok: true, data: { amount: "1.00" } });
  expect(Object.keys(schema.shape)).toEqual(["amount", "note"]);
  expect(schemaDescriptionOf(schema)).toMatchObject({ name: "Order", note: "An order." });
  expect(fieldsOf(schema).note.note).toBe("What for.");
  expect(fieldsOf(schema).note.schema).toBe(schema.shape.note);
  expect(times).toBe(1);
});

it.each([{}, { amount: 1 }, { amount: "1", note: 2 }, { amount: "1", note: "" }, null, []])(
  "a lazy shape has the same issues as a plain one for %j",
  (value) => {
    const [later, now] = [lazyShape("Later", "", fields), shape("Now", "", fields())];
    expect(safeParse(later, value)).toEqual(safeParse(now, value));
  },
);
