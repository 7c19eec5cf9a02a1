import { snapshotRequestSchema, stateDumpSchema } from "../../schema/control.js";
import { MAX_DEPTH } from "../../schema/depth.js";
import { refuse } from "../../schema/errors.js";
import { pageQuerySchema } from "../../schema/requests.js";
import { controlOperation, listed, MadeJson } from "./operation.js";
import { sandboxView } from "./sandbox.js";

/** The whole state of the namespace, to be put back here or elsewhere, and those kept under a name. */
export const STATE = [
  controlOperation(
    { id: "getState", method: "GET", path: "/_sandbox/state" },
    ({ namespace }) => new MadeJson(namespace.snapshots.text()),
  ),
  controlOperation(
    {
      id: "putState",
      method: "PUT",
      path: "/_sandbox/state",
      rawBody: stateDumpSchema,
      // No string of Node's is longer.
      maxBodyBytes: 511 * 1024 * 1024,
      maxDepth: MAX_DEPTH + 20,
      waits: true,
    },
    async (call) => (await call.namespace.snapshots.load(call.body)) ?? sandboxView(call),
  ),
  controlOperation(
    { id: "listSnapshots", method: "GET", path: "/_sandbox/snapshots", query: pageQuerySchema },
    ({ namespace, query }) => listed(namespace.snapshots.list(), query),
  ),
  /** Deliveries under way are pending in it. A name that is taken is written over. */
  controlOperation(
    { id: "createSnapshot", method: "POST", path: "/_sandbox/snapshots", body: snapshotRequestSchema },
    ({ namespace, body }) => namespace.snapshots.save(body.name),
  ),
  controlOperation(
    { id: "restoreSnapshot", method: "POST", path: "/_sandbox/snapshots/:name/restore", waits: true },
    async (call) => (await call.namespace.snapshots.restore(call.param("name"))) ?? sandboxView(call),
  ),
  controlOperation(
    { id: "deleteSnapshot", method: "DELETE", path: "/_sandbox/snapshots/:name" },
    ({ namespace, param }) => {
      const name = param("name");
      return namespace.snapshots.delete(name)
        ? { name, deleted: true }
        : refuse("NOT_FOUND", `There is no snapshot "${name}"`);
    },
  ),
];
