import { snapshotRequestSchema, stateDumpSchema } from "../../core/schema/control-requests.js";
import { resetRequestSchema } from "../../core/schema/engine-requests.js";
import { MAX_JSON_DEPTH } from "../../core/schema/json-objects.js";
import { refuse } from "../../core/schema/refusals.js";
import { pageQuerySchema } from "../../core/schema/service-requests.js";
import { RawJson } from "../http/reply.js";
import { type ControlCall, type ControlRow, defineControlOperation, pageReply } from "./control-operation.js";

/** The listener answers this call, even before the control API is loaded. */
export const HEALTH_SPEC: ControlRow = {
  id: "getHealth",
  call: "GET /health",
  summary: "Health check",
  description: "Returns 200 as soon as the server is ready.",
  output: "Health",
};

export const SANDBOX_OPERATIONS = [
  defineControlOperation({
    id: "getSandbox",
    call: "GET /_sandbox",
    summary: "Get sandbox info",
    description: "Version, namespace, keys, seed, clock and record counts.",
    output: "Sandbox",
    run: sandboxView,
  }),
  defineControlOperation({
    id: "resetSandbox",
    call: "POST /_sandbox/reset",
    summary: "Reset",
    description:
      "Puts the namespace back to its initial state; `ids: repeat` issues the same IDs again. Webhooks and keys are kept by default; snapshots and other namespaces always are. Work in flight is dropped. A manual clock goes back to where it started, a running one to wall time.",
    input: resetRequestSchema,
    canWaitForClock: true,
    output: "Sandbox",
    example: { keep: ["webhooks"] },
    run: (call) => call.namespace.reset(call.input) ?? sandboxView(call),
  }),
];

export const STATE_OPERATIONS = [
  defineControlOperation({
    id: "getState",
    call: "GET /_sandbox/state",
    summary: "Export the state",
    description:
      "The whole state of the namespace at this moment, to be imported here or elsewhere. It is streamed, whatever its size, and other calls are served meanwhile.",
    output: "StateDump",
    run: ({ namespace }) => new RawJson(namespace.snapshots.exportText()),
  }),
  defineControlOperation({
    id: "putState",
    call: "PUT /_sandbox/state",
    summary: "Import a state",
    description:
      "Replaces the namespace's state by an exported one. The whole import is checked first; if anything is wrong, the error names its place and nothing changes. New objects get new IDs. At most 511 MiB.",
    rawInput: stateDumpSchema,
    // Just below the maximum length of a string in Node.js.
    maxBodyBytes: 511 * 1024 * 1024,
    maxDepth: MAX_JSON_DEPTH + 20,
    canWaitForClock: true,
    output: "Sandbox",
    example: {
      version: 1,
      seq: 0,
      at: 1769850000000,
      counters: {},
      collections: {
        namespace: [
          [
            "namespace",
            {
              name: "default",
              seed: "payments-sandbox",
              start_ms: 1769850000000,
              asked_start_ms: 1769850000000,
              generation: 0,
              highest_generation: 0,
              restores: 1,
            },
          ],
        ],
      },
    },
    run: async (call) => (await call.namespace.snapshots.load(call.input)) ?? sandboxView(call),
  }),
  defineControlOperation({
    id: "listSnapshots",
    call: "GET /_sandbox/snapshots",
    summary: "List snapshots",
    description: "The snapshots of the namespace, newest first.",
    input: pageQuerySchema,
    output: "SnapshotList",
    run: ({ namespace, input }) => pageReply(namespace.snapshots.list(), input),
  }),
  defineControlOperation({
    id: "createSnapshot",
    call: "POST /_sandbox/snapshots",
    summary: "Save a snapshot",
    description:
      "Saves the state under a name; an existing snapshot of that name is overwritten. Deliveries in flight are saved as pending.",
    input: snapshotRequestSchema,
    output: "Snapshot",
    example: { name: "paid" },
    run: ({ namespace, input }) => namespace.snapshots.save(input.name),
  }),
  defineControlOperation({
    id: "restoreSnapshot",
    call: "POST /_sandbox/snapshots/{name}/restore",
    summary: "Restore a snapshot",
    description:
      "Restores the state, time included, but not the request journal and the rate limit windows. New objects get new IDs. The snapshot is kept.",
    canWaitForClock: true,
    output: "Sandbox",
    run: async (call) => (await call.namespace.snapshots.restore(call.param("name"))) ?? sandboxView(call),
  }),
  defineControlOperation({
    id: "deleteSnapshot",
    call: "DELETE /_sandbox/snapshots/{name}",
    summary: "Delete a snapshot",
    description: "Deletes the snapshot for good.",
    output: "NameDeleted",
    run: async ({ namespace, param }) => {
      const name = param("name");
      return (await namespace.snapshots.delete(name))
        ? { name, deleted: true }
        : refuse("NOT_FOUND", `There is no snapshot "${name}"`);
    },
  }),
];

function sandboxView({ namespaces, namespace }: Pick<ControlCall, "namespaces" | "namespace">) {
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
