import {
  deleteEndpoint,
  registerEndpoint,
  rotateSecret,
  updateEndpoint,
} from "../../core/engine/commands/endpoint-commands.js";
import { listVisibleEndpoints } from "../../core/engine/queries.js";
import type { Endpoint } from "../../core/engine/records.js";
import { endpointView } from "../../core/engine/wire-views.js";
import { isRefusal, type Refusal, refuse } from "../../core/schema/refusals.js";
import {
  pageQuerySchema,
  webhookPatchSchema,
  webhookRequestSchema,
} from "../../core/schema/service-requests.js";
import { limitAndOffset } from "../http/operation-spec.js";
import { ok, type Reply } from "../http/reply.js";
import { ASSUMED_CALL_NOTE, defineOperation } from "./operation.js";

export const createWebhook = defineOperation({
  id: "createWebhook",
  method: "POST",
  path: "/api/v1/webhooks",
  body: webhookRequestSchema,
  response: "Webhook",
  docs: {
    tag: "Webhooks",
    summary: "Register a webhook",
    description: "Registers a URL for events in the key's mode. Registering the same URL again updates it.",
    assumed: ASSUMED_CALL_NOTE,
  },
  handle: ({ namespace, caller: { mode, organization }, body: { url, events } }) => {
    const target = { url: new URL(url).href, mode, organizationId: organization.organization_id };
    return endpointReply(namespace.execute(registerEndpoint({ ...target, events: events ?? ["*"] })));
  },
});

export const listWebhooks = defineOperation({
  id: "listWebhooks",
  method: "GET",
  path: "/api/v1/webhooks",
  query: pageQuerySchema,
  response: "WebhookList",
  docs: {
    tag: "Webhooks",
    summary: "List webhooks",
    description:
      "The endpoints of the key's mode, newest first, including those the sandbox was started with.",
    assumed: ASSUMED_CALL_NOTE,
  },
  handle: ({ namespace, caller, query }) => {
    const { limit, offset } = limitAndOffset(query);
    const endpoints = listVisibleEndpoints(namespace.engine.state, caller).reverse();
    return ok({
      total: endpoints.length,
      items: endpoints.slice(offset, offset + limit).map(endpointView),
    });
  },
});

export const getWebhook = defineOperation({
  id: "getWebhook",
  method: "GET",
  path: "/api/v1/webhooks/:webhook_id",
  response: "Webhook",
  docs: {
    tag: "Webhooks",
    summary: "Get a webhook",
    description: "One endpoint, with its secret.",
    assumed: ASSUMED_CALL_NOTE,
    notFound: "endpoint",
  },
  handle: ({ namespace, caller, param }) => {
    const id = param("webhook_id");
    const endpoint = listVisibleEndpoints(namespace.engine.state, caller).find(
      ({ webhook_id }) => webhook_id === id,
    );
    return endpointReply(endpoint ?? refuse("NOT_FOUND", "Webhook not found"));
  },
});

export const updateWebhook = defineOperation({
  id: "updateWebhook",
  method: "PATCH",
  path: "/api/v1/webhooks/:webhook_id",
  body: webhookPatchSchema,
  response: "Webhook",
  docs: {
    tag: "Webhooks",
    summary: "Update a webhook",
    description: "Changes the fields that are sent and keeps the rest.",
    assumed: ASSUMED_CALL_NOTE,
    notFound: "endpoint",
  },
  handle: ({ namespace, caller, param, body }) => {
    const { url, events, enabled } = body;
    const patch = {
      url: typeof url === "string" ? new URL(url).href : undefined,
      events: events ?? undefined,
      enabled: enabled ?? undefined,
    };
    return endpointReply(namespace.execute(updateEndpoint(caller, param("webhook_id"), patch)));
  },
});

export const deleteWebhook = defineOperation({
  id: "deleteWebhook",
  method: "DELETE",
  path: "/api/v1/webhooks/:webhook_id",
  response: "WebhookDeleted",
  docs: {
    tag: "Webhooks",
    summary: "Delete a webhook",
    description: "No more events are sent to it.",
    assumed: ASSUMED_CALL_NOTE,
    notFound: "endpoint",
  },
  handle: ({ namespace, caller, param }) => {
    const deleted = namespace.execute(deleteEndpoint(caller, param("webhook_id")));
    return isRefusal(deleted) ? deleted : ok({ webhook_id: deleted.webhook_id, deleted: true });
  },
});

export const rotateWebhookSecret = defineOperation({
  id: "rotateWebhookSecret",
  method: "POST",
  path: "/api/v1/webhooks/:webhook_id/rotate-secret",
  response: "Webhook",
  docs: {
    tag: "Webhooks",
    summary: "Rotate a webhook's secret",
    description: "Gives the endpoint a new secret. For 24 hours, events are signed with both.",
    assumed: ASSUMED_CALL_NOTE,
    notFound: "endpoint",
  },
  handle: ({ namespace, caller, param }) =>
    endpointReply(namespace.execute(rotateSecret(caller, param("webhook_id")))),
});

function endpointReply(endpoint: Endpoint | Refusal): Reply | Refusal {
  return isRefusal(endpoint) ? endpoint : ok(endpointView(endpoint));
}
