import { invalid, isRefusal, type Refusal, refuse } from "../../../../schema/errors.js";
import { webhookUrl } from "../../../../schema/receiver-url.js";
import { iso } from "../../../../schema/time.js";
import { appSteps } from "../app-steps.js";
import { many } from "../parts.js";
import { reportsOf, type ScenarioRan } from "../reports.js";
import { homeOf } from "../scene.js";
import type { Actions, Doing, Done } from "./action.js";
import { callControl } from "./calls.js";

/** What the buttons of scenarios do. */
export const SCENARIO_ACTIONS: Actions = {
  run,
  duplicate,
};

/** Carries out its steps; the page shows each as it comes out. */
async function run({
  namespaces,
  namespace,
  fetch,
  form,
  words: [name = ""],
}: Doing): Promise<Done | Refusal> {
  const source = namespace.engine.state.get("scenarios", name)?.scenario.source;
  if (source === undefined) return invalid({ name: "the scenario has no steps to run" });
  const reports = reportsOf(namespace);
  if (reports.run !== undefined && reports.run.report === undefined)
    return refuse("VALIDATION_ERROR", `${reports.run.name} is being run. Try again when that is done.`);
  const asked = form.get("app")?.trim() || undefined;
  const app = asked === undefined ? undefined : webhookUrl(asked);
  if (asked === undefined ? appSteps(source.steps) > 0 : app === undefined)
    return invalid({ app: "must be your app's URL, such as http://localhost:3000" });
  const ran: ScenarioRan = {
    name,
    at: iso(namespace.nowMs()),
    app: asked,
    of: 0,
    current: undefined,
    steps: [],
  };
  reports.run = ran;
  const tell = () => namespace.tellReport("run");
  tell();
  const notRun = () => {
    delete reports.run;
    tell();
  };
  const report = await namespaces.scenarios
    .run(namespace, {
      source,
      vars: {},
      app,
      fetch,
      onStepBegin: (title, _number, of) => {
        ran.of = of;
        ran.current = title;
        tell();
      },
      onStep: (step) => {
        ran.steps.push(step);
        ran.current = undefined;
        tell();
      },
    })
    .catch((error: unknown) => {
      // A fault of ours: it must not stand in the way of the next run.
      notRun();
      throw error;
    });
  if (isRefusal(report)) {
    notRun();
    return report;
  }
  ran.current = undefined;
  ran.report = report;
  tell();
  const { passed, steps, error } = report;
  const wrong = steps.find(({ outcome }) => outcome === "failed" || outcome === "error");
  return {
    text: passed
      ? `${name}: ${many(steps.length, "step")} passed`
      : `${name} failed: ${error ?? `${wrong?.title}: ${wrong?.failure?.message}`}`,
    isBad: !passed,
    to: `${homeOf(namespace.name)}/scenarios/${encodeURIComponent(name)}#run`,
  };
}

/** Puts the scenario in place under the name asked for, as it was written or otherwise. */
async function duplicate(doing: Doing): Promise<Done | Refusal> {
  const { namespace, form } = doing;
  const name = form.get("name")?.trim() ?? "";
  if (name === "") return invalid({ name: "is missing" });
  if (namespace.engine.state.get("scenarios", name) !== undefined && !form.has("replace"))
    return invalid({ name: `there is a scenario ${name} already: choose another name, or replace it` });
  let scenario: object;
  try {
    scenario = JSON.parse(form.get("scenario") ?? "") as object;
  } catch (error) {
    return invalid({ scenario: `is not JSON: ${(error as Error).message}` });
  }
  const put = await callControl(doing, "PUT", `/scenarios/${encodeURIComponent(name)}`, {
    ...scenario,
    name,
  });
  if (isRefusal(put)) return put;
  return {
    text: `Scenario ${name} saved`,
    to: `${homeOf(namespace.name)}/scenarios/${encodeURIComponent(name)}`,
  };
}
