import { retryDelivery } from "../../core/engine/commands/delivery-commands.js";
import {
  deleteEndpoint,
  endpointAt,
  registerEndpoint,
  updateEndpoint,
} from "../../core/engine/commands/endpoint-commands.js";
import type { Endpoint } from "../../core/engine/records.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import {
  ackRequestSchema,
  endpointPatchSchema,
  endpointRequestSchema,
  retryRequestSchema,
  takeRequestSchema,
} from "../../core/schema/control-log-requests.js";
import { normalizeWebhookUrl } from "../../core/schema/option-schemas.js";
import { isRefusal, refuse, refuseInvalid } from "../../core/schema/refusals.js";
import { pageQuerySchema } from "../../core/schema/service-requests.js";
import { secretErrorMessage } from "../../core/schema/signature-schemes.js";
import { durationToMs } from "../../core/schema/time.js";
import { viewOrRefusal } from "../http/reply.js";
import { defineControlOperation, pageReply } from "./control-operation.js";
import { createDeliveryMapper } from "./deliveries.js";
import { openFailures } from "./receivers.js";
import { controlEndpointView } from "./record-views.js";

/** Maximum number of deliveries that a retry of a receiver makes. */
const RETRIED_MAX = 1_000;

const endpointMapper = (namespace: Namespace) => (endpoint: Endpoint) =>
  controlEndpointView(namespace, endpoint);

export const ENDPOINT_OPERATIONS = [
  defineControlOperation({
    id: "listWebhookEndpoints",
    call: "GET /_sandbox/webhook-endpoints",
    summary: "List receivers",
    description: "The receivers of every organization and mode, newest first.",
    input: pageQuerySchema,
    output: "WebhookEndpointList",
    run: ({ namespace, input }) =>
      pageReply([...namespace.engine.state.endpoints()].reverse(), input, endpointMapper(namespace)),
  }),
  defineControlOperation({
    id: "createWebhookEndpoint",
    call: "POST /_sandbox/webhook-endpoints",
    summary: "Register a receiver",
    description:
      "A URL or a mailbox. It receives the events of every organization in its mode, unless one is given.",
    input: endpointRequestSchema,
    output: "WebhookEndpoint",
    example: { mailbox: "tests" },
    run: ({ namespace, input, mode: keyMode }) => {
      const { url, mailbox, lease, mode, organization_id, events, secret, signature, unreachable } = input;
      const target = {
        url: url === undefined ? null : normalizeWebhookUrl(url)!,
        mailbox: mailbox ?? null,
        mode: mode ?? keyMode,
        organizationId: organization_id ?? null,
      };
      const { state, settings } = namespace.engine;
      const existing = endpointAt(state, target);
      const signingSecret = secret ?? existing?.secret ?? namespace.info.webhookSecret;
      const fault = secretErrorMessage(signature ?? existing?.signature ?? settings.signature, signingSecret);
      if (fault !== undefined) return refuseInvalid({ secret: fault });
      const endpoint = registerEndpoint({
        ...target,
        leaseMs: lease === undefined ? undefined : durationToMs(lease),
        ...(unreachable === undefined ? {} : { unreachable }),
        events: events ?? ["*"],
        secret: signingSecret,
        ...(signature === undefined ? {} : { signature }),
      });
      return viewOrRefusal(namespace.execute(endpoint), endpointMapper(namespace));
    },
  }),
  defineControlOperation({
    id: "getWebhookEndpoint",
    call: "GET /_sandbox/webhook-endpoints/{webhook_id}",
    summary: "Get a receiver",
    description: "One receiver.",
    output: "WebhookEndpoint",
    run: ({ namespace, param }) =>
      viewOrRefusal(
        namespace.engine.state.get("endpoints", param("webhook_id")) ??
          refuse("NOT_FOUND", "Webhook not found"),
        endpointMapper(namespace),
      ),
  }),
  defineControlOperation({
    id: "updateWebhookEndpoint",
    call: "PATCH /_sandbox/webhook-endpoints/{webhook_id}",
    summary: "Update a receiver",
    description: "Changes the fields that are sent and keeps the rest.",
    input: endpointPatchSchema,
    output: "WebhookEndpoint",
    example: { enabled: true },
    run: ({ namespace, input: { url, force: _force, ...patch }, param }) => {
      const endpoint = namespace.engine.state.get("endpoints", param("webhook_id"));
      const fault = endpoint && secretErrorMessage(patch.signature ?? endpoint.signature, endpoint.secret);
      if (fault !== undefined)
        return refuseInvalid({ signature: `cannot use this endpoint's secret, which ${fault}` });
      const changes = { ...patch, url: url === undefined ? undefined : normalizeWebhookUrl(url) };
      return viewOrRefusal(
        namespace.execute(updateEndpoint(undefined, param("webhook_id"), changes)),
        endpointMapper(namespace),
      );
    },
  }),
  defineControlOperation({
    id: "retryReceiver",
    call: "POST /_sandbox/webhook-endpoints/{webhook_id}/retry",
    summary: "Retry what a receiver has not accepted",
    description:
      "Makes the next attempt of each delivery that it has not accepted now, up to 1,000, and returns these deliveries, newest first. An attempt under way is left alone.",
    input: retryRequestSchema,
    output: "DeliveryList",
    run: ({ namespace, param }) => {
      const endpoint = namespace.engine.state.get("endpoints", param("webhook_id"));
      if (endpoint === undefined) return refuse("NOT_FOUND", "Webhook not found");
      const { items } = openFailures(namespace.engine.state, endpoint, RETRIED_MAX);
      const retried = items.flatMap(({ delivery_id }) => {
        const result = namespace.execute(retryDelivery(delivery_id));
        return isRefusal(result) ? [] : result;
      });
      return pageReply(retried, { limit: String(RETRIED_MAX) }, createDeliveryMapper(namespace));
    },
  }),
  defineControlOperation({
    id: "deleteWebhookEndpoint",
    call: "DELETE /_sandbox/webhook-endpoints/{webhook_id}",
    summary: "Delete a receiver",
    description: "No more events are sent to it.",
    output: "WebhookEndpointDeleted",
    run: ({ namespace, param }) =>
      viewOrRefusal(namespace.execute(deleteEndpoint(undefined, param("webhook_id"))), ({ webhook_id }) => ({
        webhook_id,
        deleted: true,
      })),
  }),
];

