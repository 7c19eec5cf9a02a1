import { addFault, removeFaults } from "../../engine/commands/scenarios.js";
import { faultView } from "../../engine/log-views.js";
import type { Namespace } from "../../namespace/namespace.js";
import { pageQuerySchema } from "../../schema/requests.js";
import { faultRuleSchema } from "../../schema/scenario.js";
import { controlOperation, listed, shown } from "./operation.js";

export const FAULTS = [
  controlOperation(
    {
      id: "listFaults",
      method: "GET",
      path: "/_sandbox/faults",
      query: pageQuerySchema,
      answer: "FaultList",
      says: {
        summary: "List faults",
        about: "The faults added here, newest first; those of scenarios are listed with their scenario.",
      },
    },
    ({ namespace: { engine, faults }, query }) => {
      const newestFirst = [...engine.state.tables.faults.values()].sort((a, b) => b.seq - a.seq);
      return listed(newestFirst, query, (fault) => faultView(fault, faults.applied(fault.fault_id)));
    },
  ),
  controlOperation(
    {
      id: "createFault",
      method: "POST",
      path: "/_sandbox/faults",
      body: faultRuleSchema,
      answer: "Fault",
      says: {
        summary: "Add a fault",
        about: "From now on, matching API calls fail, are delayed or lose their connection.",
        example: { match: { operation: "createQuote" }, respond: { status: 503 }, times: 2 },
      },
    },
    ({ namespace, body }) => faultView(namespace.execute(addFault(body)), 0),
  ),
  controlOperation(
    {
      id: "deleteFaults",
      method: "DELETE",
      path: "/_sandbox/faults",
      answer: "FaultsRemoved",
      says: { summary: "Delete all faults", about: "Faults of scenarios are kept." },
    },
    ({ namespace }) => remove(namespace),
  ),
  controlOperation(
    {
      id: "deleteFault",
      method: "DELETE",
      path: "/_sandbox/faults/:fault_id",
      answer: "FaultsRemoved",
      says: { summary: "Delete a fault", about: "One fault." },
    },
    ({ namespace, param }) => remove(namespace, param("fault_id")),
  ),
];

/** One fault, or all of them. */
function remove(namespace: Namespace, faultId?: string): object {
  return shown(namespace.execute(removeFaults(faultId)), (removed) => {
    for (const id of removed) namespace.faults.forget(id);
    return { removed: removed.length };
  });
}
