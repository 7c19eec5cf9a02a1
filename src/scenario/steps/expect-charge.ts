import type { StepOf } from "../../schema/steps.js";
import type { Executor, RunContext } from "./context.js";
import { listSince, type Row } from "./lists.js";
import { findCounted } from "./matching.js";
import { settle } from "./settle.js";

/** `expect_charge`: a charge, or so many, that are as described. */
export const expectCharge: Executor<StepOf<"expect_charge">> = async (step, context) => {
  const { count, ...expected } = step.expect_charge;
  await settle(context);
  return findCounted({
    what: "charge",
    expected,
    count,
    rows: await candidates(context, expected.charge_id),
    idOf: (row) => String(row.charge_id),
  });
};

/** Named by its id, that charge alone is looked at: what differs is then told of it. */
async function candidates({ client }: RunContext, id: unknown): Promise<Row[]> {
  if (typeof id !== "string" || /[*?/]/.test(id)) return listSince(client, "charges", undefined);
  const answer = await client.control("GET", `/charges/${encodeURIComponent(id)}`);
  return answer.status === 200 ? [answer.body as Row] : [];
}
