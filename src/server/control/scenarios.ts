import type { Vocabulary } from "../../core/domain/name-check.js";
import {
  addFault,
  refuseUnknownScenario,
  removeFaults,
  removeScenario,
  setScenarioActive,
  storeScenario,
} from "../../core/engine/commands/scenario-commands.js";
import type { StoredScenario } from "../../core/engine/records.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { runScenarioRequestSchema, scenarioQuerySchema } from "../../core/schema/control-requests.js";
import { issueDetails, safeParse } from "../../core/schema/issues.js";
import { normalizeWebhookUrl } from "../../core/schema/option-schemas.js";
import { isRefusal, type Refusal, refuse, refuseInvalid } from "../../core/schema/refusals.js";
import { faultRuleSchema, type Scenario, scenarioSchema } from "../../core/schema/scenario-rules.js";
import { pageQuerySchema } from "../../core/schema/service-requests.js";
import { defineControlOperation, pageReply, refuseUnknownNames, viewOrRefusal } from "./control-operation.js";
import { faultView, scenarioView } from "./record-views.js";

export const SCENARIO_OPERATIONS = [
  defineControlOperation({
    id: "listScenarios",
    call: "GET /_sandbox/scenarios",
    query: scenarioQuerySchema,
    response: "ScenarioList",
    docs: {
      summary: "List scenarios",
      description:
        "Every scenario of the namespace: active ones first, in the order they are evaluated; then by name.",
    },
    handle: ({ namespace, query }) => {
      const inOrder = [...namespace.engine.state.tables.scenarios.values()].sort(
        (a, b) => b.activated - a.activated || (a.name < b.name ? -1 : 1),
      );
      return pageReply(inOrder, query, (stored) => view(namespace, stored, query.of));
    },
  }),
  defineControlOperation({
    id: "getScenario",
    call: "GET /_sandbox/scenarios/:name",
    response: "Scenario",
    docs: { summary: "Get a scenario", description: "One scenario." },
    handle: ({ namespace, param }) =>
      viewOrRefusal(findScenario(namespace, param("name")), (stored) => view(namespace, stored)),
  }),
  defineControlOperation({
    id: "putScenario",
    call: "PUT /_sandbox/scenarios/:name",
    response: "Scenario",
    docs: {
      summary: "Save a scenario",
      body: "ScenarioRequest",
      description:
        "Creates or replaces the scenario. It applies once it is activated, or when it is requested by name.",
      example: {
        description: "The operator declines.",
        charges: [
          {
            match: { currency: "KES" },
            timeline: [{ after: "2s", to: "FAILED", reason: "declined_by_operator" }],
          },
        ],
      },
    },
    handle: async ({ namespaces, namespace, body: { force, ...body }, vocabulary, param }) => {
      if (force !== undefined && typeof force !== "boolean")
        return refuseInvalid({ force: "must be a boolean" });
      const named = { name: param("name"), ...body };
      const allowed = force === true ? undefined : vocabulary;
      const hasMore = "steps" in body || "vars" in body;
      const scenario = hasMore
        ? await namespaces.options.scenarios.read(namespace, named, allowed)
        : checkedScenario(named, allowed);
      if (isRefusal(scenario)) return scenario;
      if (scenario.name !== param("name")) return refuseInvalid({ name: "must be the name in the path" });
      // Resets the counters of the replaced rules.
      namespace.faults.clearCounts(scenario.name);
      return view(namespace, namespace.execute(storeScenario(scenario, { active: false, byHand: true })));
    },
  }),
  defineControlOperation({
    id: "deleteScenario",
    call: "DELETE /_sandbox/scenarios/:name",
    response: "NameDeleted",
    docs: {
      summary: "Delete a scenario",
      description: "Its rules no longer apply; objects they have already matched keep their timelines.",
    },
    handle: ({ namespace, param }) => {
      const name = param("name");
      const stored = findScenario(namespace, name);
      if (isRefusal(stored)) return stored;
      namespace.execute(removeScenario(name));
      namespace.faults.clearCounts(name);
      return { name, deleted: true };
    },
  }),
  defineControlOperation({
    id: "activateScenario",
    call: "POST /_sandbox/scenarios/:name/activate",
    response: "Scenario",
    docs: {
      summary: "Activate a scenario",
      description:
        "Its rules apply to everything that names no scenario. The last one activated is tried first.",
    },
    handle: ({ namespace, param }) => {
      const stored = namespace.execute(setScenarioActive(param("name"), true));
      // `times` and `skip` count from activation.
      if (!isRefusal(stored)) namespace.faults.clearCounts(stored.name);
      return viewOrRefusal(stored, (scenario) => view(namespace, scenario));
    },
  }),
  defineControlOperation({
    id: "deactivateScenario",
    call: "POST /_sandbox/scenarios/:name/deactivate",
    response: "Scenario",
    docs: { summary: "Deactivate a scenario", description: "It then applies only when requested by name." },
    handle: ({ namespace, param }) =>
      viewOrRefusal(namespace.execute(setScenarioActive(param("name"), false)), (stored) =>
        view(namespace, stored),
      ),
  }),
  defineControlOperation({
    id: "runScenario",
    call: "POST /_sandbox/scenarios/:name/run",
    body: runScenarioRequestSchema,
    response: "RunReport",
    docs: {
      summary: "Run a scenario's steps",
      description:
        "Runs its steps in this namespace, with the clock frozen meanwhile, and returns when they are done.",
      example: { app: "http://localhost:3000", vars: { amount: "500.00" } },
    },
    handle: ({ namespaces, namespace, fetch, body, param, signal }) => {
      const stored = findScenario(namespace, param("name"));
      if (isRefusal(stored)) return stored;
      const { source } = stored.scenario;
      if (source === undefined) return refuseInvalid({ name: "the scenario has no steps to run" });
      const { vars = {}, app } = body;
      return namespaces.options.scenarios.run(namespace, {
        source,
        vars,
        app: app === undefined ? undefined : normalizeWebhookUrl(app),
        fetch,
        signal: signal(),
      });
    },
  }),
];

