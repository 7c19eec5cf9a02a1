import {
  deleteEndpoint,
  endpointAt,
  registerEndpoint,
  updateEndpoint,
} from "../../core/engine/commands/endpoint-commands.js";
import {
  ackRequestSchema,
  endpointPatchSchema,
  endpointRequestSchema,
  takeRequestSchema,
} from "../../core/schema/control-log-requests.js";
import { durationToMs } from "../../core/schema/duration.js";
import { normalizeWebhookUrl } from "../../core/schema/option-schemas.js";
import { refuse, refuseInvalid } from "../../core/schema/refusals.js";
import { pageQuerySchema } from "../../core/schema/service-requests.js";
import { secretErrorMessage } from "../../core/schema/signature-schemes.js";
import { defineControlOperation, pageReply, viewOrRefusal } from "./control-operation.js";
import { createDeliveryMapper } from "./deliveries.js";
import { controlEndpointView } from "./record-views.js";

export const ENDPOINT_OPERATIONS = [
  defineControlOperation({
    id: "listWebhookEndpoints",
    call: "GET /_sandbox/webhook-endpoints",
    query: pageQuerySchema,
    response: "WebhookEndpointList",
    docs: {
      summary: "List receivers",
      description: "The receivers of every organization and mode, newest first.",
    },
    handle: ({ namespace, query }) =>
      pageReply([...namespace.engine.state.endpoints()].reverse(), query, controlEndpointView),
  }),
  defineControlOperation({
    id: "createWebhookEndpoint",
    call: "POST /_sandbox/webhook-endpoints",
    body: endpointRequestSchema,
    response: "WebhookEndpoint",
    docs: {
      summary: "Register a receiver",
      description:
        "A URL or a mailbox. It receives the events of every organization in its mode, unless one is given.",
      example: { mailbox: "tests" },
    },
    handle: ({ namespace, body, mode: keyMode }) => {
      const { url, mailbox, lease, mode, organization_id, events, secret, signature, unreachable } = body;
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
      return controlEndpointView(namespace.execute(endpoint));
    },
  }),
  defineControlOperation({
    id: "getWebhookEndpoint",
    call: "GET /_sandbox/webhook-endpoints/:webhook_id",
    response: "WebhookEndpoint",
    docs: { summary: "Get a receiver", description: "One receiver." },
    handle: ({ namespace, param }) =>
      viewOrRefusal(
        namespace.engine.state.get("endpoints", param("webhook_id")) ??
          refuse("NOT_FOUND", "Webhook not found"),
        controlEndpointView,
      ),
  }),
  defineControlOperation({
    id: "updateWebhookEndpoint",
    call: "PATCH /_sandbox/webhook-endpoints/:webhook_id",
    body: endpointPatchSchema,
    response: "WebhookEndpoint",
    docs: {
      summary: "Update a receiver",
      description: "Changes the fields that are sent and keeps the rest.",
      example: { enabled: true },
    },
    handle: ({ namespace, body: { url, force: _force, ...patch }, param }) => {
      const endpoint = namespace.engine.state.get("endpoints", param("webhook_id"));
      const fault = endpoint && secretErrorMessage(patch.signature ?? endpoint.signature, endpoint.secret);
      if (fault !== undefined)
        return refuseInvalid({ signature: `cannot use this endpoint's secret, which ${fault}` });
      const changes = { ...patch, url: url === undefined ? undefined : normalizeWebhookUrl(url) };
      return viewOrRefusal(
        namespace.execute(updateEndpoint(undefined, param("webhook_id"), changes)),
        controlEndpointView,
      );
    },
  }),
  defineControlOperation({
    id: "deleteWebhookEndpoint",
    call: "DELETE /_sandbox/webhook-endpoints/:webhook_id",
    response: "WebhookEndpointDeleted",
    docs: { summary: "Delete a receiver", description: "No more events are sent to it." },
    handle: ({ namespace, param }) =>
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
    call: "POST /_sandbox/mailboxes/:name/take",
    body: takeRequestSchema,
    response: "MailboxItemList",
    docs: {
      summary: "Receive from a mailbox",
      description:
        "Returns exactly what a receiver would be sent, signed now. Each delivery must then be acknowledged within the time a receiver has to respond.",
      example: { max: 1 },
    },
    handle: ({ namespace, body, param }) => {
      const name = param("name");
      const { state } = namespace.engine;
      if (!state.endpoints().some((endpoint) => endpoint.mailbox === name))
        return refuse("NOT_FOUND", `There is no mailbox "${name}"`);
      const taken = namespace.mailboxes.takeFromMailbox(name, body.max ?? TAKE_DEFAULT);
      namespace.mailboxLeases.renew(name, taken.length > 0);
      const items = taken.map(({ deliveryId, request }) => {
        const delivery = state.get("deliveries", deliveryId);
        return {
          delivery_id: deliveryId,
          event_id: delivery?.event_id,
          type: delivery?.event_type,
          attempt: (delivery?.attempts.length ?? 0) + 1,
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
    call: "POST /_sandbox/mailboxes/:name/:delivery_id/ack",
    body: ackRequestSchema,
    response: "Delivery",
    docs: {
      summary: "Acknowledge a delivery",
      description:
        "Reports the receiver's response to a delivery taken from the mailbox; a failure is retried as scheduled.",
      example: { status: 200, body: "ok" },
    },
    handle: ({ namespace, body, param }) => {
      const { status = null, body: response_body = null, error = null, headers } = body;
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
