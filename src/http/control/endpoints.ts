import {
  deleteEndpoint,
  endpointAt,
  registerEndpoint,
  updateEndpoint,
} from "../../engine/commands/webhooks.js";
import { controlEndpointView } from "../../engine/log-views.js";
import { endpointPatchSchema, endpointRequestSchema } from "../../schema/control-webhooks.js";
import { durationMs } from "../../schema/duration.js";
import { invalid, refuse } from "../../schema/errors.js";
import { webhookUrl } from "../../schema/options.js";
import { pageQuerySchema } from "../../schema/requests.js";
import { secretFault } from "../../schema/webhooks.js";
import { controlOperation, listed, shown } from "./operation.js";

/** The endpoints of every organization and mode. */
export const ENDPOINTS = [
  controlOperation(
    {
      id: "listWebhookEndpoints",
      method: "GET",
      path: "/_sandbox/webhook-endpoints",
      query: pageQuerySchema,
      answer: "WebhookEndpointList",
      says: {
        summary: "List receivers",
        about: "The receivers of every organization and mode, newest first.",
      },
    },
    ({ namespace, query }) =>
      listed([...namespace.engine.state.endpoints()].reverse(), query, controlEndpointView),
  ),
  controlOperation(
    {
      id: "createWebhookEndpoint",
      method: "POST",
      path: "/_sandbox/webhook-endpoints",
      body: endpointRequestSchema,
      answer: "WebhookEndpoint",
      says: {
        summary: "Register a receiver",
        about:
          "A URL or a mailbox. It receives the events of every organization in its mode, unless one is given.",
        example: { mailbox: "tests" },
      },
    },
    ({ namespace, body, mode: keyMode }) => {
      const { url, mailbox, lease, mode, organization_id, events, secret, signature, unreachable } = body;
      const place = {
        url: url === undefined ? null : webhookUrl(url)!,
        mailbox: mailbox ?? null,
        mode: mode ?? keyMode,
        organizationId: organization_id ?? null,
      };
      const { state, settings } = namespace.engine;
      const known = endpointAt(state, place);
      const signedWith = secret ?? known?.secret ?? namespace.info.webhookSecret;
      const fault = secretFault(signature ?? known?.signature ?? settings.signature, signedWith);
      if (fault !== undefined) return invalid({ secret: fault });
      const endpoint = registerEndpoint({
        ...place,
        leaseMs: lease === undefined ? undefined : durationMs(lease),
        ...(unreachable === undefined ? {} : { unreachable }),
        events: events ?? ["*"],
        secret: signedWith,
        ...(signature === undefined ? {} : { signature }),
      });
      return controlEndpointView(namespace.execute(endpoint));
    },
  ),
  controlOperation(
    {
      id: "getWebhookEndpoint",
      method: "GET",
      path: "/_sandbox/webhook-endpoints/:webhook_id",
      answer: "WebhookEndpoint",
      says: { summary: "Get a receiver", about: "One receiver." },
    },
    ({ namespace, param }) =>
      shown(
        namespace.engine.state.get("endpoints", param("webhook_id")) ??
          refuse("NOT_FOUND", "Webhook not found"),
        controlEndpointView,
      ),
  ),
  controlOperation(
    {
      id: "updateWebhookEndpoint",
      method: "PATCH",
      path: "/_sandbox/webhook-endpoints/:webhook_id",
      body: endpointPatchSchema,
      answer: "WebhookEndpoint",
      says: {
        summary: "Update a receiver",
        about: "Changes the fields that are sent and keeps the rest.",
        example: { enabled: true },
      },
    },
    ({ namespace, body: { url, force: _force, ...patch }, param }) => {
      const known = namespace.engine.state.get("endpoints", param("webhook_id"));
      if (url !== undefined && known !== undefined && known.mailbox !== null)
        return invalid({ url: "is not for a mailbox" });
      const fault = known && secretFault(patch.signature ?? known.signature, known.secret);
      if (fault !== undefined)
        return invalid({ signature: `cannot use this endpoint's secret, which ${fault}` });
      const changes = { ...patch, url: url === undefined ? undefined : webhookUrl(url) };
      return shown(
        namespace.execute(updateEndpoint(undefined, param("webhook_id"), changes)),
        controlEndpointView,
      );
    },
  ),
  controlOperation(
    {
      id: "deleteWebhookEndpoint",
      method: "DELETE",
      path: "/_sandbox/webhook-endpoints/:webhook_id",
      answer: "WebhookEndpointDeleted",
      says: { summary: "Delete a receiver", about: "No more events are sent to it." },
    },
    ({ namespace, param }) =>
      shown(namespace.execute(deleteEndpoint(undefined, param("webhook_id"))), ({ webhook_id }) => ({
        webhook_id,
        deleted: true,
      })),
  ),
];