function view({ engine }: Namespace, stored: StoredScenario, of?: "namespace" | "server") {
  return scenarioView(stored, engine.appliedCounts.of(stored.scenario, of));
}

function findScenario({ engine: { state } }: Namespace, name: string) {
  return state.get("scenarios", name) ?? refuseUnknownScenario(state, name);
}

function checkedScenario(body: unknown, vocabulary: Vocabulary | undefined): Scenario | Refusal {
  const checked = safeParse(scenarioSchema, body);
  if (!checked.ok) return refuseInvalid(issueDetails(checked.issues, scenarioSchema));
  return (vocabulary && refuseUnknownNames(scenarioSchema, checked.data, { vocabulary })) ?? checked.data;
}

export const FAULT_OPERATIONS = [
  defineControlOperation({
    id: "listFaults",
    call: "GET /_sandbox/faults",
    query: pageQuerySchema,
    response: "FaultList",
    docs: {
      summary: "List faults",
      description: "The faults added here, newest first; those of scenarios are listed with their scenario.",
    },
    handle: ({ namespace: { engine, faults }, query }) => {
      const newestFirst = [...engine.state.tables.faults.values()].sort((a, b) => b.seq - a.seq);
      return pageReply(newestFirst, query, (fault) => faultView(fault, faults.countApplied(fault.fault_id)));
    },
  }),
  defineControlOperation({
    id: "getFault",
    call: "GET /_sandbox/faults/:fault_id",
    response: "Fault",
    docs: { summary: "Get a fault", description: "One fault." },
    handle: ({ namespace: { engine, faults }, param }) => {
      const fault = engine.state.get("faults", param("fault_id"));
      return fault === undefined
        ? refuse("NOT_FOUND", "Fault not found")
        : faultView(fault, faults.countApplied(fault.fault_id));
    },
  }),
  defineControlOperation({
    id: "createFault",
    call: "POST /_sandbox/faults",
    body: faultRuleSchema,
    response: "Fault",
    docs: {
      summary: "Add a fault",
      description: "From now on, matching API calls fail, are delayed or lose their connection.",
      example: { match: { operation: "createQuote" }, respond: { status: 503 }, times: 2 },
    },
    handle: ({ namespace, body }) => faultView(namespace.execute(addFault(body)), 0),
  }),
  defineControlOperation({
    id: "deleteFaults",
    call: "DELETE /_sandbox/faults",
    response: "FaultsRemoved",
    docs: { summary: "Delete all faults", description: "Faults of scenarios are kept." },
    handle: ({ namespace }) => removeOneOrAll(namespace),
  }),
  defineControlOperation({
    id: "deleteFault",
    call: "DELETE /_sandbox/faults/:fault_id",
    response: "FaultsRemoved",
    docs: { summary: "Delete a fault", description: "One fault." },
    handle: ({ namespace, param }) => removeOneOrAll(namespace, param("fault_id")),
  }),
];

function removeOneOrAll(namespace: Namespace, faultId?: string): object {
  return viewOrRefusal(namespace.execute(removeFaults(faultId)), (removed) => {
    for (const id of removed) namespace.faults.clearCounts(id);
    return { removed: removed.length };
  });
}
