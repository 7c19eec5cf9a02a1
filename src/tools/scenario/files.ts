import { findUnknownNames, type NameCheckOptions, type Vocabulary } from "../../core/domain/name-check.js";
import { RULE_KINDS } from "../../core/domain/rule-matching.js";
import {
  DocumentError,
  type DocumentFault,
  type LoadedDocument,
  schemaFaults,
  sortAndDedupeFaults,
} from "../../core/files/documents.js";
import { readFlow } from "../../core/files/read-flow.js";
import { isJsonObject } from "../../core/schema/json-objects.js";
import { hasVariable } from "../../core/schema/matchers.js";
import {
  includedFileSchema,
  type ScenarioFile,
  scenarioFileSchema,
} from "../../core/schema/scenario-file.js";
import type { Scenario } from "../../core/schema/scenario-rules.js";
import {
  type IncludedFiles,
  parseIncludes,
  readIncludedFiles,
  resolveRelativePath,
  unreadableFileHandler,
} from "./includes.js";
import { addFixtureNames, type InitialState, readInitialFixtures } from "./initial-state.js";
import type { LoadedStep } from "./loaded-steps.js";
import { type Replay, replayOf } from "./replay.js";
import { ruleWarnings, type ScenarioWarning, timelineWarnings } from "./scenario-warnings.js";
import { type StepList, StepLoader, savedVariableNames } from "./step-loader.js";
import type { SourceLine } from "./step-reference.js";
import { fillReferences, foreignSyntaxWarnings, Scope, variableNameOf } from "./variables.js";

/*
 * Reads and checks scenario files, merges includes, fills in variables; used by the sandbox, the command and `explore`.
 *
 *   document (YAML) ──> LoadedScenario ── running/run-scenario.ts ──> RunReport
 *
 * Every fault has its line. Nothing is sent here: steps/ defines the kinds of steps, running/ carries them out.
 */

export interface LoadedScenario extends InitialState {
  readonly file: string;
  readonly scenario: Scenario;
  /** Line of each rule, by its name in reports, such as `webhooks.0`. */
  readonly ruleLines: ReadonlyMap<string, SourceLine>;
  readonly steps: readonly LoadedStep[];
  readonly scope: Scope;
  readonly runId: string;
  readonly variables: ReadonlySet<string>;
  readonly fixtures?: LoadedDocument | undefined;
  /** True if the sandbox's state is restored after the run. */
  readonly isIsolated: boolean;
  readonly warnings: readonly DocumentFault[];
  readonly unknownNames: readonly DocumentFault[];
  readonly replay?: Replay | undefined;
}

/** Values for a file's variables, and the names that the file may use. */
export interface ScenarioInputs {
  /** `--var name=value`. */
  readonly vars?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly runIdOf: (name: string) => string;
  /** If absent, names are not checked. */
  readonly vocabulary?: Vocabulary | undefined;
}

export async function readScenarioFile(file: string, inputs: ScenarioInputs): Promise<LoadedScenario> {
  return loadScenarioWithIncludes(await readFlow(file), inputs);
}

export async function loadScenarioWithIncludes(
  document: LoadedDocument,
  inputs: ScenarioInputs,
): Promise<LoadedScenario> {
  const included = await readIncludedFiles(document);
  const loaded = loadScenario(document, inputs, included);
  const { replay } = loaded;
  if (replay !== undefined) return withFlow(document, loaded, replay, inputs);
  const fixtures = await readInitialFixtures(loaded.given, document);
  if (inputs.vocabulary === undefined || fixtures === undefined) return { ...loaded, fixtures };
  // The file's own fixtures add names to the vocabulary.
  const vocabulary = addFixtureNames(inputs.vocabulary, fixtures.value);
  return { ...loadScenario(document, { ...inputs, vocabulary }, included), fixtures };
}

async function withFlow(
  document: LoadedDocument,
  loaded: LoadedScenario,
  replay: Replay,
  inputs: ScenarioInputs,
): Promise<LoadedScenario> {
  const flow = await readFlow(replay.flow).catch(unreadableFileHandler(document, ["flow"], replay.flow));
  if (isJsonObject(flow.value) && flow.value.flow !== undefined)
    throw new DocumentError([
      document.faultAt(["flow"], `${replay.flow} names a flow itself: name that one`),
    ]);
  const { vars } = replay;
  const { warnings, variables, steps } = await loadScenarioWithIncludes(flow, { ...inputs, vars });
  if (steps.length === 0)
    throw new DocumentError([document.faultAt(["flow"], `${replay.flow} has no steps: nothing to run`)]);
  return {
    ...loaded,
    variables: new Set([...loaded.variables, ...variables]),
    warnings: [...loaded.warnings, ...warnings],
  };
}

/** Sections of a file that are read before the steps run, so a section cannot use a variable that a step saves. */
const SECTIONS_BEFORE_STEPS = [...RULE_KINDS, "given"] as const;

