import { resetRequestSchema } from "../../schema/control.js";
import { invalid, type Refusal } from "../../schema/errors.js";
import { check, issueDetails } from "../../schema/issues.js";
import { ok, type Reply } from "../reply.js";
import { waitForClock } from "./clock.js";
import type { ControlCall } from "./operations.js";

/** What this server is, and what is in the namespace. */
export function sandboxInfo({ namespaces, namespace }: ControlCall): Reply {
  namespace.settle();
  const { tables } = namespace.engine.state;
  const { apiKey, liveApiKey, webhookSecret, seed } = namespace.info;
  return ok({
    version: namespaces.version,
    namespace: namespace.name,
    keys: namespace
      .keys()
      .map(({ key, organization_id, permission }) => ({ key, organization_id, permission })),
    api_key: apiKey,
    live_api_key: liveApiKey,
    webhook_secret: webhookSecret,
    seed,
    clock: namespace.clock.view(),
    counts: {
      charges: tables.charges.size,
      quotes: tables.quotes.size,
      withdrawals: tables.withdrawals.size,
      events: tables.events.size,
      deliveries: tables.deliveries.size,
      webhook_endpoints: tables.endpoints.size,
      scenarios: tables.scenarios.size,
      tasks: tables.tasks.size,
    },
  });
}

/** What a reset keeps unless told otherwise. */
export const KEPT_BY_DEFAULT = ["webhooks", "keys"] as const;

export async function resetWorld(call: ControlCall): Promise<Reply | Refusal> {
  const checked = check(resetRequestSchema, call.body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const waited = await waitForClock(call);
  if (waited !== undefined) return waited;
  const refusal = call.namespace.reset({
    keep: checked.data.keep ?? KEPT_BY_DEFAULT,
    repeatIds: checked.data.ids === "repeat",
  });
  return refusal ?? sandboxInfo(call);
}
