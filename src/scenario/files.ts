import {
  DocumentError,
  type Fault,
  inOrder,
  isRecord,
  type LoadedDocument,
  readDocument,
  schemaFaults,
} from "../files/documents.js";
import type { Scenario } from "../schema/scenario.js";
import { type ScenarioFile, scenarioFileSchema } from "../schema/scenario-file.js";
import { rootOf, Scope } from "./scope.js";
import { StepLoader, savedIn } from "./step-loader.js";
import type { LoadedStep } from "./step-places.js";
import { fill, isOpen, type VariableFault } from "./variables.js";

/** A scenario file, checked: the rules with their variables filled in, and the steps. */
export interface LoadedScenario {
  readonly file: string;
  readonly scenario: Scenario;
  readonly steps: readonly LoadedStep[];
  /** The run's variables; steps add what they save. */
  readonly scope: Scope;
  readonly runId: string;
  /** The variables it has or refers to. */
  readonly variables: ReadonlySet<string>;
}

/** What a file's variables take their values from besides the file. */
export interface ScenarioGivens {
  /** `--var name=value`. */
  readonly given?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The run's id, by the scenario's name. */
  readonly runIdOf: (name: string) => string;
}

export async function readScenarioFile(file: string, givens: ScenarioGivens): Promise<LoadedScenario> {
  return loadScenario(await readDocument(file), givens);
}

const RULES = ["charges", "withdrawals", "webhooks", "faults"] as const;

/** Checks a scenario file as a whole, and throws every fault at its place. */
export function loadScenario(document: LoadedDocument, givens: ScenarioGivens): LoadedScenario {
  const raw = document.value;
  if (!isRecord(raw)) throw new DocumentError(schemaFaults(scenarioFileSchema, document));
  const faults: Fault[] = [];
  const faultIn = (...at: (string | number)[]) => {
    return ({ path, message }: VariableFault) => {
      faults.push(document.faultAt([...at, ...path], message));
    };
  };
  const runId = givens.runIdOf(typeof raw.name === "string" ? raw.name : "");
  const scope = new Scope(isRecord(raw.vars) ? raw.vars : {}, {
    given: givens.given ?? {},
    environment: givens.environment ?? {},
    runId,
  });
  scope.faults.forEach(faultIn("vars"));

  const variables = new Set(isRecord(raw.vars) ? Object.keys(raw.vars) : []);
  const savedBy = savesOf(raw.steps);
  const filled: Record<string, unknown> = { ...raw };
  for (const kind of RULES) {
    if (!Object.hasOwn(raw, kind)) continue;
    filled[kind] = fill(
      raw[kind],
      (reference) => {
        const root = rootOf(reference.name);
        variables.add(root);
        const saved = savedBy.get(root);
        return saved !== undefined && !scope.names.includes(root)
          ? {
              fault: `\${${reference.name}} is known only after step ${saved + 1}; rules are there before the steps`,
            }
          : scope.resolve(reference);
      },
      faultIn(kind),
    );
  }
  faults.push(...schemaFaults(scenarioFileSchema, document, { at: [], value: filled, isOpen }));

  const loader = new StepLoader(scope, savedBy);
  const steps = loader.load({ document, at: ["steps"], list: Array.isArray(raw.steps) ? raw.steps : [] });
  faults.push(...loader.faults);
  for (const name of loader.variables) variables.add(name);
  if (faults.length > 0) throw new DocumentError(inOrder(faults));
  const { $schema: _editor, vars: _vars, steps: _steps, ...rules } = filled as ScenarioFile;
  const scenario: Scenario = steps.length === 0 ? rules : { ...rules, source: raw };
  return { file: document.file, scenario, steps, scope, runId, variables };
}

/** Variable → the first step that saves it. */
function savesOf(steps: unknown): Map<string, number> {
  const saved = new Map<string, number>();
  for (const [index, step] of (Array.isArray(steps) ? steps : []).entries())
    if (isRecord(step)) for (const name of savedIn(step)) if (!saved.has(name)) saved.set(name, index);
  return saved;
}
