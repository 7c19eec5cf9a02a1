import * as z from "zod/mini";
import { modeSchema, withdrawalStatusSchema } from "../../../core/schema/common.js";
import { expectationMatcherSchema } from "../../../core/schema/matchers.js";
import { withdrawalSchema } from "../../../core/schema/service-responses.js";
import { recordIdOf } from "../running/control-lists.js";
import { defineRecordExpectation } from "./expect-records.js";
import { expectedFields } from "./step-schemas.js";

type Field = keyof typeof withdrawalSchema.shape;

/** Ignores withdrawals from before the run, because a withdrawal names no customer. */
export const expectWithdrawal = defineRecordExpectation("expect_withdrawal", ["checks"], {
  description: "A withdrawal made since the run began is as described; with count, exactly that many are.",
  what: "withdrawal",
  fields: {
    ...expectedFields(...(Object.keys(withdrawalSchema.shape) as Field[])),
    mode: z.optional(modeSchema),
    status: z.optional(z.union([withdrawalStatusSchema, expectationMatcherSchema])),
  },
  record: z.extend(withdrawalSchema, { mode: modeSchema }),
  rows: ({ startState }) => startState.since("withdrawals"),
  idOf: (row) => recordIdOf("withdrawals", row),
});
