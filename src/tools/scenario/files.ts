import { unknownNames, type Vocabulary } from "../../core/domain/known-names.js";
import { RULE_KINDS } from "../../core/domain/scenario.js";
import {
  DocumentError,
  type Fault,
  inOrder,
  isRecord,
  type LoadedDocument,
  schemaFaults,
} from "../../core/files/documents.js";
import { readFlow } from "../../core/files/flows.js";
import type { Scenario } from "../../core/schema/scenario.js";
import {
  type Given,
  includedFileSchema,
  type ScenarioFile,
  scenarioFileSchema,
} from "../../core/schema/scenario-file.js";
import { fixturesOf } from "./given.js";
import { fileBeside, type Included, namedAt, readIncluded } from "./included.js";
import type { Place } from "./place.js";
import { shapeWarnings } from "./rule-shapes.js";
import { rootOf, Scope } from "./scope.js";
import { SHARED_STEPS } from "./step-faults.js";
import { type StepList, StepLoader, savedIn } from "./step-loader.js";
import type { LoadedStep } from "./step-places.js";
import { unfilled } from "./unfilled.js";
import { fill, isOpen } from "./variables.js";
import { scenarioWarnings, type Warning } from "./warnings.js";
import { withFixtures } from "./with-fixtures.js";

/** A scenario file, checked: the rules with their variables filled in, and the steps. */
export interface LoadedScenario {
  readonly file: string;
  readonly scenario: Scenario;
  /** Where each rule stands, by what it is called in reports, such as `webhooks.0`. */
  readonly rulePlaces: ReadonlyMap<string, Place>;
  readonly steps: readonly LoadedStep[];
  /** The run's variables; steps add what they save. */
  readonly scope: Scope;
  readonly runId: string;
  /** The variables it has or refers to. */
  readonly variables: ReadonlySet<string>;
  /** The world it wants, and the fixtures of it, read. */
  readonly given: Given;
  /** A place of that world in the file. */
  readonly givenAt: (word: string, message: string) => Fault;
  readonly fixtures?: LoadedDocument | undefined;
  /** Whether the sandbox is to be afterwards as it was before, state and all. */
  readonly isIsolated: boolean;
  /** What is allowed and cannot be meant, and what it has and does not need. */
  readonly warnings: readonly Fault[];
  /** Those of the warnings that tell of a name there is none of. */
  readonly unknown: readonly Fault[];
}

/** What a file's variables take their values from besides the file. */
export interface ScenarioGivens {
  /** `--var name=value`. */
  readonly given?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The run's id, by the scenario's name. */
  readonly runIdOf: (name: string) => string;
  /** The names there are; without it nothing is said of names. */
  readonly vocabulary?: Vocabulary | undefined;
}

export async function readScenarioFile(file: string, givens: ScenarioGivens): Promise<LoadedScenario> {
  return loadScenarioFile(await readFlow(file), givens);
}

/** With the files it includes. */
export async function loadScenarioFile(
  document: LoadedDocument,
  givens: ScenarioGivens,
): Promise<LoadedScenario> {
  const included = await readIncluded(document);
  const loaded = loadScenario(document, givens, included);
  const fixtures = await fixturesOf(loaded.given, document);
  if (givens.vocabulary === undefined || fixtures === undefined) return { ...loaded, fixtures };
  // Its names are those of the world it brings.
  const vocabulary = withFixtures(givens.vocabulary, fixtures.value);
  return { ...loadScenario(document, { ...givens, vocabulary }, included), fixtures };
}

/** What is there before the steps: what they save is not known in it. */
const BEFORE_STEPS = [...RULE_KINDS, "given"] as const;

const NO_DEFINE = `is not supported: write the steps where they are used; ${SHARED_STEPS}`;

/** A file of the scenario: the one that is run, or one that is included. */
interface Source {
  readonly document: LoadedDocument;
  readonly raw: Readonly<Record<string, unknown>>;
}