interface Source {
  readonly document: LoadedDocument;
  readonly raw: Readonly<Record<string, unknown>>;
}

export function loadScenario(
  document: LoadedDocument,
  inputs: ScenarioInputs,
  included: IncludedFiles = new Map(),
): LoadedScenario {
  const raw = document.value;
  if (!isJsonObject(raw)) throw new DocumentError(schemaFaults(scenarioFileSchema, document));
  const sources: Source[] = [document, ...included.values()].map((document) => ({
    document,
    raw: isJsonObject(document.value) ? document.value : {},
  }));
  const faults: DocumentFault[] = [];
  const runId = inputs.runIdOf(typeof raw.name === "string" ? raw.name : "");
  const vars = varsOf(sources);
  const scope = new Scope(Object.fromEntries([...vars].map(([name, { value }]) => [name, value])), {
    vars: inputs.vars ?? {},
    environment: inputs.environment ?? {},
    runId,
  });
  for (const { path, message } of scope.faults)
    faults.push(vars.get(String(path[0]))!.document.faultAt(["vars", ...path], message));

  const includedSteps = stepsOfIncluded(document, raw.include, included);
  const fileSteps = listOf(raw.steps);
  const savedBy = savesOf([...includedSteps, ...fileSteps]);
  const variables = new Set(vars.keys());
  const files = sources.map((source) => filledRules(source, { scope, savedBy, variables, faults }));
  for (const { document: file, rules } of files) {
    const schema = file === document ? scenarioFileSchema : includedFileSchema;
    faults.push(...schemaFaults(schema, file, { path: [], value: rules, isUnresolved: hasVariable }));
  }

  const names: NameCheckOptions = {
    vocabulary: inputs.vocabulary ?? (() => undefined),
    isUnresolved: hasVariable,
  };
  const loader = new StepLoader({ scope, savedBy, included, names });
  const steps = loader.load(
    [
      { document, at: ["include"], list: includedSteps },
      { document, at: ["steps"], list: fileSteps },
    ],
    exploreSteps(document, raw),
  );
  faults.push(...loader.faults);
  for (const name of loader.variables) variables.add(name);
  if (faults.length > 0) throw new DocumentError(inFiles(sources, faults));
  const unknown = [
    ...files.flatMap(({ document, rules }) =>
      findUnknownNames(scenarioFileSchema, rules, names).map(placedIn(document)),
    ),
    ...loader.unknownNames,
  ];
  const idle = files.flatMap(({ document, rules }) =>
    [...timelineWarnings(rules), ...ruleWarnings(rules)].map(placedIn(document)),
  );
  const known = new Set([...scope.names, ...savedBy.keys()]);
  const foreignSyntax = sources.flatMap(({ document, raw: { description: _description, ...rest } }) =>
    foreignSyntaxWarnings(rest, known).map(placedIn(document)),
  );
  const allRules = files.map(({ rules }) => rules);
  const scenario = scenarioOf(allRules, steps.length === 0 ? undefined : raw);
  return {
    file: document.file,
    scenario,
    ruleLines: rulePlacesIn(sources),
    steps,
    scope,
    runId,
    variables,
    given: allRules[0]!.given ?? {},
    initialStateFault: (word, message) => document.faultAt(["given", word], message),
    isIsolated: raw.isolation !== undefined,
    replay: replayOf(document, raw, scope),
    warnings: inFiles(sources, [
      ...sources.flatMap(({ document }) => document.warnings ?? []),
      ...idle,
      ...unknown,
      ...foreignSyntax,
      ...loader.impossibleChecks,
      ...emptyWarnings(document, scenario, steps),
    ]),
    unknownNames: unknown,
  };
}

/** Prepares another run of a loaded file with other rules, which must be valid. The file must have no includes. */
export function withScenarioRules(
  loaded: LoadedScenario,
  raw: Readonly<Record<string, unknown>>,
  { vars: given = {}, environment = {}, runIdOf }: ScenarioInputs,
): LoadedScenario {
  const runId = runIdOf(String(raw.name));
  const scope = new Scope(isJsonObject(raw.vars) ? raw.vars : {}, { vars: given, environment, runId });
  const rules = RULE_KINDS.flatMap((kind) =>
    raw[kind] === undefined ? [] : [[kind, fillReferences(raw[kind], scope.resolve, () => {})]],
  );
  const scenario = { name: String(raw.name), ...Object.fromEntries(rules) } as Scenario;
  return { ...loaded, scenario, scope, runId };
}

