import { deliveryView } from "../../engine/log-views.js";
import { ackRequestSchema, takeRequestSchema } from "../../schema/control.js";
import { invalid, type Refusal, refuse } from "../../schema/errors.js";
import { check, issueDetails } from "../../schema/issues.js";
import { ok, type Reply } from "../reply.js";
import type { ControlCall } from "./operations.js";

const TAKEN_AT_ONCE = 100;

/**
 * Exactly what a receiver would have got: headers and body, signed now. Each waits for its `ack` from then on, as
 * long as a receiver has to answer.
 */
export function takeFromMailbox({ namespace, body, param }: ControlCall): Reply | Refusal {
  const checked = check(takeRequestSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const name = param("name");
  if (!namespace.engine.state.endpoints().some((endpoint) => endpoint.mailbox === name))
    return refuse("NOT_FOUND", `There is no mailbox "${name}"`);
  const taken = namespace.mailboxes.takeFromMailbox(name, checked.data.max ?? TAKEN_AT_ONCE);
  return ok({
    total: taken.length,
    items: taken.map(({ deliveryId, request }) => {
      const delivery = namespace.engine.state.get("deliveries", deliveryId);
      return {
        delivery_id: deliveryId,
        event_id: delivery?.event_id,
        type: delivery?.event_type,
        attempt: (delivery?.attempts.length ?? 0) + 1,
        ack_within_ms: namespace.mailboxes.answerWithinMs,
        headers: request.headers,
        body: request.body,
      };
    }),
  });
}

/** What the receiver answered, or why it could not be asked; a failure is tried again by the schedule. */
export function acknowledge({ namespace, body, param }: ControlCall): Reply | Refusal {
  const checked = check(ackRequestSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const { status = null, body: response_body = null, error = null } = checked.data;
  const id = param("delivery_id");
  if (!namespace.mailboxes.acknowledge(id, { status, response_body, error }))
    return refuse("NOT_FOUND", "Nobody has taken a delivery of that id, or its answer comes too late");
  return ok(deliveryView(namespace.engine.state, namespace.engine.state.get("deliveries", id)!));
}
