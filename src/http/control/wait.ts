import { mismatches } from "../../domain/deep-match.js";
import { deliveryView } from "../../engine/log-views.js";
import { chargeDetail } from "../../engine/views.js";
import { waitRequestSchema } from "../../schema/control.js";
import { durationMs } from "../../schema/duration.js";
import { type ErrorDetails, invalid, type Refusal, refuse } from "../../schema/errors.js";
import { check, issueDetails } from "../../schema/issues.js";
import type { World } from "../ports.js";
import { ok, type Reply } from "../reply.js";
import { requestView } from "./logs.js";
import type { ControlCall } from "./operations.js";

const DEFAULT_TIMEOUT = "10s";
const MISSES_SHOWN = 3;

/** Answers when what is waited for is there, or 408 with what came nearest (contract section 7: wait). */
export async function waitFor({ world, body }: ControlCall): Promise<Reply | Refusal> {
  const checked = check(waitRequestSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const { for: what, match = {}, count = 1, timeout = DEFAULT_TIMEOUT } = checked.data;
  const timeoutMs = durationMs(timeout);
  if (what === "idle") {
    const isIdle = await world.until(() => world.isIdle(), timeoutMs);
    if (isIdle) return ok({ idle: true, now: world.clock.view().now });
    return refuse("WAIT_TIMEOUT", `Not idle within ${timeout}: something is due or a delivery is under way`);
  }
  const found = () => {
    world.settle();
    return candidates(world, what).filter((one) => mismatches(match, one).length === 0);
  };
  const isThere = await world.until(() => found().length >= count, timeoutMs);
  if (isThere) return ok(found()[0]);
  const got = found().length;
  return refuse(
    "WAIT_TIMEOUT",
    `No ${what} matched within ${timeout}${count > 1 ? ` (${got} of ${count})` : ""}`,
    nearestMisses(candidates(world, what), match),
  );
}

/** Newest first. */
function candidates(world: World, what: "charge" | "request" | "delivery"): Record<string, unknown>[] {
  const { state } = world.engine;
  switch (what) {
    case "charge":
      return state.page("charges", "charges", 0, state.count("charges")).map((charge) => ({
        ...chargeDetail(charge),
        mode: charge.mode,
      }));
    case "delivery":
      return state
        .page("deliveries", "deliveries", 0, state.count("deliveries"))
        .map((delivery) => deliveryView(state, delivery));
    case "request":
      return world.journal.entries().map(requestView);
  }
}

/** Undefined when there is nothing that could have matched: an error's details are never empty. */
function nearestMisses(all: readonly Record<string, unknown>[], match: unknown): ErrorDetails | undefined {
  const ranked = all
    .map((one) => ({ one, wrong: mismatches(match, one) }))
    .filter(({ wrong }) => wrong.length > 0)
    .sort((a, b) => a.wrong.length - b.wrong.length)
    .slice(0, MISSES_SHOWN);
  if (ranked.length === 0) return undefined;
  return Object.fromEntries(
    ranked.map(({ one, wrong }) => [
      String(one.charge_id ?? one.delivery_id ?? one.request_id),
      wrong
        .map(
          ({ path, expected, actual }) =>
            `${path} is ${JSON.stringify(actual) ?? "absent"}, not ${JSON.stringify(expected)}`,
        )
        .join("; "),
    ]),
  );
}
