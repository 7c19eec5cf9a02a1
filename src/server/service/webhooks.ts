import {
  deleteEndpoint,
  registerEndpoint,
  rotateSecret,
  updateEndpoint,
} from "../../core/engine/commands/endpoint-commands.js";
import { listVisibleEndpoints } from "../../core/engine/queries.js";
import { endpointView } from "../../core/engine/wire-views.js";
import { refuse } from "../../core/schema/refusals.js";
import {
  pageQuerySchema,
  webhookPatchSchema,
  webhookRequestSchema,
} from "../../core/schema/service-requests.js";
import { limitAndOffset } from "../http/operation-row.js";
import { viewOrRefusal } from "../http/reply.js";
import { ASSUMED_CALL_NOTE, defineOperation } from "./operation.js";

export const createWebhook = defineOperation({
  id: "createWebhook",
  call: "POST /api/v1/webhooks",
  tag: "Webhooks",
  summary: "Register a webhook",
  description: "Registers a URL for events in the key's mode. Registering the same URL again updates it.",
  assumed: ASSUMED_CALL_NOTE,
  input: webhookRequestSchema,
  output: "Webhook",
  run: ({ namespace, caller: { mode, organization }, input: { url, events } }) => {
    const target = { url: new URL(url).href, mode, organizationId: organization.organization_id };
    return viewOrRefusal(
      namespace.execute(registerEndpoint({ ...target, events: events ?? ["*"] })),
      endpointView,
    );
  },
});

export const listWebhooks = defineOperation({
  id: "listWebhooks",
  call: "GET /api/v1/webhooks",
  tag: "Webhooks",
  summary: "List webhooks",
  description: "The endpoints of the key's mode, newest first, including those the sandbox was started with.",
  assumed: ASSUMED_CALL_NOTE,
  input: pageQuerySchema,
  output: "WebhookList",
  run: ({ namespace, caller, input }) => {
    const { limit, offset } = limitAndOffset(input);
    const endpoints = listVisibleEndpoints(namespace.engine.state, caller).reverse();
    return { total: endpoints.length, items: endpoints.slice(offset, offset + limit).map(endpointView) };
  },
});

export const getWebhook = defineOperation({
  id: "getWebhook",
  call: "GET /api/v1/webhooks/{webhook_id}",
  tag: "Webhooks",
  summary: "Get a webhook",
  description: "One endpoint, with its secret.",
  assumed: ASSUMED_CALL_NOTE,
  notFound: "endpoint",
  output: "Webhook",
  run: ({ namespace, caller, param }) => {
    const id = param("webhook_id");
    const endpoint = listVisibleEndpoints(namespace.engine.state, caller).find(
      ({ webhook_id }) => webhook_id === id,
    );
    return viewOrRefusal(endpoint ?? refuse("NOT_FOUND", "Webhook not found"), endpointView);
  },
});

export const updateWebhook = defineOperation({
  id: "updateWebhook",
  call: "PATCH /api/v1/webhooks/{webhook_id}",
  tag: "Webhooks",
  summary: "Update a webhook",
  description: "Changes the fields that are sent and keeps the rest.",
  assumed: ASSUMED_CALL_NOTE,
  notFound: "endpoint",
  input: webhookPatchSchema,
  output: "Webhook",
  run: ({ namespace, caller, param, input }) => {
    const { url, events, enabled } = input;
    const patch = {
      url: typeof url === "string" ? new URL(url).href : undefined,
      events: events ?? undefined,
      enabled: enabled ?? undefined,
    };
    return viewOrRefusal(namespace.execute(updateEndpoint(caller, param("webhook_id"), patch)), endpointView);
  },
});

export const deleteWebhook = defineOperation({
  id: "deleteWebhook",
  call: "DELETE /api/v1/webhooks/{webhook_id}",
  tag: "Webhooks",
  summary: "Delete a webhook",
  description: "No more events are sent to it.",
  assumed: ASSUMED_CALL_NOTE,
  notFound: "endpoint",
  output: "WebhookDeleted",
  run: ({ namespace, caller, param }) => {
    const deleted = namespace.execute(deleteEndpoint(caller, param("webhook_id")));
    return viewOrRefusal(deleted, ({ webhook_id }) => ({ webhook_id, deleted: true as const }));
  },
});

export const rotateWebhookSecret = defineOperation({
  id: "rotateWebhookSecret",
  call: "POST /api/v1/webhooks/{webhook_id}/rotate-secret",
  tag: "Webhooks",
  summary: "Rotate a webhook's secret",
  description: "Gives the endpoint a new secret. For 24 hours, events are signed with both.",
  assumed: ASSUMED_CALL_NOTE,
  notFound: "endpoint",
  output: "Webhook",
  run: ({ namespace, caller, param }) =>
    viewOrRefusal(namespace.execute(rotateSecret(caller, param("webhook_id"))), endpointView),
});
