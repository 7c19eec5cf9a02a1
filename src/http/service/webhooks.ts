import type { Caller } from "../../engine/caller.js";
import {
  deleteEndpoint,
  registerEndpoint,
  rotateSecret,
  updateEndpoint,
} from "../../engine/commands/webhooks.js";
import { visibleEndpoints } from "../../engine/queries.js";
import type { Endpoint } from "../../engine/records.js";
import { endpointView } from "../../engine/views.js";
import { invalid, isRefusal, type Refusal, refuse } from "../../schema/errors.js";
import { check, issueDetails } from "../../schema/issues.js";
import { webhookPatchSchema, webhookRequestSchema } from "../../schema/requests.js";
import type { Call } from "../operations.js";
import { readPage } from "../query.js";
import { ok, type Reply } from "../reply.js";

export function createWebhook({ namespace, caller, body }: Call<Caller>): Reply | Refusal {
  const checked = check(webhookRequestSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const { url, events } = checked.data;
  const endpoint = namespace.execute(
    registerEndpoint({
      url: new URL(url).href,
      mode: caller.mode,
      organizationId: caller.organization.organization_id,
      events: events ?? ["*"],
    }),
  );
  return ok(endpointView(endpoint));
}

export function listWebhooks({ namespace, caller, url }: Call<Caller>): Reply | Refusal {
  const page = readPage(url);
  if (isRefusal(page)) return page;
  const endpoints = visibleEndpoints(namespace.engine.state, caller).reverse();
  return ok({
    total: endpoints.length,
    items: endpoints.slice(page.offset, page.offset + page.limit).map(endpointView),
  });
}

export function getWebhook({ namespace, caller, param }: Call<Caller>): Reply | Refusal {
  const id = param("webhook_id");
  const endpoint = visibleEndpoints(namespace.engine.state, caller).find((one) => one.webhook_id === id);
  return endpoint === undefined ? refuse("NOT_FOUND", "Webhook not found") : ok(endpointView(endpoint));
}

export function updateWebhook({ namespace, caller, param, body }: Call<Caller>): Reply | Refusal {
  const checked = check(webhookPatchSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const { url, ...rest } = checked.data;
  const patch = { ...rest, url: url === undefined ? undefined : new URL(url).href };
  return shown(namespace.execute(updateEndpoint(caller, param("webhook_id"), patch)));
}

export function deleteWebhook({ namespace, caller, param }: Call<Caller>): Reply | Refusal {
  const deleted = namespace.execute(deleteEndpoint(caller, param("webhook_id")));
  return isRefusal(deleted) ? deleted : ok({ webhook_id: deleted.webhook_id, deleted: true });
}

export function rotateWebhookSecret({ namespace, caller, param }: Call<Caller>): Reply | Refusal {
  return shown(namespace.execute(rotateSecret(caller, param("webhook_id"))));
}

function shown(result: Endpoint | Refusal): Reply | Refusal {
  return isRefusal(result) ? result : ok(endpointView(result));
}
