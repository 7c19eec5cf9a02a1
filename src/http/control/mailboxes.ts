import { ackRequestSchema, takeRequestSchema } from "../../schema/control-webhooks.js";
import { refuse } from "../../schema/errors.js";
import { viewIn } from "./deliveries.js";
import { controlOperation } from "./operation.js";

const TAKEN_AT_ONCE = 100;

export const MAILBOXES = [
  controlOperation(
    {
      id: "takeFromMailbox",
      method: "POST",
      path: "/_sandbox/mailboxes/:name/take",
      body: takeRequestSchema,
      answer: "MailboxItemList",
      says: {
        summary: "Receive from a mailbox",
        about:
          "Returns exactly what a receiver would be sent, signed now. Each delivery must then be acknowledged within the time a receiver has to respond.",
        example: { max: 1 },
      },
    },
    ({ namespace, body, param }) => {
      const name = param("name");
      const { state } = namespace.engine;
      if (!state.endpoints().some((endpoint) => endpoint.mailbox === name))
        return refuse("NOT_FOUND", `There is no mailbox "${name}"`);
      const taken = namespace.mailboxes.takeFromMailbox(name, body.max ?? TAKEN_AT_ONCE);
      namespace.mailboxLeases.renew(name, taken.length > 0);
      const items = taken.map(({ deliveryId, request }) => {
        const delivery = state.get("deliveries", deliveryId);
        return {
          delivery_id: deliveryId,
          event_id: delivery?.event_id,
          type: delivery?.event_type,
          attempt: (delivery?.attempts.length ?? 0) + 1,
          ack_within_ms: namespace.mailboxes.answerWithinMs,
          headers: request.headers,
          body: request.body,
        };
      });
      return { total: taken.length, items };
    },
  ),
  controlOperation(
    {
      id: "acknowledgeDelivery",
      method: "POST",
      path: "/_sandbox/mailboxes/:name/:delivery_id/ack",
      body: ackRequestSchema,
      answer: "Delivery",
      says: {
        summary: "Acknowledge a delivery",
        about:
          "Reports the receiver's response to a delivery taken from the mailbox; a failure is retried as scheduled.",
        example: { status: 200, body: "ok" },
      },
    },
    ({ namespace, body, param }) => {
      const { status = null, body: response_body = null, error = null, headers } = body;
      const id = param("delivery_id");
      const [, retryAfter = null] =
        Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === "retry-after") ?? [];
      if (!namespace.mailboxes.acknowledge(id, { status, response_body, error }, retryAfter))
        return refuse(
          "NOT_FOUND",
          "No delivery with that ID is taken from this mailbox, or the acknowledgement came too late",
        );
      return viewIn(namespace)(namespace.engine.state.get("deliveries", id)!);
    },
  ),
];
