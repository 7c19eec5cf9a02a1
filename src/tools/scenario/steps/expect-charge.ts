import { controlChargeSchema } from "../../../core/schema/control-responses.js";
import type { RunContext } from "../running/context.js";
import { type LogRow, readAllPages, readRecordsSince } from "../running/control-lists.js";
import { defineRecordExpectation } from "./expect-records.js";
import { chargeFields, expectedFields } from "./step-schemas.js";

export const expectCharge = defineRecordExpectation(
  "expect_charge",
  ["checks", "ignores_start", "own_customer"],
  {
    description: "A charge is as described; with count, exactly that many are.",
    what: "charge",
    fields: { ...chargeFields, ...expectedFields("kind", "sandbox") },
    record: controlChargeSchema,
    rows: candidates,
    idOf: (row) => String(row.charge_id),
  },
);

/** Reads only one charge if its id is given, so that a failure describes that charge. */
async function candidates(
  { client }: RunContext,
  { charge_id, customer_email, metadata }: Readonly<Record<string, unknown>>,
): Promise<readonly LogRow[]> {
  if (isExact(charge_id)) {
    const answer = await client.control("getCharge", { charge_id });
    return answer.status === 200 ? [answer.body as LogRow] : [];
  }
  const filters: Record<string, string> = {};
  if (isExact(customer_email)) filters.customer_email = customer_email;
  for (const [key, value] of Object.entries((metadata ?? {}) as object))
    if (isExact(value)) filters[`metadata.${key}`] = value;
  const hasFilters = Object.keys(filters).length > 0;
  const matches = hasFilters ? await readAllPages<LogRow>(client, "listCharges", filters) : [];
  // If no charge was found, reads all charges, because a failure describes the charges that match best.
  return matches.length > 0 ? matches : readRecordsSince(client, "charges", undefined);
}

function isExact(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !/[*?/\\]/.test(value);
}
