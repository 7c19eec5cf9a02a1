import { unknownNames } from "../../domain/known-names.js";
import {
  activateScenario,
  addFault,
  removeFaults,
  removeScenario,
  storeScenario,
} from "../../engine/commands/scenarios.js";
import { faultView, scenarioView } from "../../engine/log-views.js";
import { runScenarioRequestSchema } from "../../schema/control.js";
import { invalid, isRefusal, type Refusal, refuse } from "../../schema/errors.js";
import { check, issueDetails } from "../../schema/issues.js";
import { webhookUrl } from "../../schema/options.js";
import { faultRuleSchema, type Scenario, scenarioSchema } from "../../schema/scenario.js";
import { readControlPage } from "../query.js";
import { ok, type Reply } from "../reply.js";
import type { ControlCall } from "./operations.js";

/** Every scenario the namespace knows, those active first (last activated first), then by name. */
export function listScenarios({ namespace, url }: ControlCall): Reply | Refusal {
  const page = readControlPage(url);
  if (isRefusal(page)) return page;
  const all = [...namespace.engine.state.tables.scenarios.values()].sort(
    (a, b) => b.activated - a.activated || (a.name < b.name ? -1 : 1),
  );
  return ok({ total: all.length, items: all.slice(page.offset, page.offset + page.limit).map(scenarioView) });
}

export function getScenario({ namespace, param }: ControlCall): Reply | Refusal {
  const stored = namespace.engine.state.get("scenarios", param("name"));
  return stored === undefined ? refuse("NOT_FOUND", "Scenario not found") : ok(scenarioView(stored));
}

/**
 * Puts a scenario in place under the path's name; it applies when activated or asked for. One with variables or
 * steps is read as a file is.
 */
export async function putScenario({
  namespaces,
  namespace,
  body,
  param,
}: ControlCall): Promise<Reply | Refusal> {
  const named = { name: param("name"), ...body };
  const scenario =
    "steps" in body || "vars" in body
      ? await namespaces.scenarios.read(namespace, named)
      : checkedScenario(named);
  if (isRefusal(scenario)) return scenario;
  if (scenario.name !== param("name")) return invalid({ name: "must be the name in the path" });
  // Other rules from now on, and they have not been met yet.
  namespace.faults.forget(scenario.name);
  return ok(scenarioView(namespace.execute(storeScenario(scenario, false))));
}

function checkedScenario(body: unknown): Scenario | Refusal {
  const checked = check(scenarioSchema, body);
  return checked.ok ? checked.data : invalid(issueDetails(checked.issues));
}

/** Carries out a scenario's steps in this namespace, its clock standing meanwhile. Answers with the report. */
export async function runSteps({
  namespaces,
  namespace,
  fetch,
  body,
  param,
}: ControlCall): Promise<Reply | Refusal> {
  const checked = check(runScenarioRequestSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const stored = namespace.engine.state.get("scenarios", param("name"));
  if (stored === undefined) return refuse("NOT_FOUND", `There is no scenario "${param("name")}"`);
  const { source } = stored.scenario;
  if (source === undefined) return invalid({ name: "the scenario has no steps to run" });
  const { vars = {}, app } = checked.data;
  const report = await namespaces.scenarios.run(namespace, {
    source,
    vars,
    app: app === undefined ? undefined : webhookUrl(app),
    fetch,
  });
  return isRefusal(report) ? report : ok(report);
}

/** Takes a scenario away, its rules with it. What has matched already keeps its timeline. */
export function deleteScenario({ namespace, param }: ControlCall): Reply | Refusal {
  const name = param("name");
  if (namespace.engine.state.get("scenarios", name) === undefined)
    return refuse("NOT_FOUND", `There is no scenario "${name}"`);
  namespace.execute(removeScenario(name));
  namespace.faults.forget(name);
  return ok({ name, deleted: true });
}

export function activate({ namespace, param }: ControlCall): Reply | Refusal {
  const stored = namespace.execute(activateScenario(param("name"), true));
  if (isRefusal(stored)) return stored;
  // Whoever turns it on wants to see all of it: `times` and `skip` count from here.
  namespace.faults.forget(stored.name);
  return ok(scenarioView(stored));
}

export function deactivate({ namespace, param }: ControlCall): Reply | Refusal {
  const stored = namespace.execute(activateScenario(param("name"), false));
  return isRefusal(stored) ? stored : ok(scenarioView(stored));
}

export function listFaults({ namespace, url }: ControlCall): Reply | Refusal {
  const page = readControlPage(url);
  if (isRefusal(page)) return page;
  const all = [...namespace.engine.state.tables.faults.values()].sort((a, b) => b.seq - a.seq);
  return ok({
    total: all.length,
    items: all
      .slice(page.offset, page.offset + page.limit)
      .map((fault) => faultView(fault, namespace.faults.applied(fault.fault_id))),
  });
}

export function postFault({ namespace, body }: ControlCall): Reply | Refusal {
  const checked = check(faultRuleSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const unknown = unknownNames("faults", checked.data.match ?? {});
  if (unknown.length > 0)
    return invalid(
      Object.fromEntries(unknown.map(({ path, message }) => [["match", ...path].join("."), message])),
    );
  return ok(faultView(namespace.execute(addFault(checked.data)), 0));
}

export function deleteFault({ namespace, param }: ControlCall): Reply | Refusal {
  return remove(namespace, param("fault_id"));
}

export function deleteFaults({ namespace }: ControlCall): Reply | Refusal {
  return remove(namespace);
}

function remove(namespace: ControlCall["namespace"], faultId?: string): Reply | Refusal {
  const removed = namespace.execute(removeFaults(faultId));
  if (isRefusal(removed)) return removed;
  for (const id of removed) namespace.faults.forget(id);
  return ok({ removed: removed.length });
}