/** Checks a scenario file as a whole, and throws every fault at its place. */
export function loadScenario(
  document: LoadedDocument,
  givens: ScenarioGivens,
  included: Included = new Map(),
): LoadedScenario {
  const raw = document.value;
  if (!isRecord(raw)) throw new DocumentError(schemaFaults(scenarioFileSchema, document));
  const sources: Source[] = [document, ...included.values()].map((document) => ({
    document,
    raw: isRecord(document.value) ? document.value : {},
  }));
  for (const { document, raw } of sources)
    if (Object.hasOwn(raw, "define")) throw new DocumentError([document.faultAt(["define"], NO_DEFINE)]);
  const faults: Fault[] = [];
  const runId = givens.runIdOf(typeof raw.name === "string" ? raw.name : "");
  const vars = varsOf(sources);
  const scope = new Scope(Object.fromEntries([...vars].map(([name, { value }]) => [name, value])), {
    given: givens.given ?? {},
    environment: givens.environment ?? {},
    runId,
  });
  for (const { path, message } of scope.faults)
    faults.push(vars.get(String(path[0]))!.document.faultAt(["vars", ...path], message));

  const first = stepsOfIncluded(document, raw.include, included);
  const own = listOf(raw.steps);
  const savedBy = savesOf([...first, ...own]);
  const variables = new Set(vars.keys());
  const filled = sources.map((source) => filledRules(source, { scope, savedBy, variables, faults }));
  for (const [index, value] of filled.entries()) {
    const schema = index === 0 ? scenarioFileSchema : includedFileSchema;
    faults.push(...schemaFaults(schema, sources[index]!.document, { at: [], value, isOpen }));
  }

  const names = { vocabulary: givens.vocabulary ?? (() => undefined), isOpen };
  const loader = new StepLoader({ scope, savedBy, included, names });
  const steps = loader.load(
    [
      { document, at: ["include"], list: first },
      { document, at: ["steps"], list: own },
    ],
    looksOf(document, raw),
  );
  faults.push(...loader.faults);
  for (const name of loader.variables) variables.add(name);
  if (faults.length > 0) throw new DocumentError(inFiles(sources, faults));
  const unknown = [
    ...sources.flatMap(({ document }, index) =>
      unknownNames(scenarioFileSchema, filled[index], names).map(placedIn(document)),
    ),
    ...loader.unknown,
  ];
  const idle = sources.flatMap(({ document }, index) => {
    const rules = filled[index] as unknown as ScenarioFile;
    return [...scenarioWarnings(rules), ...shapeWarnings(rules)].map(placedIn(document));
  });
  const known = new Set([...scope.names, ...savedBy.keys()]);
  const asItStands = sources.flatMap(({ document, raw: { description: _said, ...rest } }) =>
    unfilled(rest, known).map(placedIn(document)),
  );
  const odd = sources.flatMap(({ document }) => document.oddities ?? []);
  const scenario = scenarioOf(filled as unknown as ScenarioFile[], steps.length === 0 ? undefined : raw);
  return {
    file: document.file,
    scenario,
    rulePlaces: rulePlacesIn(sources),
    steps,
    scope,
    runId,
    variables,
    given: (filled[0]?.given ?? {}) as Given,
    givenAt: (word, message) => document.faultAt(["given", word], message),
    isIsolated: raw.isolation !== undefined,
    warnings: inFiles(sources, [
      ...odd,
      ...idle,
      ...unknown,
      ...asItStands,
      ...loader.unmeetable,
      ...nothingIn(document, scenario, steps),
    ]),
    unknown,
  };
}

/**
 * Another run of a file that has been loaded, and that includes no other, with rules of its own: its steps have been
 * checked, and the rules are known to be right.
 */
export function loadedWith(
  loaded: LoadedScenario,
  raw: Readonly<Record<string, unknown>>,
  { given = {}, environment = {}, runIdOf }: ScenarioGivens,
): LoadedScenario {
  const runId = runIdOf(String(raw.name));
  const scope = new Scope(isRecord(raw.vars) ? raw.vars : {}, { given, environment, runId });
  const rules = RULE_KINDS.flatMap((kind) =>
    raw[kind] === undefined ? [] : [[kind, fill(raw[kind], scope.resolve, () => {})]],
  );
  const scenario = { name: String(raw.name), ...Object.fromEntries(rules) } as Scenario;
  return { ...loaded, scenario, scope, runId };
}

