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
import { scenarioBodySchema } from "../../core/schema/control-bodies.js";
import { runScenarioRequestSchema, scenarioQuerySchema } from "../../core/schema/control-requests.js";
import { issueDetails, safeParse } from "../../core/schema/issues.js";
import { normalizeWebhookUrl } from "../../core/schema/option-schemas.js";
import { isRefusal, type Refusal, refuse, refuseInvalid } from "../../core/schema/refusals.js";
import { faultRuleSchema, type Scenario, scenarioSchema } from "../../core/schema/scenario-rules.js";
import { pageQuerySchema } from "../../core/schema/service-requests.js";
import { RawJson, viewOrRefusal } from "../http/reply.js";
import { defineControlOperation, pageReply, refuseUnknownNames } from "./control-operation.js";
import { faultView, scenarioView } from "./record-views.js";

export const SCENARIO_OPERATIONS = [
  defineControlOperation({
    id: "listScenarios",
    call: "GET /_sandbox/scenarios",
    summary: "List scenarios",
    description:
      "Every scenario of the namespace: active ones first, in the order they are evaluated; then by name.",
    input: scenarioQuerySchema,
    output: "ScenarioList",
    run: ({ namespace, input }) => {
      const inOrder = [...namespace.engine.state.tables.scenarios.values()].sort(
        (a, b) => b.activated - a.activated || (a.name < b.name ? -1 : 1),
      );
      return pageReply(inOrder, input, (stored) => view(namespace, stored, input.of));
    },
  }),
  defineControlOperation({
    id: "getScenario",
    call: "GET /_sandbox/scenarios/{name}",
    summary: "Get a scenario",
    description: "One scenario.",
    output: "Scenario",
    run: ({ namespace, param }) =>
      viewOrRefusal(findScenario(namespace, param("name")), (stored) => view(namespace, stored)),
  }),
  defineControlOperation({
    id: "putScenario",
    call: "PUT /_sandbox/scenarios/{name}",
    summary: "Save a scenario",
    description:
      "Creates or replaces the scenario. It applies once it is activated, or when it is requested by name.",
    rawInput: scenarioBodySchema,
    output: "Scenario",
    example: {
      description: "The operator declines.",
      charges: [
        {
          match: { currency: "KES" },
          timeline: [{ after: "2s", to: "FAILED", reason: "declined_by_operator" }],
        },
      ],
    },
    run: async ({ namespaces, namespace, input: { force, ...body }, vocabulary, param }) => {
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
      const stored = namespace.execute(storeScenario(scenario, { active: false, byHand: true }));
      return viewOrRefusal(stored, (one) => view(namespace, one));
    },
  }),
  defineControlOperation({
    id: "deleteScenario",
    call: "DELETE /_sandbox/scenarios/{name}",
    summary: "Delete a scenario",
    description: "Its rules no longer apply; objects they have already matched keep their timelines.",
    output: "NameDeleted",
    run: ({ namespace, param }) => {
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
    call: "POST /_sandbox/scenarios/{name}/activate",
    summary: "Activate a scenario",
    description:
      "Its rules apply to everything that names no scenario. The last one activated is tried first.",
    output: "Scenario",
    run: ({ namespace, param }) => {
      const stored = namespace.execute(setScenarioActive(param("name"), true));
      // `times` and `skip` count from activation.
      if (!isRefusal(stored)) namespace.faults.clearCounts(stored.name);
      return viewOrRefusal(stored, (scenario) => view(namespace, scenario));
    },
  }),
  defineControlOperation({
    id: "deactivateScenario",
    call: "POST /_sandbox/scenarios/{name}/deactivate",
    summary: "Deactivate a scenario",
    description: "It then applies only when requested by name.",
    output: "Scenario",
    run: ({ namespace, param }) =>
      viewOrRefusal(namespace.execute(setScenarioActive(param("name"), false)), (stored) =>
        view(namespace, stored),
      ),
  }),
  defineControlOperation({
    id: "runScenario",
    call: "POST /_sandbox/scenarios/{name}/run",
    summary: "Run a scenario's steps",
    description:
      "Runs its steps in this namespace, with the clock frozen meanwhile, and returns when they are done.",
    input: runScenarioRequestSchema,
    output: "RunReport",
    example: { app: "http://localhost:3000", vars: { amount: "500.00" } },
    run: async ({ namespaces, namespace, fetch, input: { vars = {}, app }, param, signal }) => {
      const stored = findScenario(namespace, param("name"));
      if (isRefusal(stored)) return stored;
      const { source } = stored.scenario;
      if (source === undefined) return refuseInvalid({ name: "the scenario has no steps to run" });
      const report = await namespaces.options.scenarios.run(namespace, {
        source,
        vars,
        app: app === undefined ? undefined : normalizeWebhookUrl(app),
        fetch,
        signal: signal(),
      });
      return viewOrRefusal(report, (all) => new RawJson(JSON.stringify(all)));
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
    summary: "List faults",
    description: "The faults added here, newest first; those of scenarios are listed with their scenario.",
    input: pageQuerySchema,
    output: "FaultList",
    run: ({ namespace: { engine, faults }, input }) => {
      const newestFirst = [...engine.state.tables.faults.values()].sort((a, b) => b.seq - a.seq);
      return pageReply(newestFirst, input, (fault) => faultView(fault, faults.countApplied(fault.fault_id)));
    },
  }),
  defineControlOperation({
    id: "getFault",
    call: "GET /_sandbox/faults/{fault_id}",
    summary: "Get a fault",
    description: "One fault.",
    output: "Fault",
    run: ({ namespace: { engine, faults }, param }) => {
      const fault = engine.state.get("faults", param("fault_id"));
      return fault === undefined
        ? refuse("NOT_FOUND", "Fault not found")
        : faultView(fault, faults.countApplied(fault.fault_id));
    },
  }),
  defineControlOperation({
    id: "createFault",
    call: "POST /_sandbox/faults",
    summary: "Add a fault",
    description: "From now on, matching API calls fail, are delayed or lose their connection.",
    input: faultRuleSchema,
    output: "Fault",
    example: { match: { operation: "createQuote" }, respond: { status: 503 }, times: 2 },
    run: ({ namespace, input }) =>
      viewOrRefusal(namespace.execute(addFault(input)), (fault) => faultView(fault, 0)),
  }),
  defineControlOperation({
    id: "deleteFaults",
    call: "DELETE /_sandbox/faults",
    summary: "Delete all faults",
    description: "Faults of scenarios are kept.",
    output: "FaultsRemoved",
    run: ({ namespace }) => removeOneOrAll(namespace),
  }),
  defineControlOperation({
    id: "deleteFault",
    call: "DELETE /_sandbox/faults/{fault_id}",
    summary: "Delete a fault",
    description: "One fault.",
    output: "FaultsRemoved",
    run: ({ namespace, param }) => removeOneOrAll(namespace, param("fault_id")),
  }),
];

function removeOneOrAll(namespace: Namespace, faultId?: string) {
  return viewOrRefusal(namespace.execute(removeFaults(faultId)), (removed) => {
    for (const id of removed) namespace.faults.clearCounts(id);
    return { removed: removed.length };
  });
}