/** Returns the calls of the `tick`, `meanwhile`, `reset`, `observe` and `never` sections as lists of steps. */
function exploreSteps(document: LoadedDocument, raw: Readonly<Record<string, unknown>>): StepList[] {
  return (["tick", "meanwhile", "reset", "observe", "never"] as const).flatMap((word) => {
    const list = raw[word];
    if (!Array.isArray(list)) return [];
    // The file's schema checks the other fields of an observation.
    const steps = list.flatMap((entry: unknown) =>
      word !== "observe" && word !== "never"
        ? [entry]
        : isJsonObject(entry) && typeof (entry.app ?? entry.run) === "string"
          ? [entry.app === undefined ? { run: entry.run } : { app: entry.app }]
          : [],
    );
    return [{ document, at: [word], list: steps }];
  });
}

/** Warns of a file without rules and steps, and of an empty include. */
function emptyWarnings(
  document: LoadedDocument,
  scenario: Scenario,
  steps: readonly LoadedStep[],
): DocumentFault[] {
  const { include, flow } = document.value as { include?: unknown; flow?: unknown };
  if (flow !== undefined) return [];
  if (Array.isArray(include) && include.length === 0)
    return [document.faultAt(["include"], "includes nothing: name a file, or remove it")];
  if (steps.length > 0 || RULE_KINDS.some((kind) => (scenario[kind] ?? []).length > 0)) return [];
  return [document.faultAt([], "has neither rules nor steps, so it does nothing")];
}

function inFiles(sources: readonly Source[], faults: readonly DocumentFault[]): DocumentFault[] {
  return sources.flatMap(({ document }) =>
    sortAndDedupeFaults(faults.filter(({ file }) => file === document.file)),
  );
}

function placedIn(document: LoadedDocument) {
  return ({ path, message }: ScenarioWarning): DocumentFault => document.faultAt(path, message);
}

/** Makes an `include` step for each included file that has steps. These steps run before the file's own steps. */
function stepsOfIncluded({ file }: LoadedDocument, include: unknown, included: IncludedFiles) {
  return parseIncludes(include, []).flatMap(({ name }) => {
    const value = included.get(resolveRelativePath(file, name))?.value;
    return isJsonObject(value) && Array.isArray(value.steps) ? [{ include: name }] : [];
  });
}

interface FileVariable {
  readonly document: LoadedDocument;
  readonly value: unknown;
}

/** Variables of all files by name; the file that is run overrides those it includes. */
function varsOf(sources: readonly Source[]): Map<string, FileVariable> {
  const all = new Map<string, FileVariable>();
  for (const { document, raw } of sources)
    for (const [name, value] of Object.entries(isJsonObject(raw.vars) ? raw.vars : {}))
      if (!all.has(name)) all.set(name, { document, value });
  return all;
}

interface RuleContext {
  readonly scope: Scope;
  readonly savedBy: ReadonlyMap<string, number>;
  readonly variables: Set<string>;
  readonly faults: DocumentFault[];
}

/** Fills in the variables of a file's rules. Adds a fault to `faults` for each variable that cannot be resolved. */
function filledRules({ document, raw }: Source, { scope, savedBy, variables, faults }: RuleContext) {
  const filled: Record<string, unknown> = { ...raw };
  for (const kind of SECTIONS_BEFORE_STEPS) {
    if (!Object.hasOwn(raw, kind)) continue;
    filled[kind] = fillReferences(
      raw[kind],
      (reference) => {
        const root = variableNameOf(reference.name);
        variables.add(root);
        const saved = savedBy.get(root);
        return saved !== undefined && !scope.names.includes(root)
          ? {
              fault: `\${${reference.name}} is saved by step ${saved + 1}, but ${kind === "given" ? "given is" : "rules are"} set up before the steps`,
            }
          : scope.resolve(reference);
      },
      ({ path, message }) => faults.push(document.faultAt([kind, ...path], message)),
    );
  }
  return { document, rules: filled as unknown as ScenarioFile };
}

/** Merges the rules of all files, beginning with the file that is run. */
function scenarioOf(files: readonly ScenarioFile[], source: Scenario["source"]): Scenario {
  const [{ name, description, kind }] = files as [ScenarioFile];
  const rules = RULE_KINDS.flatMap((kind) => {
    const all = files.flatMap((file): unknown[] => file[kind] ?? []);
    return files.some((file) => file[kind] !== undefined) ? [[kind, all]] : [];
  });
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(kind === undefined ? {} : { kind }),
    ...Object.fromEntries(rules),
    ...(source === undefined ? {} : { source }),
  };
}

function rulePlacesIn(sources: readonly Source[]): Map<string, SourceLine> {
  const places = RULE_KINDS.flatMap((kind) =>
    sources
      .flatMap(({ document, raw }) =>
        listOf(raw[kind]).map((_, index) => document.faultAt([kind, index], "")),
      )
      .map((place, index) => [`${kind}.${index}`, place] as const),
  );
  return new Map(places);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function savesOf(steps: readonly unknown[]): Map<string, number> {
  const saved = new Map<string, number>();
  for (const [index, step] of steps.entries())
    if (isJsonObject(step))
      for (const name of savedVariableNames(step)) if (!saved.has(name)) saved.set(name, index);
  return saved;
}
