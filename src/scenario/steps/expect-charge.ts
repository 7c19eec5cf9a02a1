import { controlChargeSchema } from "../../schema/control-responses.js";
import type { RunContext } from "../running/context.js";
import { listSince, type Row } from "../running/lists.js";
import { expecting } from "./expecting.js";
import { chargeFields, fields } from "./parts.js";

export const expectCharge = expecting("expect_charge", {
  says: "A charge is as described; with count, exactly so many are.",
  what: "charge",
  fields: { ...chargeFields, ...fields("kind", "sandbox") },
  record: controlChargeSchema,
  rows: (context, { charge_id }) => candidates(context, charge_id),
  idOf: (row) => String(row.charge_id),
});

/** Named by its id, that charge alone is looked at: what differs is then told of it. */
async function candidates({ client }: RunContext, id: unknown): Promise<Row[]> {
  if (typeof id !== "string" || /[*?/]/.test(id)) return listSince(client, "charges", undefined);
  const answer = await client.control("GET", `/charges/${encodeURIComponent(id)}`);
  return answer.status === 200 ? [answer.body as Row] : [];
}
