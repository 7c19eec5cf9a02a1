import { snapshotRequestSchema } from "../../core/schema/control-requests.js";
import { MAX_JSON_DEPTH } from "../../core/schema/depth.js";
import { refuse } from "../../core/schema/refusals.js";
import { pageQuerySchema } from "../../core/schema/service-requests.js";
import { defineControlOperation, pageReply, RawJson } from "./control-operation.js";
import { sandboxView } from "./sandbox.js";

export const STATE_OPERATIONS = [
  defineControlOperation(
    {
      id: "getState",
      call: "GET /_sandbox/state",
      response: "StateDump",
      docs: {
        summary: "Export the state",
        description:
          "The whole state of the namespace at this moment, to be imported here or elsewhere. It is streamed, whatever its size, and other calls are served meanwhile.",
      },
    },
    ({ namespace }) => new RawJson(namespace.snapshots.exportText()),
  ),
  defineControlOperation(
    {
      id: "putState",
      call: "PUT /_sandbox/state",
      // Maximum length of a string in Node.js.
      maxBodyBytes: 511 * 1024 * 1024,
      maxDepth: MAX_JSON_DEPTH + 20,
      canWaitForClock: true,
      response: "Sandbox",
      docs: {
        summary: "Import a state",
        body: "StateDump",
        description:
          "Replaces the namespace's state by an exported one. The whole import is checked first; if anything is wrong, the error names its place and nothing changes. New objects get new IDs. At most 511 MiB.",
        example: {
          version: 1,
          seq: 0,
          at: 1769850000000,
          counters: {},
          collections: {
            world: [
              [
                "world",
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
      },
    },
    async (call) => (await call.namespace.snapshots.load(call.body)) ?? sandboxView(call),
  ),
  defineControlOperation(
    {
      id: "listSnapshots",
      call: "GET /_sandbox/snapshots",
      query: pageQuerySchema,
      response: "SnapshotList",
      docs: { summary: "List snapshots", description: "The snapshots of the namespace, newest first." },
    },
    ({ namespace, query }) => pageReply(namespace.snapshots.list(), query),
  ),
  defineControlOperation(
    {
      id: "createSnapshot",
      call: "POST /_sandbox/snapshots",
      body: snapshotRequestSchema,
      response: "Snapshot",
      docs: {
        summary: "Save a snapshot",
        description:
          "Saves the state under a name; an existing snapshot of that name is overwritten. Deliveries in flight are saved as pending.",
        example: { name: "paid" },
      },
    },
    ({ namespace, body }) => namespace.snapshots.save(body.name),
  ),
  defineControlOperation(
    {
      id: "restoreSnapshot",
      call: "POST /_sandbox/snapshots/:name/restore",
      canWaitForClock: true,
      response: "Sandbox",
      docs: {
        summary: "Restore a snapshot",
        description:
          "Restores the state, time included, but not the request journal and the rate limit windows. New objects get new IDs. The snapshot is kept.",
      },
    },
    async (call) => (await call.namespace.snapshots.restore(call.param("name"))) ?? sandboxView(call),
  ),
  defineControlOperation(
    {
      id: "deleteSnapshot",
      call: "DELETE /_sandbox/snapshots/:name",
      response: "NameDeleted",
      docs: { summary: "Delete a snapshot", description: "Deletes the snapshot for good." },
    },
    async ({ namespace, param }) => {
      const name = param("name");
      return (await namespace.snapshots.delete(name))
        ? { name, deleted: true }
        : refuse("NOT_FOUND", `There is no snapshot "${name}"`);
    },
  ),
];
