import { DEFAULT_RETAINED_PARTS } from "../../core/namespace/initial-state.js";
import { resetRequestSchema } from "../../core/schema/engine-requests.js";
import { type ControlCall, defineControlOperation, specWithoutHandler } from "./control-operation.js";

/** The listener answers this call, even before the control API is loaded. */
export const HEALTH_SPEC = specWithoutHandler({
  id: "getHealth",
  call: "GET /health",
  response: "Health",
  docs: { summary: "Health check", description: "Returns 200 as soon as the server is ready." },
});

export const SANDBOX_OPERATIONS = [
  defineControlOperation(
    {
      id: "getSandbox",
      call: "GET /_sandbox",
      response: "Sandbox",
      docs: {
        summary: "Get sandbox info",
        description: "Version, namespace, keys, seed, clock and record counts.",
      },
    },
    sandboxView,
  ),
  defineControlOperation(
    {
      id: "resetSandbox",
      call: "POST /_sandbox/reset",
      body: resetRequestSchema,
      canWaitForClock: true,
      response: "Sandbox",
      docs: {
        summary: "Reset",
        description:
          "Puts the namespace back to its initial state. Webhooks and keys are kept by default; snapshots and other namespaces always are. Work in flight is dropped. A manual clock goes back to where it started, a running one to wall time.",
        example: { keep: ["webhooks"] },
      },
    },
    async (call) => {
      const { keep = DEFAULT_RETAINED_PARTS, ids } = call.body;
      await call.namespace.flushQuietly();
      return call.namespace.reset({ keep, repeatIds: ids === "repeat" }) ?? sandboxView(call);
    },
  ),
];

export function sandboxView({ namespaces, namespace }: Pick<ControlCall, "namespaces" | "namespace">) {
  namespace.runDueTasks();
  const { tables } = namespace.engine.state;
  const { apiKey, liveApiKey, webhookSecret, seed } = namespace.info;
  return {
    version: namespaces.options.base.version,
    namespace: namespace.name,
    keys: namespace.keys.all(),
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
  };
}