/** What `explore` does when the steps are over, as steps. */
function looksOf(document: LoadedDocument, raw: Readonly<Record<string, unknown>>): StepList[] {
  return (["tick", "reset", "observe", "never"] as const).flatMap((word) => {
    const list = raw[word];
    if (!Array.isArray(list)) return [];
    // Of a look the steps know the call alone; the rest is the file's schema to check.
    const steps = list.flatMap((one: unknown) =>
      word === "tick" || word === "reset"
        ? [one]
        : isRecord(one) && typeof one.app === "string"
          ? [{ app: one.app }]
          : [],
    );
    return [{ document, at: [word], list: steps }];
  });
}

/** A file that has no rule and no step was not finished, or lost what it had; so did an empty list of files. */
function nothingIn(document: LoadedDocument, scenario: Scenario, steps: readonly LoadedStep[]): Fault[] {
  const { include } = document.value as { include?: unknown };
  if (Array.isArray(include) && include.length === 0)
    return [document.faultAt(["include"], "includes nothing: name a file, or leave it out")];
  if (steps.length > 0 || RULE_KINDS.some((kind) => (scenario[kind] ?? []).length > 0)) return [];
  return [document.faultAt([], "has neither rules nor steps, so it does nothing")];
}

/** File after file, in the order of each. */
function inFiles(sources: readonly Source[], faults: readonly Fault[]): Fault[] {
  return sources.flatMap(({ document }) => inOrder(faults.filter(({ file }) => file === document.file)));
}

function placedIn(document: LoadedDocument) {
  return ({ path, message }: Warning): Fault => document.faultAt(path, message);
}

/** The steps of files that are included at the top come first. */
function stepsOfIncluded({ file }: LoadedDocument, include: unknown, included: Included) {
  return namedAt(include, []).flatMap(({ name }) => {
    const value = included.get(fileBeside(file, name))?.value;
    return isRecord(value) && Array.isArray(value.steps) ? [{ include: name }] : [];
  });
}

interface Named {
  readonly document: LoadedDocument;
  readonly value: unknown;
}

/** The variables of all files, by name; the file that is run goes before those it includes. */
function varsOf(sources: readonly Source[]): Map<string, Named> {
  const all = new Map<string, Named>();
  for (const { document, raw } of sources)
    for (const [name, value] of Object.entries(isRecord(raw.vars) ? raw.vars : {}))
      if (!all.has(name)) all.set(name, { document, value });
  return all;
}

interface RuleSurroundings {
  readonly scope: Scope;
  readonly savedBy: ReadonlyMap<string, number>;
  readonly variables: Set<string>;
  readonly faults: Fault[];
}

/** A file with the variables of its rules filled in. */
function filledRules(
  { document, raw }: Source,
  { scope, savedBy, variables, faults }: RuleSurroundings,
): Record<string, unknown> {
  const filled: Record<string, unknown> = { ...raw };
  for (const kind of BEFORE_STEPS) {
    if (!Object.hasOwn(raw, kind)) continue;
    filled[kind] = fill(
      raw[kind],
      (reference) => {
        const root = rootOf(reference.name);
        variables.add(root);
        const saved = savedBy.get(root);
        return saved !== undefined && !scope.names.includes(root)
          ? {
              fault: `\${${reference.name}} is known only after step ${saved + 1}; ${kind === "given" ? "the world is" : "rules are"} there before the steps`,
            }
          : scope.resolve(reference);
      },
      ({ path, message }) => faults.push(document.faultAt([kind, ...path], message)),
    );
  }
  return filled;
}

/** The rules of all files, those of the file that is run first. */
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

/** In the order that `scenarioOf` has them. */
function rulePlacesIn(sources: readonly Source[]): Map<string, Place> {
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

/** Variable → the first step that saves it. */
function savesOf(steps: readonly unknown[]): Map<string, number> {
  const saved = new Map<string, number>();
  for (const [index, step] of steps.entries())
    if (isRecord(step)) for (const name of savedIn(step)) if (!saved.has(name)) saved.set(name, index);
  return saved;
}