const TAKE_DEFAULT = 100;

export const MAILBOX_OPERATIONS = [
  defineControlOperation({
    id: "takeFromMailbox",
    call: "POST /_sandbox/mailboxes/{name}/take",
    summary: "Receive from a mailbox",
    description:
      "Returns exactly what a receiver would be sent, signed now. Each delivery must then be acknowledged within the time a receiver has to respond.",
    input: takeRequestSchema,
    output: "MailboxItemList",
    example: { max: 1 },
    run: ({ namespace, input, param }) => {
      const name = param("name");
      const { state } = namespace.engine;
      if (!state.endpoints().some((endpoint) => endpoint.mailbox === name))
        return refuse("NOT_FOUND", `There is no mailbox "${name}"`);
      const taken = namespace.mailboxes.takeFromMailbox(name, input.max ?? TAKE_DEFAULT);
      namespace.mailboxExpiry.renew(name, taken.length > 0);
      const items = taken.map(({ deliveryId, request }) => {
        const { event_id, event_type, attempts } = state.get("deliveries", deliveryId)!;
        return {
          delivery_id: deliveryId,
          event_id,
          type: event_type,
          attempt: attempts.length + 1,
          ack_within_ms: namespace.mailboxes.acknowledgeTimeoutMs,
          headers: request.headers,
          body: request.body,
        };
      });
      return { total: taken.length, items };
    },
  }),
  defineControlOperation({
    id: "acknowledgeDelivery",
    call: "POST /_sandbox/mailboxes/{name}/{delivery_id}/ack",
    summary: "Acknowledge a delivery",
    description:
      "Reports the receiver's response to a delivery taken from the mailbox; a failure is retried as scheduled.",
    input: ackRequestSchema,
    output: "Delivery",
    example: { status: 200, body: "ok" },
    run: ({ namespace, input, param }) => {
      const { status = null, body: response_body = null, error = null, headers } = input;
      const id = param("delivery_id");
      const [, retryAfter = null] =
        Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === "retry-after") ?? [];
      const { state } = namespace.engine;
      const { webhook_id = "" } = state.get("deliveries", id) ?? {};
      const isOfOther = (state.get("endpoints", webhook_id)?.mailbox ?? param("name")) !== param("name");
      if (isOfOther || !namespace.mailboxes.acknowledge(id, { status, response_body, error }, retryAfter))
        return refuse(
          "NOT_FOUND",
          "No delivery with that ID is taken from this mailbox, or the acknowledgement came too late",
        );
      return createDeliveryMapper(namespace)(state.get("deliveries", id)!);
    },
  }),
];
