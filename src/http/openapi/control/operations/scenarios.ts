import { type ControlDoc, faulty, notFound } from "../doc.js";
import * as example from "../examples.js";
import { PAGE } from "./world.js";

const SCENARIO = { component: "Scenario", examples: { "operator declines": example.SCENARIO } };
const NO_SCENARIO = notFound('There is no scenario "operator-declines"');

export const SCENARIO_DOCS: Readonly<Record<string, ControlDoc>> = {
  listScenarios: {
    tag: "Scenarios",
    summary: "List scenarios",
    says: "Every scenario the namespace knows: those active first, in the order they are asked; then by name.",
    query: PAGE,
    answer: { component: "ScenarioList", says: "A page.", examples: { one: example.only(example.SCENARIO) } },
  },
  getScenario: {
    tag: "Scenarios",
    summary: "Read a scenario",
    says: "One scenario.",
    answer: { ...SCENARIO, says: "The scenario." },
    missing: NO_SCENARIO,
  },
  putScenario: {
    tag: "Scenarios",
    summary: "Put a scenario in place",
    says: "Makes the scenario or replaces it. It applies when it is activated, or asked for by name.",
    body: {
      component: "ScenarioRequest",
      examples: { "operator declines": example.SCENARIO_REQUEST, "with steps": example.STEPS_REQUEST },
    },
    answer: { ...SCENARIO, says: "It is in place." },
    invalid: { "another name": faulty({ name: "must be the name in the path" }) },
  },
  deleteScenario: {
    tag: "Scenarios",
    summary: "Take a scenario away",
    says: "Its rules go with it; what has matched already keeps its timeline.",
    answer: {
      component: "NameDeleted",
      says: "It is gone.",
      examples: { gone: { name: "operator-declines", deleted: true } },
    },
    missing: NO_SCENARIO,
  },
  activateScenario: {
    tag: "Scenarios",
    summary: "Turn a scenario on",
    says: "Its rules apply to what names no scenario. The last activated is asked first.",
    answer: {
      component: "Scenario",
      says: "It is on.",
      examples: { on: { ...example.SCENARIO, active: true } },
    },
    missing: NO_SCENARIO,
  },
  deactivateScenario: {
    tag: "Scenarios",
    summary: "Turn a scenario off",
    says: "It applies only when it is asked for by name.",
    answer: { ...SCENARIO, says: "It is off." },
    missing: NO_SCENARIO,
  },
  runScenario: {
    tag: "Scenarios",
    summary: "Run a scenario's steps",
    says: "Carries out its steps in this namespace, whose clock stands meanwhile, and answers when they are done.",
    body: {
      component: "ScenarioRunRequest",
      examples: { "app under test": { app: "http://localhost:3000", vars: { amount: "500.00" } } },
    },
    answer: { component: "RunReport", says: "How it came out.", examples: { passed: example.RUN_REPORT } },
    invalid: { "no steps": faulty({ name: "the scenario has no steps to run" }) },
    missing: NO_SCENARIO,
  },
  listFaults: {
    tag: "Scenarios",
    summary: "List faults",
    says: "The faults set here, newest first; those of scenarios are theirs.",
    query: PAGE,
    answer: { component: "FaultList", says: "A page.", examples: { one: example.only(example.FAULT) } },
  },
  createFault: {
    tag: "Scenarios",
    summary: "Set a fault",
    says: "From here on something goes wrong at the API.",
    body: { component: "FaultRule", examples: { "two quotes fail": example.FAULT_REQUEST } },
    answer: { component: "Fault", says: "It is set.", examples: { "two quotes fail": example.FAULT } },
  },
  deleteFaults: {
    tag: "Scenarios",
    summary: "Take all faults away",
    says: "Those of scenarios stay.",
    answer: { component: "FaultsRemoved", says: "They are gone.", examples: { two: { removed: 2 } } },
  },
  deleteFault: {
    tag: "Scenarios",
    summary: "Take a fault away",
    says: "One fault.",
    answer: { component: "FaultsRemoved", says: "It is gone.", examples: { one: { removed: 1 } } },
    missing: notFound("Fault not found"),
  },
};
