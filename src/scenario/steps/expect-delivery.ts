import type { StepOf } from "../../schema/steps.js";
import type { Executor } from "./context.js";
import type { Row } from "./lists.js";
import { findCounted } from "./matching.js";
import { settle } from "./settle.js";

/**
 * `expect_delivery`: attempts at telling the app since the run began, and what it answered to each. What a rule
 * dropped was never attempted: it counts, by itself, where the step asks for it.
 */
export const expectDelivery: Executor<StepOf<"expect_delivery">> = async (step, context) => {
  const { count, ...expected } = step.expect_delivery;
  await settle(context);
  const deliveries = await context.baseline.since("deliveries");
  return findCounted({
    what: "delivery attempt",
    expected,
    count,
    rows: expected.status === "dropped" ? deliveries.map(asRow) : deliveries.flatMap(attemptsOf),
    idOf: ({ type, delivery_id, attempt }) =>
      `${String(type)} ${String(delivery_id)}${attempt === undefined ? "" : ` attempt ${String(attempt)}`}`,
  });
};

function asRow({ attempts: _attempts, ...delivery }: Row): Row {
  return delivery;
}

/** A row for each attempt, with the delivery's own fields; `status` stays the delivery's. */
function attemptsOf(delivery: Row): Row[] {
  const { attempts, ...common } = delivery as { attempts: Row[] };
  return [...attempts]
    .reverse()
    .map((attempt) => ({ ...attempt, ...common, answered: attempt.status, attempt: attempt.attempt }));
}
