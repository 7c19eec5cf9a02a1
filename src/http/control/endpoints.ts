import {
  deleteEndpoint,
  endpointAt,
  registerEndpoint,
  updateEndpoint,
} from "../../engine/commands/webhooks.js";
import { controlEndpointView } from "../../engine/log-views.js";
import { endpointPatchSchema, endpointRequestSchema } from "../../schema/control.js";
import { invalid, isRefusal, type Refusal, refuse } from "../../schema/errors.js";
import { check, issueDetails } from "../../schema/issues.js";
import { webhookUrl } from "../../schema/options.js";
import { secretFault } from "../../schema/webhooks.js";
import { readControlPage } from "../query.js";
import { ok, type Reply } from "../reply.js";
import type { ControlCall } from "./operations.js";

/** The endpoints of every organization and mode, newest first. */
export function listEndpoints({ namespace, url }: ControlCall): Reply | Refusal {
  const page = readControlPage(url);
  if (isRefusal(page)) return page;
  const all = [...namespace.engine.state.endpoints()].reverse();
  return ok({
    total: all.length,
    items: all.slice(page.offset, page.offset + page.limit).map(controlEndpointView),
  });
}

export function getEndpoint({ namespace, param }: ControlCall): Reply | Refusal {
  const endpoint = namespace.engine.state.get("endpoints", param("webhook_id"));
  return endpoint === undefined
    ? refuse("NOT_FOUND", "Webhook not found")
    : ok(controlEndpointView(endpoint));
}

/** An endpoint that hears every organization of its mode, unless one is named. */
export function postEndpoint({ namespace, body, mode: keyMode }: ControlCall): Reply | Refusal {
  const checked = check(endpointRequestSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const { url, mailbox, mode, organization_id, events, secret, signature, unreachable } = checked.data;
  const place = {
    url: url === undefined ? null : webhookUrl(url)!,
    mailbox: mailbox ?? null,
    mode: mode ?? keyMode,
    organizationId: organization_id ?? null,
  };
  const known = endpointAt(namespace.engine.state, place);
  const signedWith = secret ?? known?.secret ?? namespace.info.webhookSecret;
  const fault = secretFault(signature ?? known?.signature ?? namespace.engine.settings.signature, signedWith);
  if (fault !== undefined) return invalid({ secret: fault });
  const endpoint = namespace.execute(
    registerEndpoint({
      ...place,
      ...(unreachable === undefined ? {} : { unreachable }),
      events: events ?? ["*"],
      secret: signedWith,
      ...(signature === undefined ? {} : { signature }),
    }),
  );
  return ok(controlEndpointView(endpoint));
}

export function patchEndpoint({ namespace, body, param }: ControlCall): Reply | Refusal {
  const checked = check(endpointPatchSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const { url, ...patch } = checked.data;
  const known = namespace.engine.state.get("endpoints", param("webhook_id"));
  if (url !== undefined && known !== undefined && known.mailbox !== null)
    return invalid({ url: "cannot be given to a mailbox" });
  const fault = known && secretFault(patch.signature ?? known.signature, known.secret);
  if (fault !== undefined) return invalid({ signature: `cannot use this endpoint's secret, which ${fault}` });
  const endpoint = namespace.execute(
    updateEndpoint(undefined, param("webhook_id"), {
      ...patch,
      url: url === undefined ? undefined : webhookUrl(url),
    }),
  );
  return isRefusal(endpoint) ? endpoint : ok(controlEndpointView(endpoint));
}

export function removeEndpoint({ namespace, param }: ControlCall): Reply | Refusal {
  const endpoint = namespace.execute(deleteEndpoint(undefined, param("webhook_id")));
  return isRefusal(endpoint) ? endpoint : ok({ webhook_id: endpoint.webhook_id, deleted: true });
}
