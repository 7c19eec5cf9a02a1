import { readPages } from "../../../control-client.js";
import { controlChargeSchema } from "../../../core/schema/control-responses.js";
import type { RunContext } from "../running/context.js";
import { type LogRow, listSince } from "../running/control-lists.js";
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
    const answer = await client.control("GET", `/charges/${encodeURIComponent(charge_id)}`);
    return answer.status === 200 ? [answer.body as LogRow] : [];
  }
  const metadataFilters = Object.entries((metadata ?? {}) as object).map(([key, value]) => [
    `metadata.${key}`,
    value,
  ]);
  const exact = [["customer_email", customer_email], ...metadataFilters].filter(([, value]) =>
    isExact(value),
  );
  const matches = exact.length === 0 ? [] : await chargesWith(client, exact as [string, string][]);
  // Without a match, reads all charges, to report those that match most closely.
  return matches.length > 0 ? matches : listSince(client, "charges", undefined);
}

function isExact(value: unknown): value is string {
  return typeof value === "string" && !/[*?/\\]/.test(value);
}

async function chargesWith(client: RunContext["client"], exact: [string, string][]): Promise<LogRow[]> {
  const path = `/charges?${new URLSearchParams(exact).toString()}`;
  const found: LogRow[] = [];
  for await (const page of readPages<LogRow>(path, (page) => client.callOrFail("GET", page)))
    found.push(...page);
  return found;
}
