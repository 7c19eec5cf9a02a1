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
export function listScenarios({ world, url }: ControlCall): Reply | Refusal {
  const page = readControlPage(url);
  if (isRefusal(page)) return page;
  const all = [...world.engine.state.tables.scenarios.values()].sort(
    (a, b) => b.activated - a.activated || (a.name < b.name ? -1 : 1),
  );
  return ok({ total: all.length, items: all.slice(page.offset, page.offset + page.limit).map(scenarioView) });
}

export function getScenario({ world, param }: ControlCall): Reply | Refusal {
  const stored = world.engine.state.get("scenarios", param("name"));
  return stored === undefined ? refuse("NOT_FOUND", "Scenario not found") : ok(scenarioView(stored));
}

/**
 * Puts a scenario in place under the path's name; it applies when activated or asked for. One with variables or
 * steps is read as a file is.
 */
export async function putScenario({ worlds, world, body, param }: ControlCall): Promise<Reply | Refusal> {
  const named = { name: param("name"), ...body };
  const scenario =
    "steps" in body || "vars" in body ? await worlds.readScenario(world, named) : checkedScenario(named);
  if (isRefusal(scenario)) return scenario;
  if (scenario.name !== param("name")) return invalid({ name: "must be the name in the path" });
  // Other rules from now on, and they have not been met yet.
  world.faults.forget(scenario.name);
  return ok(scenarioView(world.execute(storeScenario(scenario, false))));
}

function checkedScenario(body: unknown): Scenario | Refusal {
  const checked = check(scenarioSchema, body);
  return checked.ok ? checked.data : invalid(issueDetails(checked.issues));
}

/** Carries out a scenario's steps in this namespace, its clock standing meanwhile. Answers with the report. */
export async function runSteps({ worlds, world, fetch, body, param }: ControlCall): Promise<Reply | Refusal> {
  const checked = check(runScenarioRequestSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const stored = world.engine.state.get("scenarios", param("name"));
  if (stored === undefined) return refuse("NOT_FOUND", `There is no scenario "${param("name")}"`);
  const { source } = stored.scenario;
  if (source === undefined) return invalid({ name: "the scenario has no steps to run" });
  const { vars = {}, app } = checked.data;
  const report = await worlds.runScenario(world, {
    source,
    vars,
    app: app === undefined ? undefined : webhookUrl(app),
    fetch,
  });
  return isRefusal(report) ? report : ok(report);
}

/** Takes a scenario away, its rules with it. What has matched already keeps its timeline. */
export function deleteScenario({ world, param }: ControlCall): Reply | Refusal {
  const name = param("name");
  if (world.engine.state.get("scenarios", name) === undefined)
    return refuse("NOT_FOUND", `There is no scenario "${name}"`);
  world.execute(removeScenario(name));
  world.faults.forget(name);
  return ok({ name, deleted: true });
}

export function activate({ world, param }: ControlCall): Reply | Refusal {
  const stored = world.execute(activateScenario(param("name"), true));
  if (isRefusal(stored)) return stored;
  // Whoever turns it on wants to see all of it: `times` and `skip` count from here.
  world.faults.forget(stored.name);
  return ok(scenarioView(stored));
}

export function deactivate({ world, param }: ControlCall): Reply | Refusal {
  const stored = world.execute(activateScenario(param("name"), false));
  return isRefusal(stored) ? stored : ok(scenarioView(stored));
}

export function listFaults({ world, url }: ControlCall): Reply | Refusal {
  const page = readControlPage(url);
  if (isRefusal(page)) return page;
  const all = [...world.engine.state.tables.faults.values()].sort((a, b) => b.seq - a.seq);
  return ok({
    total: all.length,
    items: all
      .slice(page.offset, page.offset + page.limit)
      .map((fault) => faultView(fault, world.faults.applied(fault.fault_id))),
  });
}

export function postFault({ world, body }: ControlCall): Reply | Refusal {
  const checked = check(faultRuleSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const unknown = unknownNames("faults", checked.data.match ?? {});
  if (unknown.length > 0)
    return invalid(
      Object.fromEntries(unknown.map(({ path, message }) => [["match", ...path].join("."), message])),
    );
  return ok(faultView(world.execute(addFault(checked.data)), 0));
}

export function deleteFault({ world, param }: ControlCall): Reply | Refusal {
  return remove(world, param("fault_id"));
}

export function deleteFaults({ world }: ControlCall): Reply | Refusal {
  return remove(world);
}

function remove(world: ControlCall["world"], faultId?: string): Reply | Refusal {
  const removed = world.execute(removeFaults(faultId));
  if (isRefusal(removed)) return removed;
  for (const id of removed) world.faults.forget(id);
  return ok({ removed: removed.length });
}
